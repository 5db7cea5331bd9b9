"""Items of the responses shape as stored: read no deeper than what tells them apart.

Source: openai-python 3.52.0, ``ResponseInputItem`` and ``ResponseItemList``, read 2026-11-21.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.response_store.model import Event, References, Response, ResponseMembers, Skim
from trivium.wire import sse
from trivium.wire.checks import check

ID_CHARS_MAX: Final = 200
"""Longest id that is looked up or kept; the vendors' have some 60 characters."""


_rows: Final = msgspec.json.Decoder(list[msgspec.Raw])
_skim: Final = msgspec.json.Decoder(Skim)
_string: Final = msgspec.json.Decoder(str)
_response: Final = msgspec.json.Decoder(Response).decode
_event: Final = msgspec.json.Decoder(Event).decode
_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode

_TERMINAL: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
_PREFIXES: Final[Mapping[str, str]] = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctc",
}
"""How the vendor begins the ids of items; SDKs and servers tell kinds apart by them."""


def is_id(text: Any) -> bool:
    """Whether something can be an id at all: databases take neither NUL nor half a surrogate."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= ID_CHARS_MAX
        and text.isascii()
        and text.isprintable()
    )


_QUOTE: Final = ord('"')


def listed(raw: bytes | msgspec.Raw | None) -> list[bytes]:
    """``input`` as items, each as it came; a string is one message. Raises ``Fault``."""
    if raw is None:
        return []
    if len(raw) and memoryview(raw)[0] == _QUOTE:
        check(_string, raw, "input")
        said = {"type": "input_text", "text": msgspec.Raw(raw)}
        return [_encode({"type": "message", "role": "user", "content": [said]})]
    return [bytes(row) for row in check(_rows, raw, "input")]


def array(rows: Iterable[bytes]) -> bytes:
    """Items as one JSON array."""
    return b"[" + b",".join(rows) + b"]"


_NONE: Final = References({}, {})


def references(raw: bytes | None) -> References:
    """What ``input`` refers to. Raises ``Fault``.

    The type of a reference may be missing, and any name may be written with escapes.
    """
    # an input without ids, as most are, is not read
    if raw is None or raw.startswith(b'"') or not (b'"id"' in raw or b"\\u" in raw):
        return _NONE
    found: dict[int, str] = {}
    thoughts: dict[int, str] = {}
    for at, row in enumerate(check(_rows, raw, "input")):
        item = _glance(row)
        is_bare = item.type is None and item.role is None and item.id is not None
        if item.type == "item_reference" or is_bare:
            if not isinstance(item.id, str):
                raise Fault(
                    Kind.INVALID_TYPE,
                    f"`input[{at}].id` must be a string.",
                    param=f"input[{at}].id",
                )
            found[at] = item.id
        elif item.type == "reasoning" and isinstance(item.id, str) and _is_empty(item):
            thoughts[at] = item.id
    return References(found, thoughts)


def _is_empty(item: Skim) -> bool:
    return bytes(item.encrypted_content) in (b"", b"null", b'""')


def by_id(rows: Iterable[bytes | msgspec.Raw]) -> dict[str, bytes]:
    """Return items by their ids; of two with the same id the first."""
    found: dict[str, bytes] = {}
    for row in rows:
        name = _glance(row).id
        if is_id(name):
            found.setdefault(name, bytes(row))
    return found


def said_in(said: bytes, *, stream: bool) -> ResponseMembers | None:
    """Return the response object of a body or of a stream's last frames; ``None`` without one."""
    if not stream:
        return _said(said)
    for frame in reversed(sse.frames(said)):
        try:
            event = _event(frame.data)
        except (ValueError, RecursionError):
            continue
        if (event.type or frame.event.decode("latin-1")) in _TERMINAL:
            return _said(bytes(event.response))
    return None


def _said(raw: bytes) -> ResponseMembers | None:
    try:
        response = _response(raw)
    except (ValueError, RecursionError):
        return None
    if not is_id(response.id) or not is_id(response.status):
        return None
    return ResponseMembers(response.id, response.status, tuple(response.output), raw)


def ids(rows: Iterable[bytes | msgspec.Raw]) -> list[str]:
    """The ids that items have."""
    return [found for row in rows if is_id(found := _glance(row).id)]


def named(row: bytes, response_id: str, number: int) -> bytes:
    """An input item with an id: its own, or one made from the response's and its place."""
    item = _glance(row)
    if item.id is not None or not row.lstrip().startswith(b"{"):
        return row
    prefix = _PREFIXES.get(_kind(item), "item")
    made = f"{prefix}_{response_id.removeprefix('resp_')}i{number}"
    if b'"id"' in row:
        # clients that write out what they have not write `null`, and of two the last one counts
        row = _encode({name: raw for name, raw in _object(row).items() if name != "id"})
    # an item may be a picture of megabytes: copied once
    at = row.index(b"{") + 1
    while row[at : at + 1].isspace():
        at += 1
    comma = b"" if row.startswith(b"}", at) else b","
    return b"".join((b'{"id":', _encode(made), comma, memoryview(row)[at:]))


def history(given: Iterable[bytes], output: Iterable[msgspec.Raw]) -> list[bytes]:
    """Return the items that the next turn starts from. Calls that were cut off are left out."""
    rows = list(given)
    for row in output:
        item = _glance(row)
        if item.type not in _CALLS or item.status in (None, "completed"):
            rows.append(bytes(row))
    return rows


def shown(row: bytes) -> bytes:
    """Return an input item as callers read it: with its type, and content in parts."""
    item = _glance(row)
    if _kind(item) != "message":
        return row
    try:
        members: dict[str, Any] = dict(_object(row))
    except (ValueError, RecursionError):
        return row
    content = bytes(members.get("content", b""))
    if content.startswith(b'"'):
        kind = "output_text" if item.role == "assistant" else "input_text"
        part = {"type": kind, "text": msgspec.Raw(content)}
        if kind == "output_text":
            part |= {"annotations": []}
        members["content"] = [part]
    return _encode(members | {"type": "message"})


def _kind(item: Skim) -> str:
    kind = item.type if isinstance(item.type, str) else None
    return kind or ("message" if item.role is not None else "")


def _glance(row: bytes | msgspec.Raw) -> Skim:
    try:
        return _skim.decode(row)
    except (ValueError, RecursionError):
        return Skim()
