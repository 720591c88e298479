#!/usr/bin/env python3
"""Handles one message after another: each is a line of JSON on standard input, and so is its answer on standard output."""
import json
import os
import sys

RECORDS = os.environ.get("RECORDS", "/tmp/records.txt")
CLOSED = os.environ.get("CLOSED", "/nonexistent")


def handle(message):
    if "bodyBase64" in message:
        return {"result": "dead_letter", "reason": "not_text", "description": "an order whose body is no text"}
    if not message.get("body"):
        return {"result": "dead_letter", "reason": "empty", "description": "an order without a body"}
    if os.path.exists(CLOSED):
        return {"result": "delay", "seconds": 5}
    with open(RECORDS, "a") as records:
        records.write(f"{message['id']} {message['body']}\n")
    return {"result": "complete"}


# Standard input ends when the worker stops.
for line in sys.stdin:
    message = json.loads(line)
    answer = handle(message)
    print(json.dumps({"id": message["id"], **answer}), flush=True)
