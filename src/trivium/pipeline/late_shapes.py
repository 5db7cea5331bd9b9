"""What a cloud's own callers take is imported beside the loop, when the first of a kind comes.

A gateway with channels of that cloud has it from its start; one without, none of it until somebody
speaks so (``wire/late_rows.py``). Then it takes 10 to 50 ms, which are the first caller's to wait
for and nobody else's: a thread that imports lets go of the interpreter every 5 ms.
"""

import asyncio
from importlib import import_module
from typing import Final

from trivium.wire import registry
from trivium.wire.operation import SHAPE, Operation, Shape
from trivium.wire.surface import FRAMED, Surface

OPERATIONS: Final = frozenset(registry.LATE_PASSAGES)
"""Those of which something is imported late."""

_here: Final[set[Operation | Surface]] = {Surface.OWN}


def is_here(what: Operation | Surface) -> bool:
    """Whether all has been imported that its callers need."""
    return what in _here


async def bring(what: Operation | Surface) -> None:
    """Import it. Raises ``ImportError`` or so, and then the next caller tries again."""
    await asyncio.to_thread(_bring, what)
    _here.add(what)


def _bring(what: Operation | Surface) -> None:
    if isinstance(what, Surface):
        import_module("trivium.pipeline.surface")
        is_amazons = what in FRAMED
    else:
        registry.prepare((what,))
        is_amazons = SHAPE[what] is Shape.CONVERSE
    if is_amazons:  # how its clients are answered
        import_module("trivium.pipeline.framed_attempt")
        import_module("trivium.wire.aws_errors")
