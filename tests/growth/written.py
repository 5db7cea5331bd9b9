"""Server-sent events in any number, with whatever may stand between them."""

import json


def sse(rows, end=b"", *, named=False):
    out = []
    for row in rows:
        if isinstance(row, bytes):
            out.append(row)
            continue
        head = f"event: {row['type']}\n" if named else ""
        out.append(f"{head}data: {json.dumps(row)}\n\n".encode())
    return b"".join(out) + end


_BETWEEN = {
    "blank_lines": b"\n",
    "blank_lines_of_another_kind": b"\r\n",
    "comments": b": still there\n\n",
    "comments_in_one": b": still there\n",
    "unknown_lines": b"retry: 1\n",
    "empty_data": b"data:\n\n",
}
"""What may stand between two events, as often as it likes."""


def streams_of(events, first, last, end=b"", *, named=False):
    """The streams of a shape by name: its own, and what any stream may hold between its events."""

    def wire(rows):
        return lambda: sse([*first, *rows(), *last], end, named=named)

    found = {name: wire(rows) for name, rows in events.items()}

    def between(line):
        return lambda n: sse([*first, line * n, *last], end, named=named)

    return found, {name: between(line) for name, line in _BETWEEN.items()}


def arguments(n):
    """Of a call, of twenty bytes for each of these."""
    return '{"a":"' + "long " * (4 * n) + '"}'
