"""The input of a stored response, page by page.

Source: openai-python 3.52.0, ``responses.input_items.list``, and OpenAI's API reference, read
2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.response_store import items
from trivium.response_store.model import StoredResponse

LIMIT: Final = 20
LIMIT_MAX: Final = 100

_encode: Final = msgspec.json.Encoder().encode


def input_items(kept: StoredResponse, query: Mapping[str, str]) -> bytes:
    """One page as JSON. Raises ``Fault`` naming the parameter."""
    limit = _limit(query.get("limit"))
    order = query.get("order", "desc")
    if order not in ("asc", "desc"):
        raise _wrong("order", "asc or desc")
    rows = [items.shown(row) for row in kept.input]
    if order == "desc":
        rows.reverse()
    names = [_name(row) for row in rows]
    after = query.get("after")
    start = 0
    if after:
        if after not in names:
            raise _wrong("after", "the id of an item of this list")
        start = names.index(after) + 1
    page = rows[start : start + limit]
    return _encode(
        {
            "object": "list",
            "data": [msgspec.Raw(row) for row in page],
            "first_id": names[start] if page else None,
            "last_id": names[start + len(page) - 1] if page else None,
            "has_more": start + len(page) < len(rows),
        }
    )


def _limit(text: str | None) -> int:
    if not text:
        return LIMIT
    if text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= LIMIT_MAX:
        return int(text)
    raise _wrong("limit", f"a number from 1 to {LIMIT_MAX}")


def _name(row: bytes) -> Any:
    found = items.ids([row])
    return found[0] if found else None


def _wrong(name: str, right: str) -> Fault:
    return Fault(Kind.INVALID_VALUE, f"The parameter `{name}` must be {right}.", param=name)
