"""Sums of what a model wrote, by the shape of its answer: texts, shown reasoning, what calls are
given, code that the vendor runs. ``output_count.py`` has the bytes that are read here.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from trivium.wire.lenient import objects_of
from trivium.wire.operation import Shape

_DEPTH_MAX: Final = 16
_encode: Final = msgspec.json.Encoder().encode

_GROWN, _CLOSED, _ITEM, _WHOLE = range(4)
"""What tells of a text: a piece of it, the event that closes it, its item, the whole answer."""


class OutputCount:
    """Bytes of UTF-8 that a model wrote; and what it made besides."""

    __slots__ = ("pictures", "reasoning", "sound", "text")

    def __init__(
        self, text: int = 0, reasoning: int = 0, pictures: int = 0, sound: int = 0
    ) -> None:
        """``sound``: characters of base64."""
        self.text = text
        self.reasoning = reasoning
        self.pictures = pictures
        self.sound = sound


class OutputTally:
    """Sums over the objects of an answer, apart for each way to tell of a text."""

    __slots__ = ("pictures", "reasoning", "sound", "text")

    def __init__(self) -> None:
        self.text = [0, 0, 0, 0]
        self.reasoning = [0, 0, 0, 0]
        self.pictures = self.sound = 0

    def add(self, other: "OutputTally", much: int = 1, little: int = 1) -> None:
        """Add ``much`` by ``little`` times another; of whole answers the longer one counts."""
        for kind in (_GROWN, _CLOSED, _ITEM):
            self.text[kind] += other.text[kind] * much // little
            self.reasoning[kind] += other.reasoning[kind] * much // little
        self.whole(other.text[_WHOLE], other.reasoning[_WHOLE])
        self.pictures += other.pictures * much // little
        self.sound += other.sound * much // little

    def whole(self, text: int, reasoning: int) -> None:
        """An answer as a whole, which may grow from one telling to the next."""
        if text + reasoning > self.text[_WHOLE] + self.reasoning[_WHOLE]:
            self.text[_WHOLE], self.reasoning[_WHOLE] = text, reasoning

    def found(self) -> OutputCount:
        """By the way that tells most."""
        best = max(range(4), key=lambda kind: self.text[kind] + self.reasoning[kind])
        return OutputCount(self.text[best], self.reasoning[best], self.pictures, self.sound)


# --- sizes ----------------------------------------------------------------------------------------


def _size(value: Any) -> int:
    """Bytes of a text; 0 of anything else."""
    if not isinstance(value, str):
        return 0
    return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))


def _given(value: Any) -> int:
    """Bytes of what a call is given, as a text or as an object: a call has at least ``{}``."""
    if isinstance(value, str):
        return _size(value)
    if value is None:
        return 0
    try:
        return len(_encode(value))
    except (ValueError, RecursionError):
        return 0


def _texts(value: Any, depth: int = 0) -> int:
    """Bytes of a text, or of those in a list of parts."""
    if isinstance(value, str):
        return _size(value)
    if depth > _DEPTH_MAX:
        return 0
    if isinstance(value, list):
        return sum(_texts(one, depth + 1) for one in value)
    if isinstance(value, dict):
        names = ("text", "refusal", "summary", "content", "thinking")
        return sum(_texts(value.get(name), depth + 1) for name in names)
    return 0


# --- chat and completions -------------------------------------------------------------------------


def _chat(objects: Iterable[Any], count: OutputTally) -> None:
    for chunk in objects:
        if not isinstance(chunk, dict):
            continue
        text = reasoning = 0
        for choice in objects_of(chunk.get("choices")):
            delta, message = choice.get("delta"), choice.get("message")
            if isinstance(delta, dict):
                said, thought = _message(delta, count)
                count.text[_GROWN] += said + _size(choice.get("text"))
                count.reasoning[_GROWN] += thought
            else:
                count.text[_GROWN] += _size(choice.get("text"))
            if isinstance(message, dict):
                said, thought = _message(message, count if delta is None else OutputTally())
                text += said
                reasoning += thought
        count.whole(text, reasoning)


def _message(message: dict[str, Any], count: OutputTally) -> tuple[int, int]:
    """Bytes of text and of reasoning in a message or a piece of one."""
    get = message.get
    # some vendors say the same reasoning in two members, for old clients and new ones
    thought = max(_texts(get(name)) for name in _THOUGHTS)
    said = _size(get("refusal"))
    content = get("content")
    if isinstance(content, list):
        for part in objects_of(content):
            if "thinking" in part:
                thought += _texts(part["thinking"])
            else:
                said += _texts(part)
                count.pictures += part.get("type") == "image_url"
    else:
        said += _size(content)
    count.pictures += len(objects_of(get("images")))
    for call in objects_of(get("tool_calls")):
        function, custom = call.get("function"), call.get("custom")
        if isinstance(function, dict):
            said += _given(function.get("arguments")) or (2 if function.get("name") else 0)
        if isinstance(custom, dict):
            said += _size(custom.get("input"))
    function = get("function_call")
    if isinstance(function, dict):
        said += _given(function.get("arguments"))
    audio = get("audio")
    if isinstance(audio, dict):
        said += _size(audio.get("transcript"))
        count.sound += _size(audio.get("data"))
    return said, thought


_THOUGHTS: Final = ("reasoning_content", "reasoning", "reasoning_details")


# --- messages -------------------------------------------------------------------------------------


def _messages(objects: Iterable[Any], count: OutputTally) -> None:
    for event in objects:
        if not isinstance(event, dict):
            continue
        delta, block = event.get("delta"), event.get("content_block")
        if isinstance(delta, dict):
            _grown_block(delta, count)
        elif isinstance(block, dict):
            _block(block, count, _GROWN)
        elif "content" in event:
            whole = OutputTally()
            for part in objects_of(event["content"]):
                _block(part, whole, _WHOLE)
            count.whole(whole.text[_WHOLE], whole.reasoning[_WHOLE])


def _grown_block(delta: dict[str, Any], count: OutputTally) -> None:
    get = delta.get
    count.text[_GROWN] += _size(get("text")) + _size(get("partial_json")) + _size(get("content"))
    count.reasoning[_GROWN] += _size(get("thinking"))


def _block(block: dict[str, Any], count: OutputTally, kind: int) -> None:
    """A block as it begins, or whole."""
    name = block.get("type")
    if isinstance(name, str) and name.endswith("_result"):
        return  # of a tool that the vendor ran
    count.text[kind] += _size(block.get("text")) + _size(block.get("content"))
    count.reasoning[kind] += _size(block.get("thinking"))
    count.text[kind] += _given(block.get("input"))


# --- responses ------------------------------------------------------------------------------------

_CLOSING: Final = ("text", "arguments", "refusal", "input", "code")


def _responses(objects: Iterable[Any], count: OutputTally) -> None:
    for event in objects:
        if not isinstance(event, dict):
            continue
        name = event.get("type")
        if not isinstance(name, str):
            name = ""
        response = event.get("response")
        if isinstance(response, dict):
            _output(response, count)
        elif name.endswith(".delta"):
            if name.endswith("audio.delta"):
                count.sound += _size(event.get("delta"))
            else:
                sums = count.reasoning if "reasoning" in name else count.text
                sums[_GROWN] += _size(event.get("delta"))
        elif name == "response.output_item.done":
            _item(event.get("item"), count, _ITEM)
        elif name.endswith(".done"):
            sums = count.reasoning if "reasoning" in name else count.text
            sums[_CLOSED] += sum(_size(event.get(member)) for member in _CLOSING)
        elif "output" in event:
            _output(event, count)


def _output(response: dict[str, Any], count: OutputTally) -> None:
    whole = OutputTally()
    for item in objects_of(response.get("output")):
        _item(item, whole, _WHOLE)
    count.whole(whole.text[_WHOLE], whole.reasoning[_WHOLE])
    count.pictures = max(count.pictures, whole.pictures)


def _item(item: Any, count: OutputTally, kind: int) -> None:
    if not isinstance(item, dict):
        return
    name = item.get("type")
    if not isinstance(name, str) or name.endswith("_output"):
        return
    if name == "reasoning":
        count.reasoning[kind] += _texts(item.get("summary")) + _texts(item.get("content"))
    elif name == "image_generation_call":
        count.pictures += isinstance(item.get("result"), str)
    else:
        count.text[kind] += _texts(item.get("content")) + _size(item.get("input"))
        count.text[kind] += _given(item.get("arguments")) + _size(item.get("code"))


# --- generate -------------------------------------------------------------------------------------


def _generate(objects: Iterable[Any], count: OutputTally) -> None:
    for chunk in objects:
        if not isinstance(chunk, dict):
            continue
        for candidate in objects_of(chunk.get("candidates")):
            content = candidate.get("content")
            if isinstance(content, dict):
                for part in objects_of(content.get("parts")):
                    _part(part, count)


def _part(part: dict[str, Any], count: OutputTally) -> None:
    sums = count.reasoning if part.get("thought") is True else count.text
    sums[_GROWN] += _size(part.get("text"))
    call, code, data = part.get("functionCall"), part.get("executableCode"), part.get("inlineData")
    if isinstance(call, dict):
        pieces = objects_of(call.get("partialArgs"))
        count.text[_GROWN] += sum(_size(piece.get("stringValue")) or 1 for piece in pieces)
        count.text[_GROWN] += _given(call.get("args", None if pieces else {}))
    if isinstance(code, dict):
        count.text[_GROWN] += _size(code.get("code"))
    if isinstance(data, dict):
        kind = data.get("mimeType")
        if isinstance(kind, str) and kind.startswith("audio/"):
            count.sound += _size(data.get("data"))
        elif isinstance(kind, str) and kind.startswith("image/"):
            count.pictures += 1


# --- converse -------------------------------------------------------------------------------------


def _converse(objects: Iterable[Any], count: OutputTally) -> None:
    for event in objects:
        if not isinstance(event, dict):
            continue
        delta, output = event.get("delta"), event.get("output")
        if isinstance(delta, dict):
            _converse_block(delta, count, _GROWN)
        elif isinstance(output, dict) and isinstance(message := output.get("message"), dict):
            whole = OutputTally()
            for block in objects_of(message.get("content")):
                _converse_block(block, whole, _WHOLE)
            count.whole(whole.text[_WHOLE], whole.reasoning[_WHOLE])
            count.pictures = max(count.pictures, whole.pictures)


def _converse_block(block: dict[str, Any], count: OutputTally, kind: int) -> None:
    from trivium.wire.converse.output import texts

    text, thought, given = texts(block)
    count.text[kind] += _size(text) + _given(given)
    count.reasoning[kind] += _size(thought)
    count.pictures += isinstance(block.get("image"), dict)


# --- Cohere ---------------------------------------------------------------------------------------


def _cohere(objects: Iterable[Any], count: OutputTally) -> None:
    for event in objects:
        if not isinstance(event, dict):
            continue
        delta = event.get("delta")
        said = (delta if isinstance(delta, dict) else event).get("message")
        if isinstance(said, dict):
            # an event has one of what a whole message has a list of
            rows = {name: [one] if isinstance(one, dict) else one for name, one in said.items()}
            text, thought = _message(rows, count)
            count.text[_GROWN] += text + _size(said.get("tool_plan"))
            count.reasoning[_GROWN] += thought


READERS: Final[dict[Shape, Callable[[Iterable[Any], OutputTally], None]]] = {
    Shape.CHAT: _chat,
    Shape.COMPLETIONS: _chat,
    Shape.RESPONSES: _responses,
    Shape.MESSAGES: _messages,
    Shape.GENERATE: _generate,
    Shape.CONVERSE: _converse,
    Shape.COHERE: _cohere,
}
"""By the shape in which an answer is written."""
