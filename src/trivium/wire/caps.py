"""How much of one kind an upstream's answer may hold: beyond it the answer is a failure.

The limits are several times what any answer was seen to have. What they keep away is an upstream
whose answer is nothing but work: each part costs tens of microseconds to read and write, all of
those of one frame in one turn of the loop.
"""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.lenient import decoded

PARTS_MAX: Final = 1_024
"""Texts, thoughts, calls and pictures of one answer. Long ones of agents have two hundred."""
CITATIONS_MAX: Final = 2_048
"""Citations of one answer. A long report has some hundreds."""
CITED_OBJECTS_MAX: Final = 8 * CITATIONS_MAX
"""JSON objects and arrays in which an answer cites, where only all of them can be read: each source
and what it is cited for take five."""
PROBABILITIES_MAX: Final = 32_768
"""Probabilities of one answer, or of one frame, that are translated: of 1,500 tokens with their
twenty rivals each. More are left out, which is told."""
OBJECTS_MAX: Final = 250_000
"""JSON objects of a whole answer or of one frame that is larger than a read: probabilities of ten
thousand tokens with their twenty rivals each."""


_NOTHING: Final = frozenset({b"", b"null", b"[]"})
_rows: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def rows(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """Rows of a list; none when the member is null, absent or nonsense."""
    return [] if bytes(raw) in _NOTHING else decoded(_rows, raw) or []


def cited(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """The same of what an answer cites. Raises ``Fault`` when there are too many."""
    found = rows(raw)
    if len(found) > CITATIONS_MAX:
        raise too_many("citations", CITATIONS_MAX)
    return found


def too_many(what: str, most: int) -> Fault:
    """The fault of an answer that holds more of something than an upstream has reason to send."""
    return Fault(
        Kind.UPSTREAM_BROKE,
        f"The upstream's answer has more than {most} {what}, which is too many.",
    )
