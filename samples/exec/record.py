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
    record = f"{message['id']} {message['body']}\n"
    if not (message["id"] and is_known(record)):
        with open(RECORDS, "a", newline="\n") as records:
            records.write(record)
    return {"result": "complete"}


def is_known(record):
    """A message comes again after a lost lease, perhaps to another process, and what was done once is known by its first line."""
    first = record[: record.index("\n") + 1]
    try:
        with open(RECORDS, newline="\n") as records:
            return first in records
    except FileNotFoundError:
        return False


# Standard input ends when the worker stops.
for line in sys.stdin:
    message = json.loads(line)
    answer = handle(message)
    print(json.dumps({"id": message["id"], **answer}), flush=True)
