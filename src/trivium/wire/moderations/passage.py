"""The moderations operation on the pass-through lane; it never streams."""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import whole
from trivium.wire.moderations.request import changes, facts
from trivium.wire.passage import Answer, Passage


class _Result(msgspec.Struct, gc=False):
    flagged: bool


class _Results(msgspec.Struct, gc=False):
    results: list[_Result]


_decode: Final = msgspec.json.Decoder(_Results).decode


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content.

    An answer without a verdict is none: whoever asks whether any result is flagged would take it
    for a clean bill.
    """
    found = whole.answer(body, "results")
    if found.error is None:
        try:
            told = _decode(body)
        except (ValueError, RecursionError):
            told = _Results([])
        if not told.results:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream's answer has no result.")
    return found


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer)
