"""What a model wrote in an answer, counted from the bytes that the caller was sent.

Of a stream the pieces that grow a text are counted, and never once more the events that repeat it
when it is whole; those speak where nothing grew. Counted are texts, reasoning that is shown, what a
call is given, and code that the vendor runs; not names, ids, signatures, probabilities, sources and
results of the vendor's own tools.

Nothing is read while a stream runs: its pieces are kept by reference, as most vendors say
themselves what they counted. Of a long one a sample is kept: ``DeliveredOutput``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from trivium.wire.answer_structs import WrittenAnswer, WrittenMembers
from trivium.wire.operation import BINARY_STREAMS, Shape
from trivium.wire.output_tally import READERS, OutputCount, OutputTally
from trivium.wire.sse import LONG, blocks, frames, window

KEPT_BYTES: Final = 32_768
"""Of the latest pieces of a stream, all of which are kept: a hundred deltas and more."""
SAMPLE_BYTES: Final = 65_536
"""Of the sample of what came before them, at most."""
BIG_BYTES: Final = 4_096
"""Events beyond it are read at once and not sampled: most of them repeat what was said."""
LATE_BYTES: Final = 262_144
"""Pieces beyond it are not read in the turn in which they are sent."""

_LOTS: Final = 2**32
_STRIDE: Final = 2_654_435_769
"""The golden section of it: any number of lots in a row, or of every second, is spread evenly."""

_BLANK: Final = b"\r\n\r\n"
_decode: Final = msgspec.json.Decoder().decode


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
        self._big: OutputTally | None = None
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
        count = OutputTally()
        self.catch_up()
        if self._big is not None:
            count.add(self._big)
        if self._sample:
            sample = OutputTally()
            _read_events(self._shape, b"".join([block for _, block in self._sample]), sample)
            count.add(sample, self._thinned, self._sampled)
        _read(self._shape, b"".join([*self._pieces, rest]) if self._pieces else rest, count)
        return count.found()

    def _thin(self, run: bytes) -> None:
        if self._shape not in READERS:
            return
        big = self._big = self._big or OutputTally()
        if _starts_json(run):
            _read_json(self._shape, run, big)  # an array: read once, and gone
            return
        for block in _blocks(self._shape, run):
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


def _blocks(shape: Shape, run: bytes) -> Iterable[bytes]:
    """The events of a run: frames, or server-sent events."""
    if shape in BINARY_STREAMS:
        from trivium.wire.converse.output import frames_of

        return frames_of(run)
    # one byte is searched twenty times as fast as two: an event may have megabytes
    end = run.find(b"\r")
    if end < 0:
        return blocks(run)
    if run.startswith(_BLANK, end) and end + len(_BLANK) == len(run) and run.find(b"\n") > end:
        return [run]  # ``window`` reads it where it lies
    return blocks(run.replace(b"\r\n", b"\n"))


def _read(shape: Shape, data: bytes, count: OutputTally) -> None:
    if shape not in READERS:
        return
    if _starts_json(data):
        _read_json(shape, data, count)
    else:
        _read_events(shape, data, count)


def _starts_json(data: bytes) -> bool:
    return data.lstrip()[:1] in (b"{", b"[", b",")


def _read_json(shape: Shape, data: bytes, count: OutputTally) -> None:
    """One object, or rows of an array with a comma before and a bracket around."""
    found = _decoded(data)
    if found is None:
        found = _decoded(b"[" + data.strip().lstrip(b"[,").rstrip(b"],\r\n ") + b"]")
    READERS[shape](found if isinstance(found, list) else [found], count)


def _read_events(shape: Shape, run: bytes, count: OutputTally) -> None:
    READERS[shape]([_decoded(data) for data in _told(shape, run)], count)


def _told(shape: Shape, run: bytes) -> Sequence[bytes | memoryview]:
    """The data of a run's events; that of a long one where it lies, as each copy counts."""
    if shape in BINARY_STREAMS:
        from trivium.wire.converse.output import payloads

        return payloads(run)
    seen = window(run) if len(run) > LONG else None
    return [frame.data for frame in frames(run)] if seen is None else [seen[1]]


def _decoded(data: bytes | memoryview) -> Any:
    """A value; ``None`` for what is none, such as the frame that ends a stream."""
    if not data or data[0] not in b" \t\r\n{[":
        return None
    try:
        return _decode(data)
    except UnicodeDecodeError:
        return _decoded(bytes(data).decode("utf-8", "replace").encode())
    except (ValueError, RecursionError):
        return _members(data)


_decode_written: Final = msgspec.json.Decoder(WrittenMembers).decode
_decode_answer: Final = msgspec.json.Decoder(WrittenAnswer).decode


def _members(data: bytes | memoryview) -> Any:
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
