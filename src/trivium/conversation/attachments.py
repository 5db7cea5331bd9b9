"""What is done with attachments (``opaque.py``): whose they are, and what a slot holds."""

from collections.abc import Iterable

from trivium.conversation.opaque import SLOT, Opaque, Open, Origin


def sealed_shut(text: str) -> tuple[Opaque, ...] | None:  # noqa: ARG001 - the signature of Open
    """The ``Open`` of a gateway that never sealed anything."""
    return None


def opened(text: str, open_: Open) -> tuple[Opaque, ...]:
    """Attachments of a caller's slot: the envelope's, else the slot itself with no known maker."""
    if not text:
        return ()
    found = open_(text)
    return (Opaque(SLOT, text.encode()),) if found is None else found


def belonging(opaque: Iterable[Opaque], target: Origin) -> tuple[Opaque, ...]:
    """Those that the target itself made, in their order."""
    return tuple(one for one in opaque if one.origin == target)


def first(opaque: Iterable[Opaque], kind: str) -> Opaque | None:
    """The first attachment of a kind."""
    return next((one for one in opaque if one.kind == kind), None)
