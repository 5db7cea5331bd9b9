"""Selects attachments (``opaque.py``): by their maker, by their kind, out of a caller's slot."""

from collections.abc import Iterable

from trivium.conversation.opaque import REASONING_ITEM, SLOT, WORDS, Opaque, Open, StateOrigin


def sealed_shut(text: str) -> tuple[Opaque, ...] | None:  # noqa: ARG001 - the signature of Open
    """Return ``None``: the ``Open`` of a gateway that never sealed anything."""
    return None


def opened(text: str, open_: Open) -> tuple[Opaque, ...]:
    """Attachments of a caller's slot: the envelope's, else the slot itself with no known maker."""
    if not text:
        return ()
    found = open_(text)
    return (Opaque(SLOT, text.encode()),) if found is None else found


def belonging(opaque: tuple[Opaque, ...], target: StateOrigin) -> tuple[Opaque, ...]:
    """Return the attachments that the target itself made, in their order."""
    if not opaque:  # as of most parts there are: a request may have 24,000
        return opaque
    return tuple(one for one in opaque if one.origin == target)


def first(opaque: Iterable[Opaque], kind: str) -> Opaque | None:
    """The first attachment of a kind."""
    return next((one for one in opaque if one.kind == kind), None)


def worded(opaque: tuple[Opaque, ...], text: str) -> tuple[Opaque, ...]:
    """Attachments of reasoning together with its words: signatures hold for both or for neither.

    A whole item has its own.
    """
    if not opaque or not text or opaque[0].kind == REASONING_ITEM:
        return opaque
    return (*opaque, Opaque(WORDS, text.encode(), opaque[0].origin))


def wordless(opaque: tuple[Opaque, ...]) -> tuple[tuple[Opaque, ...], str]:
    """The attachments that go back, and the words they came with; empty for none."""
    words = first(opaque, WORDS)
    if words is None:
        return opaque, ""
    return tuple(one for one in opaque if one is not words), words.data.decode("utf-8", "replace")
