"""Passes over vectors, pictures, sound and what was written of an answer, which have no codec."""

import msgspec

from growth import asked, streams, told
from trivium.conversation import image_info
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank, Report
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation, Extension
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire import form, models, multipart, output_count, peek, token_count
from trivium.wire.audio import subtitles, transcript
from trivium.wire.audio.length import wav
from trivium.wire.audio.length.measure import LengthMeter as Length
from trivium.wire.bedrock import invoked_vectors as invoked
from trivium.wire.bedrock import vectors as bedrocks
from trivium.wire.cohere import vectors as coheres
from trivium.wire.completions import write_answer as completed
from trivium.wire.embeddings import vectors as theirs
from trivium.wire.generate import speech
from trivium.wire.generate import vectors as googles
from trivium.wire.images import answer as drawn
from trivium.wire.images import edit, generate, request
from trivium.wire.operation import CONVERSATION, Operation, Shape
from trivium.wire.vertex import embed_content as contents
from trivium.wire.vertex import vectors as vertexes
from trivium.wire.videos import request as videos

_VECTORS = VectorRequest(inputs=("Hi",), packed=True)
STREAMED = wav.header(0xFFFFFFFF - 36, 24_000)[:-4] + b"\xff\xff\xff\xff"
"""The head of a WAV file that is written while it is recorded."""
WAV = b"RIFF\xff\xff\xff\x7fWAVE" + b"junk\x02\x00\x00\x00ab"


def _broken(_):
    return Fault(Kind.UPSTREAM_BROKE, "broken")


def _table(words, kind):
    return lambda n: peek.members(asked.body(words, kind, n)).table


def _vectors(n):
    rows = [{"index": at, "embedding": [0.5, 0.25]} for at in range(n)]
    return msgspec.json.encode({"data": rows, "usage": told.COUNTS})


def _form(name):
    def make(n):
        parts = tuple(multipart.Part(name=name, filename="a", start=at, size=1) for at in range(n))
        made = form.FormMembers(parts)
        return lambda: (made.files("f"), form.texts(made, "f"))

    return make


def _sound(block, head=b""):
    def make(n):
        data = head + block * n

        def work():
            length = Length()
            for at in range(0, len(data), 4096):
                length.feed(data[at : at + 4096])
            length.seconds()

        return work

    return make


def _wrote(shape, kind, *, whole):
    """Of a stream, what is written beyond what is kept of it whole."""
    before = b"" if whole else b": %b\n\n" % (b"a" * output_count.KEPT_BYTES)

    def make(n):
        data = (
            told.body(shape.value, kind, n)
            if whole
            else before + streams.wire(shape.value, kind, n)
        )
        pieces = [data] if whole else [data[at : at + 4096] for at in range(0, len(data), 4096)]

        def work():
            found = output_count.DeliveredOutput(shape, whole=whole)
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


def _texts(name, value):
    """A form's members with so many texts of one name."""
    return lambda n: form.FormMembers((_FILE, *[multipart.Part(name=name, value=value)] * n))


_FILE = multipart.Part(name="file", filename="a", start=1, size=1)
_WISH = request.ImageRequest(prompt="Hi", size="1024x1024")


def _pictures(n):
    """A form with so many pictures."""
    one = multipart.Part(name="image[]", filename="a", start=1, size=1)
    return form.FormMembers((multipart.Part(name="prompt", value=b"Hi"), *[one] * n))


def _edited(made):
    edit.wish_of(made, Operation.IMAGES_EDIT)
    edit.parts(made, "m", frozenset())
    edit.check_pictures(made, Operation.IMAGES_EDIT, None, "m")


def _drawn(part):
    one = {"finishReason": "STOP", "content": {"parts": [part]}}
    return lambda n: msgspec.json.encode({"candidates": [one] * n})


def _draw(data):
    return generate.write_answer(generate.read_answer(data, _broken, "1024x1024"), 1)


def _listed(n):
    return [models.ListedModel(id=f"m{at}", owned_by="o") for at in range(n)]


def seldom():
    """Passes over what few callers send much of, by name."""
    blob = {"inlineData": {"mimeType": "image/png", "data": "QUFB"}}
    spoken = Conversation(shape="completions", model="m", stream=True)
    return {
        "form granularities": (_texts("timestamp_granularities[]", b"word"), transcript.read_request),
        "form includes": (_texts("include[]", b"logprobs"), transcript.read_request),
        "form speakers": (_texts("known_speaker_names[]", b"a"), transcript.read_request),
        "form pictures": (_pictures, _edited),
        "form video": (lambda n: [multipart.Part(name="model", value=b"m"), *[multipart.Part(name=f"x{at}", value=b"a") for at in range(n)]], videos.read_form),
        "form video of a reference": (lambda n: [multipart.Part(name="input_reference", value=msgspec.json.encode({f"x{at}": 1 for at in range(n)}))], videos.read_form),
        "video asked": (lambda n: peek.members(msgspec.json.encode({"prompt": "Hi", "input_reference": {f"x{at}": 1 for at in range(n)}})), videos.read),
        "video of unknown members": (lambda n: msgspec.json.encode({"prompt": "Hi", **{f"x{at}": 1 for at in range(n)}}), lambda data: videos.read(peek.members(data))),
        "vectors measured": (lambda n: theirs.read_request(peek.members(asked.body("embeddings", "inputs", n)).table, "m"), lambda asks: asks.size),
        "vectors told again": (lambda n: theirs.read_answer(_vectors(n), n, _broken), lambda told: theirs.write_answer(told, _VECTORS, "m")),
        "pictures asked of Google": (lambda n: [generate.SourceImage("image/png", "QUFB")] * n, lambda rows: generate.write_request(_WISH, rows, lambda _: None, Report("t"))),
        "pictures drawn": (_drawn(blob), _draw),
        "no pictures drawn": (_drawn({"text": "a"}), _draw),
        "pictures declined": (_drawn({}), _draw),
        "count written": (lambda n: asked.body("generate", "unknown_members", n), lambda data: token_count.body(Operation.GENERATE_COUNT, data, "m")),
        "count written of messages": (lambda n: asked.body("messages", "unknown_members", n), lambda data: token_count.body(Operation.MESSAGES_COUNT, data, "m")),
        "model of many": (_listed, lambda rows: models.one(Shape.CHAT, rows, "none")),
        "page of many models": (_listed, lambda rows: models.many(Shape.MESSAGES, rows, {"after_id": rows[-1].id})),
        "prompt repeated": (lambda n: msgspec.structs.replace(spoken, turns=(Turn(Role.USER, (Text("a"),)),) * n), completed.prompt_of),
        "size of a picture": (lambda n: b"\xff\xd8" + b"\xff\xe0\x00\x02" * n, image_info.size),
    }  # fmt: skip


def media():
    """All of them by name."""
    segments = lambda n: [subtitles.SpeechSegment(at, at + 1, "a --> b") for at in range(n)]  # noqa: E731
    of = {
        "vectors asked": (_table("embeddings", "inputs"), lambda rows: googles.write_batch(theirs.read_request(rows, "m"), "m", Report("t"))),
        "vectors asked by Google": (_table("embedded", "requests"), lambda rows: theirs.write_request(googles.read_batch(rows, "m"), "m", Report("t"))),
        "vectors asked in parts": (_table("embedded", "parts"), lambda rows: googles.read_one(rows, "m")),
        "texts asked of Cohere": (_table("embeddings", "inputs"), lambda rows: coheres.write_request(theirs.read_request(rows, "m"), "m", Report("t"))),
        "texts asked of Bedrock": (_table("embeddings", "inputs"), lambda rows: bedrocks.write_request(theirs.read_request(rows, "m"), "cohere.embed-v4:0", Report("t"))),
        "texts asked by Cohere's": (_table("cohere_texts", "texts"), lambda rows: theirs.write_request(coheres.read_request(rows, "m"), "m", Report("t"))),
        "inputs asked by Cohere's": (_table("cohere_texts", "inputs"), lambda rows: coheres.read_request(rows, "m")),
        "pieces asked by Cohere's": (_table("cohere_texts", "pieces"), lambda rows: coheres.read_request(rows, "m")),
        "kinds asked by Cohere's": (_table("cohere_texts", "kinds"), lambda rows: coheres.read_request(rows, "m")),
        "vectors told by Cohere": (lambda n: told.body("cohere_vectors", "vectors", n), lambda data: coheres.write_answer(coheres.read_answer(data, data.count(b"[0.5"), _broken), _VECTORS, "m")),
        "packed vectors told by Cohere": (lambda n: told.body("cohere_vectors", "packed_vectors", n), lambda data: coheres.read_answer(data, data.count(b"AAAA"), _broken)),
        "vectors asked of Vertex": (_table("embeddings", "inputs"), lambda rows: vertexes.write_request(theirs.read_request(rows, "m"), "m", Report("t"))),
        "hints asked of Vertex": (lambda n: VectorRequest(inputs=("a",), extensions=(Extension("x", b"1", Rank.HINT),) * n), lambda wanted: vertexes.write_request(wanted, "m", Report("t"))),
        "vectors told by Vertex": (lambda n: b'{"predictions":[' + b",".join([b'{"embeddings":{"values":[0.5],"statistics":{"token_count":1}}}'] * n) + b"]}", lambda data: vertexes.read_vectors(data, data.count(b"values"), _broken)),
        "hints asked of Vertex's embedContent": (lambda n: VectorRequest(inputs=("a",), extensions=(Extension("x", b"1", Rank.HINT),) * n), lambda wanted: contents.write_request(wanted, "m", Report("t"))),
        "a vector told by embedContent": (lambda n: b'{"embedding":{"values":[%b]}}' % b",".join([b"0.5"] * n), lambda data: contents.read_vectors(data, 1, _broken)),
        "members asked by Titan's": (lambda n: peek.members(b'{"inputText":"a"%b}' % b"".join([b',"x%d":1' % at for at in range(min(n, 900))])).table, lambda rows: invoked.read_titan(rows, "m")),
        "forms asked by Titan's": (lambda n: peek.members(b'{"inputText":"a","embeddingTypes":[%b]}' % b",".join([b'"float"'] * n)).table, lambda rows: invoked.read_titan(rows, "m")),
        "vectors told to Cohere's on Bedrock": (lambda n: (VectorAnswer(vectors=([0.5],) * n), VectorRequest(inputs=("a",) * n)), lambda pair: invoked.write_floats(*pair, "m")),
        "hints asked of Titan": (lambda n: VectorRequest(inputs=("a",), extensions=(Extension("x", b"1", Rank.HINT),) * n), lambda wanted: bedrocks.write_request(wanted, "amazon.titan-embed-text-v2:0", Report("t"))),
        "vectors told": (_vectors, lambda data: googles.write_vectors(theirs.read_answer(data, data.count(b"index"), _broken), None, "m")),
        "vectors told by Google": (lambda n: told.body("vectors", "rows", n), lambda data: googles.read_vectors(data, data.count(b"values"), _broken)),
        "pictures told": (lambda n: told.body("images", "pictures", n), lambda data: drawn.pictures(drawn.view(data))),
        "pictures named": (lambda n: told.body("images", "pictures", n), lambda data: drawn.with_urls(data, ["https://example.org"] * data.count(b"b64_json"))),
        "pictures asked": (lambda n: peek.members(asked.body("pictures", "sources", n)), lambda rows: (edit.references(rows), edit.inline(rows))),
        "sound told": (_sounds, speech.read_answer),
        "subtitles": (segments, lambda rows: (subtitles.srt(rows), subtitles.vtt(rows))),
        "count asked": (lambda n: asked.body("generate", "unknown_members", n), lambda data: token_count.request(Operation.GENERATE_COUNT, peek.members(data))),
    }  # fmt: skip
    found = {name: _done(*one) for name, one in (of | seldom()).items()}
    found |= {
        "form files": _form("f"),
        "form files of a list": _form("f[]"),
        "length of chunks": _sound(WAV),
        "length of a chunk without a length": _sound(b"\x00" * 256, STREAMED),
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
