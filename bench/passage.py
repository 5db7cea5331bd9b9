"""Cost of one request and its whole answer on the pass-through lane, in microseconds.

usage: passage.py    (from a checkout with the development environment)

What bench.py sends is read (top level, facts, changes for a model of its own name and of another
one, splice) and searched for sealed state; what bodies.py answers is read for usage and errors, and
searched for signatures. Nothing else of a request is done. Quote the figures with the core count
and the date.
"""

import json
import timeit
from collections.abc import Callable
from typing import Any

import bench
import bodies

from trivium.wire import peek, state_refs
from trivium.wire.operation import SHAPE, Operation
from trivium.wire.registry import PASSAGES

ROWS = {
    "chat": (Operation.CHAT, bodies.chat),
    "chat, stream": (Operation.CHAT, bodies.chat),
    "messages": (Operation.MESSAGES, bodies.messages),
    "responses": (Operation.RESPONSES, bodies.responses),
    "generate": (Operation.GENERATE, bodies.generate),
    "embeddings": (Operation.EMBEDDINGS, bodies.embeddings),
}
NAME, OTHER = "bench-model", "other-model"
ROUNDS = 500


def cost(once: Callable[[], object]) -> str:
    """Microseconds; the best of several, as other load only adds."""
    return f"{min(timeit.repeat(once, number=ROUNDS, repeat=20)) / ROUNDS * 1e6:.2f}"


def measured(name: str, operation: Operation, make: Callable[[], tuple[Any, Any]]) -> list[str]:
    """The row of one operation; a dash where there is nothing to measure."""
    shape, _, stream = name.partition(", ")
    asked = json.dumps(bench.body(shape, bool(stream), NAME), separators=(",", ":")).encode()
    said = json.dumps(make()[0]).encode()
    passage = PASSAGES[operation]

    def request(upstream: str) -> bytes:
        members = peek.members(asked)
        facts = passage.facts(members)
        changes = passage.changes(members, facts, upstream, True)
        return members.splice(changes) if changes else asked

    named = shape != "generate"  # its model stands in the address
    sealed = shape != "embeddings"  # they carry no state
    return [
        cost(lambda: request(NAME)),
        cost(lambda: request(OTHER)) if named else "-",
        cost(lambda: state_refs.any_in(asked, SHAPE[operation])) if sealed else "-",
        cost(lambda: passage.answer(said)),
        cost(lambda: state_refs.native(said, SHAPE[operation])) if sealed else "-",
    ]


def main() -> None:
    columns = ("own name", "renamed", "sealed?", "answer", "signed?")
    print(f"{'':14}" + "".join(f"{column:>10}" for column in columns))
    for name, (operation, make) in ROWS.items():
        row = measured(name, operation, make)
        print(f"{name:14}" + "".join(f"{value:>10}" for value in row))


main()
