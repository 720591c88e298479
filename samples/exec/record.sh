#!/bin/sh
# Handles one message: the order is on standard input, the rest in the environment, and the exit code is the answer.
set -u

order=$(cat)
record="$HOLDFAST_ID $order"
records=${RECORDS:-/tmp/records.txt}

# 65: this message can't ever be handled. It is put aside, and the line says why.
if [ -z "$order" ]; then
    echo "an order without a body" >&2
    exit 65
fi

# 75: not now. It comes again later.
if [ -e "${CLOSED:-/nonexistent}" ]; then
    exit 75
fi

# A message comes again after a lost lease, and what was done once is known by its first line: by the id, which not every sender gives.
# By printf, for some shells' echo makes other text of what has a backslash.
line=$(printf '%s\n' "$record" | head -n 1)
if [ -n "$HOLDFAST_ID" ] && [ -e "$records" ] && grep -qxF -e "$line" "$records"; then
    exit 0
fi

# Anything else but 0 would be tried again, as the queue's policy says.
printf '%s\n' "$record" >> "$records"
