"""The responses stream of llama.cpp's server, brought into the order that the official SDKs read.

Its events lack ``sequence_number``, ``output_index`` and ``content_index``, most members of the
response object, ``logprobs``, ``function_call_arguments.done`` and the part that reasoning stands
in; every item is closed at the very end, however many were opened. Where a token is only a part of
a character (most emoji) it says ``response.created`` and ``response.in_progress`` again before the
next delta: openai-node then forgets the items it has and fails with "missing output at index 0". A
stream of which no token is a whole character has nothing but its last event.

What comes out is always: created, in_progress, then one item after the other, opened, filled and
closed, then one terminal event whose output is the items that were closed. Numbers are ours from
the first event on, because added events shift the engine's own. Members that the engine sends stay.

Source: llama.cpp's server in xllamacpp 2026.10.11549, recorded 2026-11-21; what clients insist on:
openai-python 3.52.0, openai-node 6 and 7 and AI SDK 7, run on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.providers.repair.response_item import ARGUMENTS, Event, RepairedItem, part_of
from trivium.providers.repair.responses import complete_item, cut, whole

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode

CREATED: Final = "response.created"
WORKING: Final = "response.in_progress"
ITEM_ADDED: Final = "response.output_item.added"
ITEM_DONE: Final = "response.output_item.done"
_LIVING: Final = frozenset({CREATED, "response.queued", WORKING})
_TERMINAL: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_SUMMARY: Final = "response.reasoning_summary"


class Events:
    """Rewrites one stream, event by event. One object per answer."""

    __slots__ = (
        "_at",
        "_ended",
        "_id",
        "_ids",
        "_items",
        "_limit",
        "_model",
        "_open_items",
        "_said",
        "_seq",
    )

    def __init__(self, *, model: str, limit: int | None, at: int) -> None:
        self._model = model
        self._limit = limit
        self._at = at
        self._seq = 0
        self._id = ""
        self._said: set[str] = set()
        self._items: list[RepairedItem] = []
        self._ids: dict[str, RepairedItem] = {}
        self._open_items: list[RepairedItem] = []
        """Those that nothing has closed since all others were."""
        self._ended = False

    def rewrite(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """(event name, data) of what becomes of one frame's data; other content stays as it is."""
        if data == b"[DONE]":
            return []  # the protocol ends with its terminal event
        try:
            event = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return [(b"", data)]
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            return [(b"", data)]
        return [] if self._ended else [self._numbered(found) for found in self._events(event)]

    def _numbered(self, event: Event) -> tuple[bytes, bytes]:
        event["sequence_number"] = self._seq
        self._seq += 1
        return event["type"].encode(), _encode(event)

    def _events(self, event: Event) -> list[Event]:
        kind = event["type"]
        if kind in _LIVING:
            return self._live(event)
        if kind in _TERMINAL:
            return self._end(event)
        if kind in (ITEM_ADDED, ITEM_DONE):
            if not isinstance(event.get("item"), dict):
                return [event]
            opened = self._added(event) if kind == ITEM_ADDED else self._done(event)
        elif "item_id" in event or _belongs(event):
            opened = self._inside(event)
        else:
            return [event]
        return [*self._begun({}), *opened]

    def _live(self, event: Event) -> list[Event]:
        """An event of the response's life before its end, unless it comes too late to be true."""
        kind = event["type"]
        if self._items or (kind == CREATED and CREATED in self._said):
            return []
        out = [] if kind == CREATED else self._begun(event, until=CREATED)
        self._said.add(kind)
        return [*out, self._of_response(event)]

    def _begun(self, event: Event, until: str = WORKING) -> list[Event]:
        """The first events, where they were not sent, with what this one knows of the response."""
        known = event.get("response")
        names = ("id", "created_at", "model")
        given = {n: known[n] for n in names if n in known} if isinstance(known, dict) else {}
        out = []
        for kind in (CREATED, WORKING) if until == WORKING else (CREATED,):
            if kind not in self._said:
                self._said.add(kind)
                out.append(self._of_response({"type": kind, "response": {**given}}))
        return out

    def _of_response(self, event: Event) -> Event:
        known = event.get("response")
        response = whole(known if isinstance(known, dict) else {}, model=self._model, at=self._at)
        # clients check that it is the same in all events, and the first may have been made here
        response["id"] = self._id = self._id or response["id"] or f"resp_{self._at:x}"
        event["response"] = response
        return event

    def _end(self, event: Event) -> list[Event]:
        """The terminal event, after whatever is still open or was never said."""
        out = self._begun(event)
        self._of_response(event)
        response = event["response"]
        for index, final in enumerate(response["output"]):
            if isinstance(final, dict):
                out += self._closed(self._known(final, index), final)
        status = event["type"].removeprefix("response.")
        if response["status"] == "in_progress":
            response["status"] = status  # it was not said
        out += self._close_all("completed" if status == "completed" else "incomplete")
        response["output"] = [item.body for item in self._items]
        if cut(response, self._limit):
            event["type"] = "response.incomplete"
        self._ended = True
        return [*out, event]

    def _known(self, final: Event, index: int) -> RepairedItem | None:
        """The item that stands at this place of the final output."""
        named = self._by_id(final.get("id"))
        if named is not None or index >= len(self._items):
            return named
        item = self._items[index]
        return item if item.kind == final.get("type") else None

    def _added(self, event: Event) -> list[Event]:
        """An item begins, and with it all others end."""
        item = event["item"]
        if self._by_id(item.get("id")) is not None:
            return []
        out = self._close_all("completed")
        index = len(self._items)
        if not isinstance(item.get("id"), str):
            item["id"] = f"item_{index}"
        complete_item(item, "in_progress")
        made = RepairedItem({**item}, index)
        self._items.append(made)
        self._ids.setdefault(made.id, made)
        self._open_items.append(made)
        return [*out, {**event, "output_index": index, "item": item}]

    def _done(self, event: Event) -> list[Event]:
        final = event["item"]
        item = self._by_id(final.get("id")) or self._open(final.get("type"))
        return self._closed(item, final)

    def _closed(self, item: RepairedItem | None, final: Event) -> list[Event]:
        """An item ends as ``final``; it is opened first if nobody has heard of it."""
        out: list[Event] = []
        if item is None:
            out = self._added({"type": ITEM_ADDED, "item": _empty(final)})
            item = self._items[-1]
        return out if item.closed else [*out, *item.close(final, "completed")]

    def _close_all(self, status: str) -> list[Event]:
        found, self._open_items = self._open_items, []
        return [e for item in found if not item.closed for e in item.close({}, status)]

    def _inside(self, event: Event) -> list[Event]:
        """An event within an item, which is opened first if nobody has heard of it."""
        item = self._by_id(event.get("item_id")) or self._open(_owner(event))
        out: list[Event] = []
        if item is None:
            body = {"type": _owner(event), "id": event.get("item_id"), "role": "assistant"}
            if body["type"] != "message":
                del body["role"]
            out = self._added({"type": ITEM_ADDED, "item": body})
            item = self._items[-1]
        return [*out, *item.inside(event)]

    def _by_id(self, name: Any) -> RepairedItem | None:
        return self._ids.get(name) if isinstance(name, str) else None

    def _open(self, kind: Any) -> RepairedItem | None:
        """The open item, if it is of this type."""
        item = self._items[-1] if self._items else None
        return item if item is not None and not item.closed and item.kind == kind else None


def _belongs(event: Event) -> bool:
    """Whether an event that names no item is about one."""
    return bool(part_of(event)) or event["type"].startswith((ARGUMENTS, _SUMMARY))


def _owner(event: Event) -> str:
    """The type of the item that an event is within."""
    kind: str = event["type"]
    if kind.startswith(ARGUMENTS):
        return "function_call"
    reasons = kind.startswith(_SUMMARY) or part_of(event) == "reasoning_text"
    return "reasoning" if reasons else "message"


def _empty(final: Event) -> Event:
    """An item as it begins, made of how it ends."""
    begun = {**final, "status": "in_progress"}
    if "content" in begun:
        begun["content"] = []
    if final.get("type") == "function_call":
        begun["arguments"] = ""
    return begun
