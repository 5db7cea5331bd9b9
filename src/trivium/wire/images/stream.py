"""Watches a stream of pictures: passes their bytes as they come, and keeps none of them.

An event of this shape is megabytes of base64 in one line. Only what stands around the picture is
kept (its type, its usage), and as soon as the picture begins all of the event that came is let
through: an error has none. What stands behind the picture waits until the event is whole, so that
one that is cut there can still become an error that clients can read. So what waits in memory is
some hundred bytes, however large a picture.

A stream that ends without any finished picture is none, as a whole answer without one is none
(``answer.py``); a picture that a line break cuts is a break.

Source: openai-python 3.52.0, ``ImageGenCompletedEvent`` and its kin, read 2026-11-21. The stream
ends with its last completed event; there is no ``[DONE]``.
"""

import re
from typing import Final

import msgspec

from trivium.conversation.usage import Usage, added
from trivium.faults import Fault, Kind
from trivium.wire import errors
from trivium.wire.answer_structs import Frame
from trivium.wire.images import usage
from trivium.wire.lenient import decoded, error_of
from trivium.wire.operation import Shape
from trivium.wire.passage import RequestFacts
from trivium.wire.sse import frames

TEXT_BYTES_MAX: Final = 1_048_576
"""Of one event, without its picture."""

_PICTURE: Final = re.compile(rb'"b64_json"\s*:\s*"')
_BLANK: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n|\r\n\n")
_LINE: Final = re.compile(rb"[\r\n]")
_TAIL: Final = 64
"""Bytes in which a mark may have been cut in two."""
_ABSENT: Final = msgspec.Raw()
_UNFINISHED: Final = ".partial_image"
_NOTHING: Final = (b"", b"null", b'""')


class _Event(msgspec.Struct, gc=False):
    type: str = ""
    usage: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT
    url: msgspec.Raw = _ABSENT
    size: str | None = None
    quality: str | None = None


_decode: Final = msgspec.json.Decoder(_Event).decode


class Watch:
    """See the module, and ``StreamWatch``."""

    __slots__ = (
        "_begun",
        "_completed",
        "_drawn",
        "_facts",
        "_from",
        "_in_picture",
        "_size",
        "_text",
        "_used",
        "error",
        "finished",
    )

    def __init__(self, facts: RequestFacts) -> None:
        self._facts = facts
        self._text = bytearray()
        """The open event without its pictures."""
        self._from = 0
        """Where in it the last picture ended."""
        self._begun = False
        """Whether what came of the open event was let through."""
        self._in_picture = False
        self._size = 0
        """Bytes of pictures in the open event."""
        self._drawn = False
        """Whether a finished picture has come, or the address of one."""
        self._completed = 0
        self._used: Usage | None = None
        self.finished = False
        """Whether every picture that was asked for is complete."""
        self.error: bytes | Fault | None = None

    @property
    def usage(self) -> Usage | None:
        """What was reported of the pictures that are complete."""
        return self._used

    @property
    def is_open(self) -> bool:
        """Whether a part of an event has been let through, and not its end."""
        return self._begun

    @property
    def stopped(self) -> bool:
        """Whether all pictures are there, each of which comes with its count."""
        return self.finished

    def feed(self, data: bytes) -> bytes:
        """What to forward. Raises ``Fault`` (UPSTREAM_BROKE) for an event without end."""
        out = bytearray()
        at = 0
        while at < len(data) and self.error is None:
            at = self._skip(data, at, out) if self._in_picture else self._read(data, at, out)
        return bytes(out)

    def end(self, fault: Fault | None, request_id: str) -> bytes:
        """The end of the last event if it is whole, else an error event."""
        out = b""
        if fault is None and self.error is None and self._text and not self._in_picture:
            # the last event may lack its blank line
            text = bytes(self._text) + b"\n\n"
            out = self._closed(text, text[self._from :])
        if self.finished and self.error is None and not self._in_picture:
            return out
        fault = fault or Fault(Kind.UPSTREAM_BROKE, "The upstream ended in mid-answer.")
        told = errors.body(fault, request_id, Shape.IMAGES)
        if self._begun:
            # the event that is cut becomes the error: as it is, a client would choke on it
            quote = b'"' if self._in_picture else b""
            return quote + b"," + told[1:] + b"\n\n" + tail(told)
        return out + tail(told)

    def _skip(self, data: bytes, at: int, out: bytearray) -> int:
        """Let the picture through. Base64 holds no quote, so the next one ends it; a line break
        before it ends the event, in the middle.
        """
        end = data.find(b'"', at)
        if cut := _LINE.search(data, at, end if end >= 0 else len(data)):
            out += data[at : cut.start()]
            self.error = Fault(Kind.UPSTREAM_BROKE, "The upstream broke off within a picture.")
            return len(data)
        if end < 0:
            out += data[at:]
            self._size += len(data) - at
            return len(data)
        self._in_picture = False
        self._size += end - at
        out += data[at : end + 1]
        self._text += b'"'
        self._from = len(self._text)
        return end + 1

    def _read(self, data: bytes, at: int, out: bytearray) -> int:
        """Read around the pictures, up to the next one or the end of the event."""
        text = self._text
        before = len(text)
        text += data[at:]
        picture = _PICTURE.search(text, max(self._from, before - _TAIL))
        blank = _BLANK.search(text, max(self._from, before - 3))
        if picture is not None and (blank is None or picture.start() < blank.start()):
            kept = picture.end()
            out += text[self._from : kept]
            self._begun = self._in_picture = True
            del text[kept:]
        elif blank is not None:
            kept = blank.end()
            out += self._closed(bytes(text[:kept]), bytes(text[self._from : kept]))
        elif len(text) > TEXT_BYTES_MAX:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream sent a stream frame that is too large.")
        else:
            kept = len(text)
        return at + kept - before

    def _closed(self, whole: bytes, last: bytes) -> bytes:
        """An event is whole: look at it. Of it, what may pass: ``last``, which has not passed
        before; nothing of an error.
        """
        begun, self._begun = self._begun, False
        self._text.clear()
        self._from = 0
        for frame in frames(whole):
            self._look(frame)
        self._size = 0
        if self.error is not None:
            self._begun = begun
            return b""
        return last

    def _look(self, frame: Frame) -> None:
        if (event := decoded(_decode, frame.data)) is None:
            self.error = Fault(Kind.UPSTREAM_BROKE, "The upstream sent an event that is not JSON.")
            return
        if frame.event == b"error" or event.type == "error" or error_of(event.error):
            self.error = error_of(event.error) or frame.data
            return
        if not event.type.endswith(_UNFINISHED):
            self._drawn = self._drawn or bool(self._size) or bytes(event.url) not in _NOTHING
        if event.type.endswith(".completed"):
            if not self._drawn:
                self.error = Fault(Kind.UPSTREAM_BROKE, "The upstream answered without a picture.")
                return
            self._completed += 1
            self.finished = self._completed >= self._facts.choices
            tokens = usage.read(event.usage) if bytes(event.usage) else None
            size = event.size or self._facts.size
            quality = event.quality or self._facts.quality
            self._used = added(self._used, usage.counted(tokens, 1, size, quality))


def tail(told: bytes) -> bytes:
    """The event that ends a stream after a fault: ``told`` is the GatewayError."""
    return b"event: error\ndata: " + told + b"\n\n"
