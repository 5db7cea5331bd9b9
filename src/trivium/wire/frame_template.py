"""Frames of one stream that differ in one text only, found without decoding each of them.

Nine of ten frames of an answer repeat all of the one before them but a piece of text; OpenAI's are
padded besides (``obfuscation``). What repeats is learned from one frame that was decoded, and
proved: decoded again with other values in the same places, it must tell just those. From then on
bytes that equal what repeats, around one JSON string, are such a frame too, for JSON gives the same
bytes the same meaning. What does not fit is decoded as before.

HOT: a stream of a hundred frames of messages costs 21 us this way, and 60 with one decoder call
for all of them and a look at each; each frame in a read of its own, 30 and 151; chat 33 and 141,
generate 34 and 123 (2026-11-24, bench/hot.py --case stream.).
"""

import re
from collections.abc import Callable
from operator import itemgetter
from typing import Final, TypeAlias

import msgspec

from trivium.wire.sse import LONG

_encode: Final = msgspec.json.Encoder().encode
_text: Final = msgspec.json.Decoder(str).decode
_texts: Final = msgspec.json.Decoder(list[str]).decode

Told: TypeAlias = tuple[str, object]
"""What a frame tells that is nothing but more of a text: the text and the padding."""

_padding: Final = re.compile(rb'"obfuscation": ?"([0-9A-Za-z]+)"').search
_PROBE: Final = ("a\tprobe of ours", "Pr0beOfOurs")
_LEAD: Final = 6
"""Bytes of ``data: `` and of ``event:``."""
_LF: Final = b"\n\n"
_CRLF: Final = b"\r\n\r\n"
_NONE: Final[tuple[list[str], int]] = ([], 0)
_TRIES_MAX: Final = 4
"""Frames in a row from which nothing came."""


class Template:
    """What repeats in the frames of one part of a stream; nothing until it is learned."""

    __slots__ = (
        "_begin",
        "_between",
        "_cut",
        "_head",
        "_padded",
        "_separator",
        "_stop",
        "_tail",
        "_tries",
    )

    def __init__(self) -> None:
        self._tries = _TRIES_MAX
        self._head = b""

    @property
    def wanted(self) -> bool:
        """Whether the next frame is worth learning from."""
        return self._tries > 0

    def learn(self, frame: bytes, told: Told, read: Callable[[bytes], Told | None]) -> bool:
        """Learn from a frame, blank line and all, that told nothing but this.

        ``read`` decodes such a frame, ``None`` if it is none. ``False``, and all is forgotten, if
        it spells its text in a way of its own.
        """
        self._head = b""
        if len(frame) > LONG:
            return False
        self._tries -= 1
        string = _encode(told[0])
        start = frame.find(string)
        head, tail = frame[: start + 1], frame[start + len(string) - 1 :]
        pad = _padding(tail)
        before, after = (tail[: pad.start(1)], tail[pad.end(1) :]) if pad else (b"", tail)
        probe, padding = _PROBE[0], _PROBE[1] if pad else told[1]
        again = head + _encode(probe)[1:-1] + (before + _PROBE[1].encode() if pad else b"") + after
        if start < 0 or read(again) != (probe, padding) or (pad and pad[1].decode() != told[1]):
            return False
        self._head, self._padded, self._tail = head, before, after
        end = _CRLF if after.endswith(_CRLF) else _LF
        self._between = after + head
        self._separator = end + head[:_LEAD]
        self._begin = head[_LEAD:]
        self._stop = after[: -len(end)]
        self._cut = 1 - len(after)
        return True

    def one(self, frame: bytes) -> str:
        """The text of one such frame; empty if it is none."""
        head = self._head
        # the tail is looked for behind the head, and the padding between both: compiled slices do
        # not take an end before their start
        if not head or not frame.startswith(head) or not frame.endswith(self._tail, len(head)):
            return ""
        until = self._cut
        if self._padded:
            at = frame.find(self._padded, len(head), -len(self._tail))
            if at < 0 or not frame[at + len(self._padded) : -len(self._tail)].isalnum():
                return ""
            until = at + 1
        try:
            # from its quote to its quote: nothing but one string makes sense to the decoder
            text = _text(frame[len(head) - 1 : until])
        except (ValueError, RecursionError):
            return ""
        self._tries = _TRIES_MAX
        return text

    def many(self, run: bytes) -> tuple[list[str], int]:
        """The texts of the frames that a run of frames begins with, and where the rest begins.

        None of padded frames: to decode them takes no longer.
        """
        head = self._head
        if not head or self._padded or not run.startswith(head):
            return _NONE
        begin, stop = self._begin, self._stop
        rows = run[_LEAD:].split(self._separator)
        rows[-1] = rows[-1].rstrip(b"\r\n")
        while rows and not (rows[-1].endswith(stop) and rows[-1].startswith(begin)):
            rows.pop()
        # a row may be too short for both: compiled, `row[first:until]` would not take it
        inside = itemgetter(slice(len(begin), -len(stop)))
        found: list[bytes] = list(map(inside, rows))
        # put together again they are what was read, or something stands between them
        whole = head + self._between.join(found) + self._tail
        if not run.startswith(whole):
            return _NONE
        texts = _decoded(found)
        if not texts:
            return _NONE
        self._tries = _TRIES_MAX
        return texts, len(whole)


def _decoded(texts: list[bytes]) -> list[str]:
    """The texts, from the insides of their strings; empty if one of them is none, or empty."""
    rows = b'["' + b'","'.join(texts) + b'"]'
    try:
        if rows.count(b'"') == 2 * len(texts) and rows.find(b'\\"') < 0:
            found = _texts(rows)
        else:
            # a quote inside, or what looks like one: each has to be a string by itself
            found = [_text(b'"' + one + b'"') for one in texts]
    except (ValueError, RecursionError):
        return []
    return [] if "" in found else found
