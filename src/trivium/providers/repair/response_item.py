"""One output item of a streamed response: what has been said of it, and what it still lacks.

The protocol opens an item and a part, sends deltas, closes the part and then the item, and each
closing event has the whole text again. llama.cpp's server leaves some of these events out.
"""

from typing import Any, Final, TypeAlias, TypeGuard

from trivium.providers.repair.responses import complete_item, complete_part

Event: TypeAlias = dict[str, Any]

ARGUMENTS: Final = "response.function_call_arguments"
PART_ADDED: Final = "response.content_part.added"
PART_DONE: Final = "response.content_part.done"

_TEXT: Final = {"output_text": "text", "refusal": "refusal", "reasoning_text": "text"}
"""The member that holds a part's text, by the part's type."""


def part_of(event: Event) -> str:
    """The type of the part that an event is about; empty where it is about none."""
    kind: str = event["type"]
    if kind in (PART_ADDED, PART_DONE):
        part = event.get("part")
        return part["type"] if _typed(part) else "output_text"
    name = kind.removeprefix("response.").partition(".")[0]
    return name if name in _TEXT else ""


class RepairedItem:
    """An item that has been opened, and is closed once."""

    __slots__ = ("_argued", "_arguments", "_parts", "body", "closed", "id", "index", "kind")

    def __init__(self, body: Event, index: int) -> None:
        self.id: str = body["id"]
        self.kind = body.get("type")
        self.index = index
        """Its place in the output."""
        self.body = body
        """As it was opened, then as it was closed."""
        self.closed = False
        self._parts: list[_Part] = []
        self._arguments: list[str] = []
        self._argued = False

    def inside(self, event: Event) -> list[Event]:
        """``event`` with its place, after whatever should have come before it."""
        kind = event["type"]
        event |= {"item_id": self.id, "output_index": self.index}
        if kind.startswith(ARGUMENTS):
            return self._argue(kind, event)
        if part_of(event):
            return self._in_part(kind, event)
        if kind.startswith("response.reasoning_summary"):
            event.setdefault("summary_index", 0)
        return [event]

    def close(self, final: Event, status: str) -> list[Event]:
        """The events that end the item, its own last; ``final`` is what the engine says of it."""
        out: list[Event] = []
        if self.kind in ("message", "reasoning"):
            content = final.get("content")
            given = [part for part in content if _typed(part)] if isinstance(content, list) else []
            for unsaid in given[len(self._parts) :]:
                out += self._whole(unsaid)
            for index, part in enumerate(self._parts):
                out += part.close(given[index] if index < len(given) else {})
            if not given and self._parts:
                final = {**final, "content": [part.body for part in self._parts]}
        elif self.kind == "function_call":
            arguments = _text(final.get("arguments")) or "".join(self._arguments)
            out += self._end_call(arguments)
            final = {**final, "arguments": arguments}
        self.closed = True
        self.body = {**self.body, "status": status, **final, "id": self.id, "type": self.kind}
        complete_item(self.body, status)
        ended = {"type": "response.output_item.done", "output_index": self.index}
        return [*out, {**ended, "item": self.body}]

    def _argue(self, kind: str, event: Event) -> list[Event]:
        if kind == f"{ARGUMENTS}.done":
            if self._argued or self.closed:
                return []
            self._argued = True
            whole = "".join(self._arguments)
            self._arguments = [_text(event.setdefault("arguments", whole))]
        else:
            self._arguments.append(_text(event.get("delta")))
        return [event]

    def _end_call(self, arguments: str) -> list[Event]:
        """A call's whole arguments, unless the engine has said them itself."""
        if self._argued:
            return []
        place = {"item_id": self.id, "output_index": self.index}
        done = {"type": f"{ARGUMENTS}.done", **place, "name": self.body.get("name", "")}
        out = [{**done, "arguments": arguments}]
        if arguments and not any(self._arguments):
            out.insert(0, {"type": f"{ARGUMENTS}.delta", **place, "delta": arguments})
        return out

    def _in_part(self, kind: str, event: Event) -> list[Event]:
        """An event of a part, which is opened first if none of its type is open."""
        if kind == PART_ADDED:
            return self._add(event)
        wanted = part_of(event)
        part = self._parts[-1] if self._parts else None
        if part is not None and (part.kind == wanted or self.closed):
            return part.inside(kind, event)
        if self.closed:
            return []
        out = self._open(wanted)
        return [*out, *self._parts[-1].inside(kind, event)]

    def _open(self, kind: str) -> list[Event]:
        place = {"item_id": self.id, "output_index": self.index}
        part = {"type": kind, _TEXT.get(kind, "text"): ""}
        return self._add({"type": PART_ADDED, **place, "part": part})

    def _add(self, event: Event) -> list[Event]:
        """A part begins, and with it the one before ends."""
        if self.closed:
            return []
        out = self._parts[-1].close({}) if self._parts else []
        part = event.get("part")
        body = {"type": part_of(event)} | (part if isinstance(part, dict) else {})
        complete_part(body)
        place = {"item_id": self.id, "output_index": self.index, "content_index": len(self._parts)}
        self._parts.append(_Part({**body}, place))
        return [*out, {**event, **place, "part": body}]

    def _whole(self, final: Event) -> list[Event]:
        """A part of which nothing was streamed."""
        kind = final["type"]
        out = self._open(kind)
        text = _text(final.get(_TEXT.get(kind, "text")))
        if not text or kind not in _TEXT:
            return out
        place = {"item_id": self.id, "output_index": self.index}
        name = f"response.{kind}.delta"
        return [*out, *self._parts[-1].inside(name, {"type": name, **place, "delta": text})]


class _Part:
    """A part of an item's content, and the text it has so far."""

    __slots__ = ("_closed", "_member", "_pieces", "_place", "_texted", "body", "kind")

    def __init__(self, body: Event, place: Event) -> None:
        self.body = body
        """As it was opened, then as it was closed; between these without what ``_pieces`` has."""
        if isinstance(body.get("annotations"), list):
            body["annotations"] = [*body["annotations"]]  # grows, and the one opened does not
        self._pieces: list[str] = []
        self.kind: str = body["type"]
        self._place = place
        self._member = _TEXT.get(self.kind, "")
        self._texted = False
        self._closed = False

    def inside(self, kind: str, event: Event) -> list[Event]:
        """The event with its place; none where it ends what has ended."""
        event |= self._place
        if kind == PART_DONE:
            return self.close(event["part"]) if isinstance(event.get("part"), dict) else []
        if self.kind == "output_text" and kind.startswith("response.output_text.d"):
            event.setdefault("logprobs", [])
        if kind.endswith(".delta"):
            self._pieces.append(_text(event.get("delta")))
        elif kind.endswith(".done"):
            return self._end_text(event) if not self._texted else []
        elif kind.endswith(".annotation.added"):
            self._cite(event.get("annotation"))
        return [event]

    def _cite(self, annotation: object) -> None:
        known = self.body.get("annotations")
        if isinstance(known, list):
            known.append(annotation)
        else:
            self.body["annotations"] = [annotation]

    def _put_together(self) -> None:
        """Have the body hold all text that came: joined once, not at every delta."""
        if self._pieces:
            whole = "".join([_text(self.body.get(self._member)), *self._pieces])
            self.body[self._member] = whole
            self._pieces = []

    def close(self, final: Event) -> list[Event]:
        """The events that end it, with the engine's own last word."""
        if self._closed:
            return []
        self._put_together()
        out: list[Event] = []
        if self._member and not self._texted:
            text = _text(final.get(self._member)) or _text(self.body.get(self._member))
            done = {"type": f"response.{self.kind}.done", **self._place, self._member: text}
            if self.kind == "output_text":
                done["logprobs"] = []
            out = self._end_text(done)
        said = {self._member: self.body[self._member]} if self._member else {}
        self.body = {**self.body, **final, **said, "type": self.kind}
        complete_part(self.body)
        self._closed = True
        return [*out, {"type": PART_DONE, **self._place, "part": {**self.body}}]

    def _end_text(self, event: Event) -> list[Event]:
        self._texted = True
        self._put_together()
        self.body[self._member] = event.setdefault(self._member, self.body.get(self._member, ""))
        return [event]


def _typed(part: Any) -> TypeGuard[Event]:
    return isinstance(part, dict) and isinstance(part.get("type"), str)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
