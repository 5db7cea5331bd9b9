"""Watching a chat stream: usage, errors and the end are seen, the bytes go by.

An error frame is held back with all that follows it: the pipeline says what it means in its own
words. The completions shape streams alike: ``data`` frames of one chunk each, then ``[DONE]``.
Source: OpenAI's API reference, chat streaming, and openai-python 3.52.0, read 2026-11-21.
"""

import re
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import errors, openai_shapes, sse
from trivium.wire.chat.answer_structs import UsageChunk, Watched
from trivium.wire.lenient import error_of
from trivium.wire.locate import holding, span
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts

_FINISH_KEY: Final = re.compile(rb'"finish_reason"(\s*:\s*)')
_ERROR: Final = b'"error"'
_USAGE: Final = b'"completion_tokens"'
_DONE: Final = sse.DONE
_DONE_LAST: Final = b"\n\ndata: [DONE]\n\n"


_USAGE_CHUNK: Final = frozenset(UsageChunk.__struct_fields__)

_decode: Final = msgspec.json.Decoder(Watched).decode
_decode_usage: Final = msgspec.json.Decoder(UsageChunk, strict=False).decode
_decode_any: Final = msgspec.json.Decoder(dict[str, Any]).decode


class ChunkWatch:
    """Watches one stream of chunks. See ``StreamWatch``.

    The usage chunk that we asked for and the caller did not is taken out.
    """

    __slots__ = (
        "_finish_needle",
        "_hide",
        "_shape",
        "_splitter",
        "error",
        "finished",
        "stopped",
        "usage",
    )

    def __init__(self, facts: RequestFacts, shape: Shape) -> None:
        self.usage: Usage | None = None
        self.finished = False
        self.error: bytes | None = None
        self._hide = not facts.usage_wanted
        self._shape = shape
        self._splitter = sse.Splitter()
        self.stopped = False
        self._finish_needle: bytes | None = None

    def feed(self, data: bytes) -> bytes:
        """What to forward of the bytes of one upstream read."""
        run = self._splitter.feed(data)
        return self._observe(run) if run and self.error is None else b""

    def _observe(self, run: bytes) -> bytes:
        # Nothing is parsed unless one of these words is there, and then only the blocks in which it
        # stands. They are JSON member names with their quotes, which a text inside a chunk cannot
        # contain unescaped.
        at = run.rfind(_USAGE)
        errs = run.rfind(_ERROR) >= 0
        if errs or (self._hide and at >= 0):
            run = self._look(run, (_ERROR, _USAGE) if errs else (_USAGE,))
        elif at >= 0:
            self._note_usage(run, at)
        if not self.finished:
            if run.endswith(_DONE_LAST) or (run.rfind(_DONE) >= 0 and _done_at(run) >= 0):
                self.finished = True
            elif not self.stopped:
                needle = self._finish_needle
                if needle is None or run.rfind(needle) >= 0:
                    self._look_for_finish(run)
        return run

    def _note_usage(self, run: bytes, at: int) -> None:
        """The last usage of a run from which nothing has to be taken."""
        start, stop = span(run, at)
        for block in sse.blocks(run[start:stop]):
            found = _only_usage(block)
            if found is None and (chunk := sse.read(block, _decode)) is not None:
                found = _told(chunk)
            self.usage = found or self.usage

    def _look_for_finish(self, run: bytes) -> None:
        """Note a finish reason: without ``[DONE]``, it tells a clean end from a cut."""
        if self._finish_needle is None:
            key = _FINISH_KEY.search(run)
            if key is None:
                return
            # vendors put no blank, or one, after the colon, and then always the same
            self._finish_needle = b'"finish_reason"' + key[1] + b'"'
        at = run.rfind(self._finish_needle)
        while at >= 0 and not self.stopped:  # some vendors write "" where others write null
            after = at + len(self._finish_needle)
            self.stopped = run[after : after + 1] != b'"'
            at = run.rfind(self._finish_needle, 0, at)

    def _look(self, run: bytes, words: tuple[bytes, ...]) -> bytes:
        """Note usage and error; what is left of the run for the caller."""
        kept: list[bytes] = []
        start = 0
        for at, block in holding(run, words):
            usage = _only_usage(block)
            is_only = usage is not None
            if usage is None:
                chunk = sse.read(block, _decode)
                if chunk is None:
                    continue
                error = error_of(chunk.error)
                if error is not None and not (self.finished or 0 <= _done_at(run) < at):
                    self.error = error
                    kept.append(run[start:at])
                    return b"".join(kept)
                usage = _told(chunk)
            if usage is not None:
                self.usage = usage
                if self._hide and (is_only or _tells_usage_only(block)):
                    kept.append(run[start:at])
                    start = at + len(block)
        if not kept:
            return run
        kept.append(run[start:])
        return b"".join(kept)

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """Bytes that end the answer legally after the upstream's last byte."""
        held = sse.completed(self._splitter.take()) if self.error is None else b""
        out = self._observe(held) if held else b""
        if self.finished:
            return out
        if fault is None and self.error is None and self.stopped:
            self.finished = True
            return out + sse.frame(sse.DONE)
        return out + errors.stream_tail(fault or errors.cut_short(), request_id, self._shape)


def watch(facts: RequestFacts) -> ChunkWatch:
    """A fresh watch for one streamed chat answer."""
    return ChunkWatch(facts, Shape.CHAT)


def _told(chunk: Watched) -> Usage | None:
    """What a chunk reports, wherever in it."""
    return openai_shapes.usage(chunk.usage) or openai_shapes.elsewhere(chunk.choices, chunk.x_groq)


def _only_usage(block: bytes) -> Usage | None:
    """Usage of a chunk that tells nothing else; ``None`` for any other: look at it closely."""
    found = sse.read(block, _decode_usage)
    return None if found is None else openai_shapes.of(found.usage)


def _done_at(run: bytes) -> int:
    """Offset of the block that is ``[DONE]``; -1 when there is none. A text may say so too."""
    at = run.rfind(_DONE)
    while at >= 0:
        start, stop = span(run, at)
        for block in sse.blocks(run[start:stop]):
            frame = sse.parse(block)
            if frame is not None and frame.data.startswith(_DONE):
                return start
        at = run.rfind(_DONE, 0, start)
    return -1


def _tells_usage_only(block: bytes) -> bool:
    """Whether a chunk has no choice and no other news, such as content filter results."""
    frame = sse.parse(block)
    try:
        chunk = None if frame is None else _decode_any(frame.data)
    except ValueError:
        return False  # not JSON, or not even text: whoever asked is to see it
    if not isinstance(chunk, dict) or chunk.get("choices") != []:
        return False
    return all(name in _USAGE_CHUNK or not value for name, value in chunk.items())
