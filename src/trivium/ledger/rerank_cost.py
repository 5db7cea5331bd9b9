"""What a rerank costs: by the search unit, by token, by request, as the model's prices say.

A search unit is a query with up to 100 documents. Where a vendor counts the parts of a long
document as documents of their own, only its answer tells how many there were: so the hold is for
as many as there can be, and the bill for what the vendor reports. Where it reports nothing, what
was sent is counted, and the bill says so.
"""

from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger.model import Quote
from trivium.ledger.tariff import Tariff
from trivium.ledger.unreported_usage import TOKEN_BYTES, is_believable
from trivium.wire.passage import RequestFacts

_SERVES: Final = frozenset({"per_search", "per_request", "input"})
_HELD_BYTES: Final = 2
"""Bytes of a text a token, at the densest that is usual, as in ``ledger/quote.py``."""


def has_price(tariff: Tariff) -> bool:
    """Whether the model has a price for ranking."""
    return not tariff.kinds.isdisjoint(_SERVES)


def quote(tariff: Tariff, facts: RequestFacts) -> Quote:
    """The highest price: as many search units and tokens as the request may come to."""
    known = facts.known or Usage()
    tokens = known.fresh * TOKEN_BYTES // _HELD_BYTES
    searches = max(facts.searches_max, known.searches or 0)
    atoms = tariff.request + searches * tariff.search + tokens * tariff.rates(tokens).input_max
    return Quote(max(1, tariff.nanos(atoms)), tariff, known.fresh)


def used(tariff: Tariff, known: Usage, reported: Usage | None) -> Usage:
    """What is charged for: reported, else counted from what was sent.

    A vendor may count one of the two and not the other: then only what the model is priced by is
    filled in.
    """
    if reported is None or not is_believable(reported):
        return msgspec.structs.replace(known, estimated=True)
    found = reported
    if tariff.search and found.searches is None:
        found = msgspec.structs.replace(found, searches=known.searches, estimated=True)
    if "input" in tariff.kinds and not found.input_total:
        found = msgspec.structs.replace(found, fresh=known.fresh, estimated=True)
    return found
