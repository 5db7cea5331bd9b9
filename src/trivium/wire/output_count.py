"""What a model wrote in an answer, counted from the bytes that the caller was sent.

Of a stream the pieces that grow a text are counted, and never once more the events that repeat it
when it is whole; those speak where nothing grew. Counted are texts, reasoning that is shown, what a
call is given, and code that the vendor runs; not names, ids, signatures, probabilities, sources and
results of the vendor's own tools.

Nothing is read while a stream runs: its pieces are kept by reference, as most vendors say
themselves what they counted. Of a long one a sample is kept: ``DeliveredOutput``.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from trivium.wire.answer_structs import WrittenAnswer, WrittenMembers
from trivium.wire.converse.output import frames_of, payloads, texts
from trivium.wire.lenient import objects_of
from trivium.wire.operation import BINARY_STREAMS, Shape
from trivium.wire.sse import blocks, frames

KEPT_BYTES: Final = 32_768
"""Of the latest pieces of a stream, all of which are kept: a hundred deltas and more."""
SAMPLE_BYTES: Final = 65_536
"""Of the sample of what came before them, at most."""
BIG_BYTES: Final = 4_096
"""Events beyond it are read at once and not sampled: most of them repeat what was said."""
LATE_BYTES: Final = 262_144
"""Pieces beyond it are not read in the turn in which they are sent."""

_DEPTH_MAX: Final = 16
_LOTS: Final = 2**32
_STRIDE: Final = 2_654_435_769
"""The golden section of it: any number of lots in a row, or of every second, is spread evenly."""

_decode: Final = msgspec.json.Decoder().decode
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


class _Count:
    """Sums over the objects of an answer, apart for each way to tell of a text."""

    __slots__ = ("pictures", "reasoning", "sound", "text")

    def __init__(self) -> None:
        self.text = [0, 0, 0, 0]
        self.reasoning = [0, 0, 0, 0]
        self.pictures = self.sound = 0

    def add(self, other: "_Count", much: int = 1, little: int = 1) -> None:
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


class DeliveredOutput:
    """The pieces of one answer that the caller was sent, of which a bounded part is kept.

    Of a stream what is older than the latest ``KEPT_BYTES`` is thinned out, event by event and
    evenly, so that the sample speaks for all of it: it holds some hundreds of events.
    """

    __slots__ = (
        "_below", "_big", "_kept", "_late", "_pieces", "_sample", "_sampled", "_seen", "_shape",
        "_thinned", "_whole",
    )  # fmt: skip

    def __init__(self, shape: Shape, *, whole: bool = False) -> None:
        """``whole``: it comes in one piece, and is kept."""
        self._shape = shape
        self._whole = whole
        self._pieces: list[bytes] = []
        self._kept = 0
        self._late = b""
        """A large piece, read when the next one comes: what made it took its turn of the loop."""
        self._big: _Count | None = None
        """What was read at once; ``None``: nothing was taken out of the pieces yet."""
        self._sample: list[tuple[int, bytes]] = []
        """Events, each with its lot."""
        self._sampled = 0
        """Their bytes."""
        self._below = _LOTS
        """Lots that are drawn."""
        self._seen = self._thinned = 0
        """Events that the sample speaks for, and their bytes."""

    def add(self, piece: bytes) -> None:
        """One more piece: whole events."""
        self.catch_up()
        if len(piece) > LATE_BYTES and not self._whole:
            self._late = piece
            return
        self._pieces.append(piece)
        self._kept += len(piece)
        if self._kept > KEPT_BYTES and not self._whole:
            self._thin(b"".join(self._pieces))
            self._pieces.clear()
            self._kept = 0

    def catch_up(self) -> bool:
        """Read the large piece that came last; ``False``: it was not large, or was read."""
        late, self._late = self._late, b""
        if late:
            self._thin(late)
        return bool(late)

    def written(self, rest: bytes = b"") -> OutputCount:
        """What the model wrote in all of it, and in ``rest``, which is to follow."""
        count = _Count()
        self.catch_up()
        if self._big is not None:
            count.add(self._big)
        if self._sample:
            sample = _Count()
            _read_events(self._shape, b"".join([block for _, block in self._sample]), sample)
            count.add(sample, self._thinned, self._sampled)
        _read(self._shape, b"".join([*self._pieces, rest]), count)
        return count.found()

    def _thin(self, run: bytes) -> None:
        if self._shape not in _READERS:
            return
        big = self._big = self._big or _Count()
        if _starts_json(run):
            _read_json(self._shape, run, big)  # an array: read once, and gone
            return
        for block in frames_of(run) if self._shape in BINARY_STREAMS else _blocks(run):
            if len(block) > BIG_BYTES:
                _read_events(self._shape, block, big)
                continue
            self._thinned += len(block)
            self._seen += 1
            lot = self._seen * _STRIDE % _LOTS
            if lot < self._below:
                self._sample.append((lot, block))
                self._sampled += len(block)
        while self._sampled > SAMPLE_BYTES:
            self._below //= 2
            self._sample = [one for one in self._sample if one[0] < self._below]
            self._sampled = sum([len(block) for _, block in self._sample])


def _blocks(run: bytes) -> Iterable[bytes]:
    """The events of a run of server-sent events."""
    # one byte is searched twenty times as fast as two: an event may have megabytes
    return blocks(run.replace(b"\r\n", b"\n") if run.find(b"\r") >= 0 else run)


def _read(shape: Shape, data: bytes, count: _Count) -> None:
    if shape not in _READERS:
        return
    if _starts_json(data):
        _read_json(shape, data, count)
    else:
        _read_events(shape, data, count)


def _starts_json(data: bytes) -> bool:
    return data.lstrip()[:1] in (b"{", b"[", b",")


def _read_json(shape: Shape, data: bytes, count: _Count) -> None:
    """One object, or rows of an array with a comma before and a bracket around."""
    found = _decoded(data)
    if found is None:
        found = _decoded(b"[" + data.strip().lstrip(b"[,").rstrip(b"],\r\n ") + b"]")
    _READERS[shape](found if isinstance(found, list) else [found], count)


def _read_events(shape: Shape, run: bytes, count: _Count) -> None:
    told = payloads(run) if shape in BINARY_STREAMS else [frame.data for frame in frames(run)]
    _READERS[shape]([_decoded(data) for data in told], count)


def _decoded(data: bytes) -> Any:
    """A value; ``None`` for what is none, such as the frame that ends a stream."""
    if not data or data[0] not in b" \t\r\n{[":
        return None
    try:
        return _decode(data)
    except UnicodeDecodeError:
        return _decoded(data.decode("utf-8", "replace").encode())
    except (ValueError, RecursionError):
        return _members(data)


_decode_written: Final = msgspec.json.Decoder(WrittenMembers).decode
_decode_answer: Final = msgspec.json.Decoder(WrittenAnswer).decode


def _members(data: bytes) -> Any:
    """An object of which not all can be decoded; ``None`` where it is none."""
    try:
        found = _present(_decode_written(data))
        response = _decode_answer(data).response
    except (ValueError, RecursionError):
        return None
    if response is not None:
        found["response"] = _present(response)
    return found


def _present(found: WrittenMembers) -> dict[str, Any]:
    return {
        name: value for name, value in msgspec.structs.asdict(found).items() if value is not None
    }


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


def _chat(objects: Iterable[Any], count: _Count) -> None:
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
                said, thought = _message(message, count if delta is None else _Count())
                text += said
                reasoning += thought
        count.whole(text, reasoning)


def _message(message: dict[str, Any], count: _Count) -> tuple[int, int]:
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


def _messages(objects: Iterable[Any], count: _Count) -> None:
    for event in objects:
        if not isinstance(event, dict):
            continue
        delta, block = event.get("delta"), event.get("content_block")
        if isinstance(delta, dict):
            _grown_block(delta, count)
        elif isinstance(block, dict):
            _block(block, count, _GROWN)
        elif "content" in event:
            whole = _Count()
            for part in objects_of(event["content"]):
                _block(part, whole, _WHOLE)
            count.whole(whole.text[_WHOLE], whole.reasoning[_WHOLE])


def _grown_block(delta: dict[str, Any], count: _Count) -> None:
    get = delta.get
    count.text[_GROWN] += _size(get("text")) + _size(get("partial_json")) + _size(get("content"))
    count.reasoning[_GROWN] += _size(get("thinking"))


def _block(block: dict[str, Any], count: _Count, kind: int) -> None:
    """A block as it begins, or whole."""
    name = block.get("type")
    if isinstance(name, str) and name.endswith("_result"):
        return  # of a tool that the vendor ran
    count.text[kind] += _size(block.get("text")) + _size(block.get("content"))
    count.reasoning[kind] += _size(block.get("thinking"))
    count.text[kind] += _given(block.get("input"))


# --- responses ------------------------------------------------------------------------------------

_CLOSING: Final = ("text", "arguments", "refusal", "input", "code")


def _responses(objects: Iterable[Any], count: _Count) -> None:
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


def _output(response: dict[str, Any], count: _Count) -> None:
    whole = _Count()
    for item in objects_of(response.get("output")):
        _item(item, whole, _WHOLE)
    count.whole(whole.text[_WHOLE], whole.reasoning[_WHOLE])
    count.pictures = max(count.pictures, whole.pictures)


def _item(item: Any, count: _Count, kind: int) -> None:
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


def _generate(objects: Iterable[Any], count: _Count) -> None:
    for chunk in objects:
        if not isinstance(chunk, dict):
            continue
        for candidate in objects_of(chunk.get("candidates")):
            content = candidate.get("content")
            if isinstance(content, dict):
                for part in objects_of(content.get("parts")):
                    _part(part, count)


def _part(part: dict[str, Any], count: _Count) -> None:
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


def _converse(objects: Iterable[Any], count: _Count) -> None:
    for event in objects:
        if not isinstance(event, dict):
            continue
        delta, output = event.get("delta"), event.get("output")
        if isinstance(delta, dict):
            _converse_block(delta, count, _GROWN)
        elif isinstance(output, dict) and isinstance(message := output.get("message"), dict):
            whole = _Count()
            for block in objects_of(message.get("content")):
                _converse_block(block, whole, _WHOLE)
            count.whole(whole.text[_WHOLE], whole.reasoning[_WHOLE])
            count.pictures = max(count.pictures, whole.pictures)


def _converse_block(block: dict[str, Any], count: _Count, kind: int) -> None:
    text, thought, given = texts(block)
    count.text[kind] += _size(text) + _given(given)
    count.reasoning[kind] += _size(thought)
    count.pictures += isinstance(block.get("image"), dict)


# --- Cohere ---------------------------------------------------------------------------------------


def _cohere(objects: Iterable[Any], count: _Count) -> None:
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


_READERS: Final[dict[Shape, Callable[[Iterable[Any], _Count], None]]] = {
    Shape.CHAT: _chat,
    Shape.COMPLETIONS: _chat,
    Shape.RESPONSES: _responses,
    Shape.MESSAGES: _messages,
    Shape.GENERATE: _generate,
    Shape.CONVERSE: _converse,
    Shape.COHERE: _cohere,
}
