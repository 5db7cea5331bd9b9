"""Lists of models as vendors write them: the names, and what stands beside each. Pure.

OpenAI-shaped vendors answer ``{"data": [{"id"}]}`` in one piece, some the bare list; Anthropic the
same with ``has_more`` and ``last_id``; Google ``{"models": [{"name": "models/NAME"}]}`` with
``nextPageToken``; Cohere ``{"models": [{"name"}]}`` with ``next_page_token``. Sources: openai 3.52
(``pagination.SyncPage``), anthropic 2.11 (``pagination.SyncPage``), google-genai 3.4
(``ListModelsResponse``), cohere 7.3 (``ListModelsResponse``), read on 2026-11-28.
"""

from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from trivium.wire import json_size

OBJECTS_MAX: Final = 200_000
"""Objects and arrays of one page; a list of 400 models with prices and endpoints has 4,000."""
NAME_CHARS_MAX: Final = 200
_PAGE: Final = 1000
"""Models asked for on one page, the most that Anthropic and Google give."""


class VendorEntry(NamedTuple):
    """One model of a list."""

    name: str
    raw: msgspec.Raw
    """The whole entry."""


class VendorPage(NamedTuple):
    """What one answer lists, and where the rest is."""

    entries: tuple[VendorEntry, ...]
    unread: int
    """Entries without a name that can be one."""
    more: str | None
    """The query of the next page, to be added; ``None``: this was the last."""


class ModelListError(ValueError):
    """An answer that is no list of models; the message says why."""


class _Page(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw(b"null")
    models: msgspec.Raw = msgspec.Raw(b"null")
    has_more: Any = None
    last_id: Any = None
    next_google: Any = msgspec.field(default=None, name="nextPageToken")
    next_cohere: Any = msgspec.field(default=None, name="next_page_token")


class _Entry(msgspec.Struct):
    id: Any = None
    name: Any = None


_page: Final = msgspec.json.Decoder(_Page).decode
_raws: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_entry: Final = msgspec.json.Decoder(_Entry).decode


def read_page(body: bytes) -> VendorPage:
    """What an answer lists. Raises ``ModelListError``."""
    if json_size.exceeds(body, OBJECTS_MAX):
        raise ModelListError(f"it has more than {OBJECTS_MAX:,} objects")
    try:
        if body.lstrip()[:1] == b"[":
            page, listed = _Page(), _raws(body)
        else:
            page = _page(body)
            listed = _rows(page)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ModelListError(f"it is no list of models: {error!s:.200}") from None
    entries: list[VendorEntry] = []
    for raw in listed:
        name = _name(raw)
        if name is not None:
            entries.append(VendorEntry(name, raw))
    return VendorPage(tuple(entries), len(listed) - len(entries), _more(page))


def _rows(page: _Page) -> list[msgspec.Raw]:
    for member in (page.data, page.models):
        raw = bytes(member)
        if raw != b"null":
            return _raws(raw)
    raise ModelListError("it has neither data nor models")


def _name(raw: msgspec.Raw) -> str | None:
    try:
        found = _entry(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        return None
    said = found.name if found.id is None else found.id
    if not isinstance(said, str):
        return None
    name = said.removeprefix("models/")
    return name if 0 < len(name) <= NAME_CHARS_MAX and name.isprintable() else None


def _more(page: _Page) -> str | None:
    """What leads to the next page, as the vendors' SDKs ask for it."""
    if page.has_more is True and _is_cursor(page.last_id):
        return urlencode({"limit": _PAGE, "after_id": page.last_id})
    if _is_cursor(page.next_google):
        return urlencode({"pageSize": _PAGE, "pageToken": page.next_google})
    if _is_cursor(page.next_cohere):
        return urlencode({"page_size": _PAGE, "page_token": page.next_cohere})
    return None


def _is_cursor(said: Any) -> bool:
    return isinstance(said, str) and 0 < len(said) <= 2_000
