"""Items of the responses shape as stored: read no deeper than what tells them apart.

Source: openai-python 3.52.0, ``ResponseInputItem`` and ``ResponseItemList``, read 2026-11-21.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from trivium.faults import Fault, Kind
from trivium.response_store.model import Event, References, Response, ResponseMembers, Skim
from trivium.response_store.spooled_input import LentInput
from trivium.wire import sse
from trivium.wire.checks import check

Buffer: TypeAlias = bytes | msgspec.Raw | LentInput
Pieces: TypeAlias = tuple[Buffer, ...]
"""Bytes of one item, one after another."""

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
_BRACE: Final = ord("{")
_MESSAGE: Final = b'{"type":"message","role":"user","content":[{"type":"input_text","text":'
_MESSAGE_END: Final = b"}]}"
"""What stands around a string that is all of an input."""
_LONG_BYTES: Final = 65_536
"""An item beyond this is not copied."""


def listed(raw: bytes | msgspec.Raw | None) -> list[bytes]:
    """``input`` as items, each as it came; a string is one message. Raises ``Fault``."""
    if raw is None:
        return []
    if len(raw) and memoryview(raw)[0] == _QUOTE:
        check(_string, raw, "input")
        return [b"".join((_MESSAGE, raw, _MESSAGE_END))]
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
    made = _made_id(item, response_id, number)
    if b'"id"' in row:
        # clients that write out what they have not write `null`, and of two the last one counts
        row = _encode({name: raw for name, raw in _object(row).items() if name != "id"})
    # an item may be a picture of megabytes: copied once
    at = row.index(b"{") + 1
    while row[at : at + 1].isspace():
        at += 1
    comma = b"" if row.startswith(b"}", at) else b","
    return b"".join((b'{"id":', _encode(made), comma, memoryview(row)[at:]))


def _named_in_place(row: msgspec.Raw, response_id: str, number: int) -> tuple[Any, Pieces]:
    """The same of a long item, not copied, and its id."""
    item, view = _glance(row), memoryview(row)
    if item.id is not None or view[0] != _BRACE:
        return item.id, (row,)
    made = _made_id(item, response_id, number)
    out: list[Buffer] = [b'{"id":', _encode(made)]
    for name, raw in _object(row).items():
        if name != "id":
            out += (b",", _encode(name), b":", raw)
    return made, (*out, b"}")


def _made_id(item: Skim, response_id: str, number: int) -> str:
    prefix = _PREFIXES.get(_kind(item), "item")
    return f"{prefix}_{response_id.removeprefix('resp_')}i{number}"


def pieces(
    raw: bytes | msgspec.Raw, response_id: str, recalled: int
) -> tuple[list[str], list[Pieces]]:
    """``input`` as items that have ids, each as what is to be written one after another, and the
    ids of all but the first ``recalled``. Long items refer to ``raw``. Raises ``Fault``.
    """
    if len(raw) and memoryview(raw)[0] == _QUOTE:
        check(_string, raw, "input")
        return message(raw, response_id)
    return _named_pieces(check(_rows, raw, "input"), response_id, recalled)


def message(text: Buffer, response_id: str) -> tuple[list[str], list[Pieces]]:
    """The same of a string that was read before."""
    name = f"msg_{response_id.removeprefix('resp_')}i0"
    return [name], [(b'{"id":', _encode(name), b",", _MESSAGE[1:], text, _MESSAGE_END)]


def _named_pieces(
    rows: Iterable[msgspec.Raw], response_id: str, recalled: int
) -> tuple[list[str], list[Pieces]]:
    ids: list[str] = []
    out: list[Pieces] = []
    for at, row in enumerate(rows):
        is_long = len(row) > _LONG_BYTES
        found: Pieces = (row if is_long else bytes(row),)
        if at >= recalled:
            name: Any
            if is_long:
                name, found = _named_in_place(row, response_id, at)
            else:
                whole = named(bytes(row), response_id, at)
                name, found = _glance(whole).id, (whole,)
            if is_id(name):
                ids.append(name)
        out.append(found)
    return ids, out


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
