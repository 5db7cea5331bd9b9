"""The responses shape of llama.cpp's server, made what the official SDKs read.

Its stream lacks ``sequence_number``, ``output_index`` and ``content_index``, most members of the
response object, ``logprobs``, and ``function_call_arguments.done``; its ``status`` is ``completed``
even when the answer was cut by ``max_output_tokens``. The ``responses.stream()`` helpers of
openai-python and openai-node stop at the first of these. Every member the engine does send stays.
An answer whose first token is a part of a character lacks ``response.created`` or the event that
opens its item as well.

Numbers are ours from the first event on: where an event is added, the engine's own would repeat.
Members that the engine neither echoes nor knows are null or the protocol's default.

Source: llama.cpp's server in xllamacpp 2026.10.11549, recorded 2026-11-21; what clients insist on:
openai-python 3.52.0 and AI SDK 7 run on 2026-11-21.
"""

from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode

_TERMINAL: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_LIVING: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
_TEXTS: Final = frozenset({"response.output_text.delta", "response.output_text.done"})
_CONTENT: Final = _TEXTS | {
    "response.refusal.delta",
    "response.refusal.done",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.content_part.added",
    "response.content_part.done",
}
_ARGUMENTS: Final = "response.function_call_arguments"
_WITHIN: Final = (_ARGUMENTS, "response.reasoning_summary")


class Events:
    """Rewrites one stream, event by event. One object per answer."""

    __slots__ = (
        "_arguments",
        "_at",
        "_done",
        "_items",
        "_last",
        "_limit",
        "_model",
        "_parts",
        "_seq",
    )

    def __init__(self, *, model: str, limit: int | None, at: int) -> None:
        self._model = model
        self._limit = limit
        self._at = at
        self._seq = 0
        self._items: dict[str, int] = {}
        self._last = ""
        self._parts: dict[str, int] = {}
        self._arguments: set[str] = set()
        self._done: dict[int, dict[str, Any]] = {}

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
        return [self._numbered(found) for found in self._events(event)]

    def _numbered(self, event: dict[str, Any]) -> tuple[bytes, bytes]:
        event["sequence_number"] = self._seq
        self._seq += 1
        return event["type"].encode(), _encode(event)

    def _events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        kind = event["type"]
        missing = self._missing(kind, event)
        if not self._seq and (missing or kind in _TERMINAL):
            missing.insert(0, self._opening(event))
        return missing + self._given(kind, event)

    def _missing(self, kind: str, event: dict[str, Any]) -> list[dict[str, Any]]:
        """What should have opened the item that this event is about, if nothing has yet."""
        if self._items:
            return []
        if kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            item = event["item"]
            opened = {**item, "content": []} if item.get("type") == "message" else {**item}
            return [self._added({"type": "response.output_item.added", "item": opened})]
        if kind not in _CONTENT:
            return []
        message: dict[str, Any] = {"type": "message", "role": "assistant", "content": []}
        if event.get("item_id"):
            message["id"] = event["item_id"]
        out = [self._added({"type": "response.output_item.added", "item": message})]
        if kind in _TEXTS:
            part = {"type": "output_text", "text": ""}
            opening: dict[str, Any] = {"type": "response.content_part.added", "part": part}
            self._inside("response.content_part.added", opening)
            out.append(opening)
        return out

    def _given(self, kind: str, event: dict[str, Any]) -> list[dict[str, Any]]:
        if kind in _LIVING or kind in _TERMINAL:
            return [self._life(event)]
        if kind == "response.output_item.added":
            return [self._added(event)]
        if kind == "response.output_item.done":
            return self._item_done(event)
        if "item_id" in event or kind in _CONTENT or kind.startswith(_WITHIN):
            self._inside(kind, event)
        return [event]

    def _opening(self, event: dict[str, Any]) -> dict[str, Any]:
        """The first event, which was not sent, with what the last one knows of the response."""
        known = event.get("response")
        names = ("id", "created_at", "model")
        given = {n: known[n] for n in names if n in known} if isinstance(known, dict) else {}
        return self._life({"type": "response.created", "response": given})

    def _life(self, event: dict[str, Any]) -> dict[str, Any]:
        known = event.get("response")
        response = whole(known if isinstance(known, dict) else {}, model=self._model, at=self._at)
        if event["type"] in _TERMINAL:
            if not response["output"]:
                response["output"] = [self._done[index] for index in sorted(self._done)]
            if cut(response, self._limit):
                event["type"] = "response.incomplete"
        event["response"] = response
        return event

    def _added(self, event: dict[str, Any]) -> dict[str, Any]:
        item = event.get("item")
        if not isinstance(item, dict):
            return event
        index = len(self._items)
        self._last = item.setdefault("id", f"item_{index}")
        self._items[self._last] = index
        _complete_item(item, "in_progress")
        event["output_index"] = index
        return event

    def _item_done(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        item = event.get("item")
        if not isinstance(item, dict):
            return [event]
        if item.get("id") not in self._items:
            item["id"] = self._last
        index = self._items.get(item["id"], 0)
        _complete_item(item, "completed")
        self._done[index] = item
        event["output_index"] = index
        if item.get("type") != "function_call" or item["id"] in self._arguments:
            return [event]
        return [
            {
                "type": f"{_ARGUMENTS}.done",
                "item_id": item["id"],
                "output_index": index,
                "name": item.get("name", ""),
                "arguments": item["arguments"],
            },
            event,
        ]

    def _inside(self, kind: str, event: dict[str, Any]) -> None:
        """An event within an item: where it is, and what its part needs."""
        item_id = event.get("item_id")
        if item_id not in self._items:
            item_id = self._last
        event["item_id"] = item_id
        event["output_index"] = self._items.get(item_id, 0)
        if kind == "response.content_part.added":
            self._parts[item_id] = event["content_index"] = self._parts.get(item_id, -1) + 1
        elif kind in _CONTENT:
            event.setdefault("content_index", max(self._parts.get(item_id, 0), 0))
        elif kind == f"{_ARGUMENTS}.done":
            self._arguments.add(item_id)
        elif kind.startswith("response.reasoning_summary"):
            event.setdefault("summary_index", 0)
        if kind in _TEXTS:
            event.setdefault("logprobs", [])
        part = event.get("part")
        if isinstance(part, dict):
            _complete_part(part)


def whole(response: dict[str, Any], *, model: str, at: int) -> dict[str, Any]:
    """A response object with every member that clients read without looking."""
    out: dict[str, Any] = {
        "id": "",
        "object": "response",
        "created_at": at,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "usage": None,
    } | response
    if not isinstance(out["output"], list):
        out["output"] = []
    for item in out["output"]:
        if isinstance(item, dict):
            _complete_item(item, "completed")
    usage = out["usage"]
    if isinstance(usage, dict):
        _details(usage, "input_tokens_details", ("cached_tokens", "cache_write_tokens"))
        _details(usage, "output_tokens_details", ("reasoning_tokens",))
    return out


def cut(response: dict[str, Any], limit: int | None) -> bool:
    """Mark ``response`` as incomplete when it used up the request's own limit.

    An answer that ended by itself on its very last allowed token is marked too: the engine says
    nothing that would tell them apart.
    """
    usage = response["usage"]
    if limit is None or response["status"] != "completed" or not isinstance(usage, dict):
        return False
    used = usage.get("output_tokens")
    if not isinstance(used, int) or used < limit:
        return False
    response["status"] = "incomplete"
    response["incomplete_details"] = {"reason": "max_output_tokens"}
    return True


def answer(body: bytes, *, model: str, limit: int | None, at: int) -> bytes:
    """A whole, unstreamed answer made complete; what is no response object stays as it is."""
    try:
        response = _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    if not isinstance(response, dict) or response.get("object") != "response":
        return body
    response = whole(response, model=model, at=at)
    if cut(response, limit) and response["output"]:
        last = response["output"][-1]
        if isinstance(last, dict):
            last["status"] = "incomplete"
    return _encode(response)


def _complete_item(item: dict[str, Any], status: str) -> None:
    kind = item.get("type")
    if kind == "message":
        item.setdefault("role", "assistant")
        item.setdefault("content", [])
        for part in item["content"] if isinstance(item["content"], list) else ():
            if isinstance(part, dict):
                _complete_part(part)
    elif kind == "function_call":
        item.setdefault("arguments", "")
        item.setdefault("call_id", item.get("id", ""))
    elif kind == "reasoning":
        item.setdefault("summary", [])
    item.setdefault("status", status)


def _complete_part(part: dict[str, Any]) -> None:
    if part.get("type") == "output_text":
        part.setdefault("text", "")
        part.setdefault("annotations", [])
        part.setdefault("logprobs", [])


def _details(usage: dict[str, Any], name: str, counts: tuple[str, ...]) -> None:
    known = usage.get(name)
    usage[name] = dict.fromkeys(counts, 0) | (known if isinstance(known, dict) else {})
