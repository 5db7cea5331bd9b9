"""Passes over vectors, pictures, sound and what was written of an answer, which have no codec."""

import msgspec

from growth import asked, streams, told
from trivium.conversation.honesty import Report
from trivium.faults import Fault, Kind
from trivium.wire import counting, form, multipart, peek, written
from trivium.wire.audio import subtitles
from trivium.wire.audio.length.measure import Meter as Length
from trivium.wire.embeddings import vectors as theirs
from trivium.wire.generate import speech
from trivium.wire.generate import vectors as googles
from trivium.wire.images import answer as drawn
from trivium.wire.images import edit
from trivium.wire.operation import CONVERSATION, Operation

WAV = b"RIFF\xff\xff\xff\x7fWAVE" + b"junk\x02\x00\x00\x00ab"


def _broken(_):
    return Fault(Kind.UPSTREAM_BROKE, "broken")


def _table(words, kind):
    return lambda n: peek.members(asked.body(words, kind, n)).table


def _vectors(n):
    rows = [{"index": at, "embedding": [0.5, 0.25]} for at in range(n)]
    return msgspec.json.encode({"data": rows, "usage": told.COUNTS})


def _between(read, write, body, count):
    """A request in one shape's words and its answer in the other's."""

    def make(n):
        wish = read(n)
        data = body(n)
        return lambda: write(data, count(wish), wish)

    return make


def _form(name):
    def make(n):
        parts = tuple(multipart.Part(name=name, filename="a", start=at, size=1) for at in range(n))
        made = form.FormMembers(parts)
        return lambda: (made.files("f"), form.texts(made, "f"))

    return make


def _sound(block):
    def make(n):
        data = block * n

        def work():
            length = Length()
            for at in range(0, len(data), 4096):
                length.feed(data[at : at + 4096])
            length.seconds()

        return work

    return make


def _wrote(shape, kind, *, whole):
    def make(n):
        data = told.body(shape.value, kind, n) if whole else streams.wire(shape.value, kind, n)
        pieces = [data] if whole else [data[at : at + 4096] for at in range(0, len(data), 4096)]

        def work():
            found = written.Delivered(shape, whole=whole)
            for piece in pieces:
                found.add(piece)
            found.written()

        return work

    return make


def _done(data, work):
    def make(n):
        given = data(n)

        def run():
            try:
                return work(given)
            except Fault as fault:
                return fault

        return run

    return make


def _sounds(n):
    part = {"inlineData": {"mimeType": "audio/L16;rate=24000", "data": "QUFB"}}
    return msgspec.json.encode({"candidates": [{"content": {"parts": [part] * n}}]})


def media():
    """All of them by name."""
    segments = lambda n: [subtitles.Segment(at, at + 1, "a --> b") for at in range(n)]  # noqa: E731
    of = {
        "vectors asked": (_table("embeddings", "inputs"), lambda rows: googles.write_batch(theirs.read_request(rows, "m"), "m", Report("t"))),
        "vectors asked by Google": (_table("embedded", "requests"), lambda rows: theirs.write_request(googles.read_batch(rows, "m"), "m", Report("t"))),
        "vectors asked in parts": (_table("embedded", "parts"), lambda rows: googles.read_one(rows, "m")),
        "vectors told": (_vectors, lambda data: googles.write_vectors(theirs.read_answer(data, data.count(b"index"), _broken), None, "m")),
        "vectors told by Google": (lambda n: told.body("vectors", "rows", n), lambda data: googles.read_vectors(data, data.count(b"values"), _broken)),
        "pictures told": (lambda n: told.body("images", "pictures", n), lambda data: drawn.pictures(drawn.view(data))),
        "pictures named": (lambda n: told.body("images", "pictures", n), lambda data: drawn.with_urls(data, ["https://example.org"] * data.count(b"b64_json"))),
        "pictures asked": (lambda n: peek.members(asked.body("pictures", "sources", n)), lambda rows: (edit.references(rows), edit.inline(rows))),
        "sound told": (_sounds, speech.read_answer),
        "subtitles": (segments, lambda rows: (subtitles.srt(rows), subtitles.vtt(rows))),
        "count asked": (lambda n: peek.members(asked.body("generate", "unknown_members", n)), lambda body: counting.request(Operation.GENERATE_COUNT, body)),
    }  # fmt: skip
    found = {name: _done(*one) for name, one in of.items()}
    found |= {
        "form files": _form("f"),
        "form files of a list": _form("f[]"),
        "length of chunks": _sound(WAV),
        "length of boxes": _sound(b"\x00\x00\x00\x08free"),
        "length of frames": _sound(b"\xff\xfb\x90\x00" + bytes(413)),
        "length of pages": _sound(b"OggS\x00" + bytes(22)),
        "length of elements": _sound(b"\x1a\x45\xdf\xa3\x80"),
    }
    for shape in sorted(CONVERSATION, key=lambda shape: shape.value):
        for kind in told.whole_kinds(shape.value):
            found[f"written {shape.value} {kind}"] = _wrote(shape, kind, whole=True)
        for kind in streams.kinds(shape.value):
            found[f"written stream {shape.value} {kind}"] = _wrote(shape, kind, whole=False)
    return found
