"""Passes over a caller's or a vendor's lists that no codec's job takes by itself."""

import base64
import contextlib

import msgspec

from growth import asked, streams, told
from growth.translating import hosted_body, over_answers, over_conversations
from trivium.conversation.losses import Rank, Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import target
from trivium.ledger import journal
from trivium.providers import error_body as bodies
from trivium.providers import error_text, failure, listed_prices
from trivium.providers.credential import HttpReply, Surroundings
from trivium.providers.identities import errands
from trivium.providers.repair import chat, messages, response_stream, responses
from trivium.response_store import items, page, policy, rows
from trivium.response_store.model import StoredResponse
from trivium.wire import (
    attribution,
    event_stream,
    form,
    json_size,
    length_prefixed,
    locate,
    long_strings,
    model_lists,
    models,
    multipart,
    multipart_writer,
    peek,
    references,
    sse,
    text_repair,
    token_count,
)
from trivium.wire import state_refs as signs
from trivium.wire.bedrock import invoke, ranks
from trivium.wire.bedrock.chunks import Framer, Unframer
from trivium.wire.generate import for_vertex, known_members, read_answer_parts, views
from trivium.wire.generate.answer_structs import CallChunk
from trivium.wire.generate.long_text import LongText
from trivium.wire.messages import hosted
from trivium.wire.operation import CONVERSATION, Operation, Shape
from trivium.wire.plain_words import only_words
from trivium.wire.state_refs import is_plain
from trivium.wire.vertex import predict

CHUNK = Framer().feed(b'event: ping\ndata: {"type":"ping"}\n\n', 1, 1)

LONG = msgspec.json.Decoder(CallChunk).decode
GOAL = target(StateOrigin("generate", "p", "main"), "m")


def over_bytes():
    """Passes over bodies, frames and forms."""
    objects = lambda n: b"[" + b",".join([b"{}"] * n) + b"]"  # noqa: E731 - one line of data
    texts = lambda n: b"[" + b",".join([b'"{{\\""'] * n) + b"]"  # noqa: E731
    sealed = lambda n: b",".join([b'"signature":"' + b"A" * 40 + b'"'] * n)  # noqa: E731
    called = lambda n: b",".join([b'"call_tvm%024x"' % at for at in range(n)])  # noqa: E731
    input_ = lambda kind: lambda n: msgspec.json.encode(asked.responses(n)[kind]()["input"])  # noqa: E731
    said = lambda kind: lambda n: told.body("responses", kind, n)  # noqa: E731
    frames = lambda n: streams.wire("chat", "texts", n)  # noqa: E731
    blanks = lambda n: b"\n" * (8 * n) + b"data: {}\n\n"  # noqa: E731
    lines = lambda n: b"data: a\n" * n + b"\n"  # noqa: E731
    half = b'data: {"choices":[{"index":0,"delta":{"content":"\\u%b"}}]}\n\n'
    halved = lambda n: (half % b"d83d" + half % b"de00") * (n // 2)  # noqa: E731
    call = b'{"functionCall":{"name":"t"}}'
    rivals = lambda n: b'{"candidates":[%b]}' % b",".join([b'{"avgLogprobs":-0.5,"index":1}'] * n)  # noqa: E731
    crowded = lambda n: b'{"candidates":[{"content":{"parts":[%b]}}]}' % b",".join([call] * n)  # noqa: E731

    def fields(n):
        return (
            b"".join(
                b'--b\r\nContent-Disposition: form-data; name="f%d"\r\n\r\nv\r\n' % at
                for at in range(n)
            )
            + b"--b--\r\n"
        )

    def one_field(n):
        return (
            b'--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n'
            + b"-" * (8 * n)
            + b"\r\n--b--\r\n"
        )

    def head(n):
        return (
            b'--b\r\nContent-Disposition: form-data; name="'
            + b"f" * (8 * n)
            + b'"\r\n\r\n\r\n--b--\r\n'
        )

    def errors(n):
        return msgspec.json.encode(
            {"error": {"message": "word " * n, **{f"x{at}": at for at in range(n)}}}
        )

    of = {
        "bulk of objects": (objects, lambda data: json_size.exceeds(data, 10)),
        "bulk of texts": (texts, lambda data: json_size.exceeds(data, 10)),
        "members of long names": (lambda n: b'{"' + b"n" * (8 * n) + b'":1}', peek.members),
        "members twice": (lambda n: msgspec.json.encode({f"A{at}": 1 for at in range(n)})[:-1] + b',"a0":1}', peek.members),
        "members that are no text": (
            lambda n: b"{" + b",".join([b'"a%d":1' % at for at in range(n)]) + b',"b":"\xff"}',
            peek.members,
        ),
        "a long text that is none": (
            lambda n: b'{"a":"' + "\u65e5".encode() * (100_000 + 8 * n) + b'\xff"}',
            peek.members,
        ),
        "a vendor's list of models": (lambda n: b'{"data":[%b]}' % b",".join([b'{"id":"a%d"}' % at for at in range(n)]), _vendors_list),
        "prices of a vendor's model": (lambda n: b'{"pricing":{%b}}' % b",".join([b'"prompt%d":"1"' % at for at in range(n)]) , lambda data: listed_prices.listed_price("openrouter", data)),
        "sse blocks": (frames, sse.blocks),
        "sse frames": (frames, sse.frames),
        "sse frames of blank lines": (blanks, sse.frames),
        "sse frame of lines": (lines, sse.frames),
        "sse window of lines": (lambda n: b"id: a\n" * n + b"data: a\n\n", sse.window),
        "sse window": (lambda n: b"data: " + b"a" * (8 * n) + b"\n\n", sse.window),
        "sse unbroken": (lambda n: frames(n).replace(b"a", "\u2028".encode()), sse.unbroken),
        "sse completed": (lambda n: b"data: " + b"a" * n, sse.completed),
        "sse in pieces": (lambda n: frames(n // 4), _in_pieces(sse.Splitter, 7)),
        "sse blanks in pieces": (blanks, _in_pieces(sse.Splitter, 7)),
        "sse event in pieces": (lambda n: streams.wire("chat", "long_event", n // 8), _in_pieces(sse.Splitter, 7)),
        "sse huge event in pieces": (lambda n: b"data: " + b"a" * (sse.HUGE + 8 * n) + b"\n\n", _cut_in_pieces),
        "prefixed frames": (lambda n: b"\0\0\0\3abc" * n, lambda data: length_prefixed.Frames().feed(data)),
        "prefixed frames in pieces": (lambda n: b"\0\0\0\3abc" * (n // 4), _in_pieces(length_prefixed.Frames, 7)),
        "a prefixed frame in pieces": (lambda n: b"\0\xff\xff\xff" + b"a" * n, _in_pieces(length_prefixed.Frames, 7)),
        "event frames": (lambda n: event_stream.event("e", b"{}") * (n // 8), lambda data: event_stream.EventFrames().feed(data)),
        "event frames in pieces": (lambda n: event_stream.event("e", b"{}") * (n // 64), _in_pieces(event_stream.EventFrames, 7)),
        "an event frame in pieces": (lambda n: event_stream.event("e", b"a" * n), _in_pieces(event_stream.EventFrames, 7)),
        "strings kept apart": (lambda n: b'["",' + b",".join([b'"%b"' % (b"QUJD" * long_strings.LONG_BYTES)] * (n // 256 + 1)) + b"]", _kept_apart),
        "a string kept apart in pieces": (lambda n: b'"' + b"QUJD" * (8 * n), lambda data: _kept_apart(data, 64)),
        "chunks unframed": (lambda n: CHUNK * (n // 8), lambda data: Unframer().feed(data)),
        "chunks unframed in pieces": (lambda n: CHUNK * (n // 64), _in_pieces(Unframer, 7)),
        "a chunk of much": (lambda n: Framer().feed(b'data: {"a":"%b"}\n\n' % (b"a" * (8 * n)), 1, 1), lambda data: Unframer().feed(data)),
        "a chunk of lines": (lambda n: event_stream.event("chunk", msgspec.json.encode({"bytes": b"{%b}" % (b"\r\n" * (8 * n))})), lambda data: Unframer().feed(data)),
        "chunks framed": (lambda n: streams.wire("messages", "texts", n), lambda data: Framer().feed(data, 1, 1)),
        "a chunk framed": (lambda n: b'event: message_stop\ndata: {"type":"message_stop","a":"%b"}\n\n' % (b"a" * (8 * n)), lambda data: Framer().feed(data, 1, 1)),
        "a hosted body": (lambda n: b'{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[%b]}' % b",".join([b"{}"] * n), hosted_body),
        "betas of a body": (lambda n: b'{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["%b"]}' % (b"a" * (8 * n)), hosted_body),
        "betas of a header": (lambda n: "a," * n, lambda header: hosted.joined(hosted.split(header))),
        "ranks of invoke": (lambda n: b'{"query":"q","documents":[%b],"api_version":2}' % b",".join([b'"a"'] * n), lambda data: ranks.asked(peek.members(data), "m")),
        "ranks told to invoke": (lambda n: b'{"results":[%b]}' % b",".join([b'{"index":0,"relevance_score":0.5}'] * n), ranks.ranked),
        "a count of invoke": (lambda n: b'{"input":{"invokeModel":{"body":"%b"}}}' % base64.b64encode(b'{"anthropic_version":"bedrock-2023-05-31","messages":"%b"}' % (b"a" * (8 * n))), lambda data: invoke.for_count(invoke.counted(invoke.token_input(peek.members(data)).invokeModel.body, "m", 100)[0])),
        "counters of invoke": (lambda n: b'{"content":[%b],"usage":{"input_tokens":1}}' % b",".join([b"{}"] * n), invoke.counters),
        "predict of a long text": (lambda n: b'{"instances":[{"content":"%b"}]}' % (b"a" * (8 * n)), lambda data: predict.asked(peek.members(data), "m")),
        "predictions": (lambda n: b'{"embeddings":[%b]}' % b",".join([b'{"values":[0.5]}'] * n), predict.predictions),
        "event frame written": (lambda n: b"a" * n, lambda data: event_stream.event("e", data)),
        "sse halves": (halved, _in_pieces(text_repair.RepairingSplitter, 30_000)),
        "members made slim": (lambda n: msgspec.json.encode({f"a{at}": 1 for at in range(n)}), lambda data: peek.members(data).slim(frozenset())),
        "chunk of candidates": (rivals, lambda data: known_members.rated(LONG(data), lambda *_: None)),
        "chunk of calls": (crowded, lambda data: read_answer_parts.others(views.chunk(data))),
        "locate": (frames, lambda data: locate.holding(data, (b'"usage"', b'"error"'))),
        "locate in one": (lambda n: b"data: " + b'"usage"' * n + b"\n\n", lambda data: locate.holding(data, (b'"usage"', b'"error"'))),
        "form in pieces": (one_field, _form(64)),
        "form of fields": (fields, _form(1 << 40)),
        "form of one name": (head, _form(64)),
        "form of a torn end": (lambda n: one_field(n)[:-9], _form(1 << 40)),
        "form members": (lambda n: tuple(multipart.Part(name=f"f[{at}]", value=b"v") for at in range(n)), form.FormMembers),
        "form of many of a list": (lambda n: (multipart.Part(name="f[]", value=b"v"),) * n, form.FormMembers),
        "form of many of an object": (lambda n: tuple(multipart.Part(name=f"f[k{at}]", value=b"v") for at in range(n)), form.FormMembers),
        "form written": (lambda n: [multipart.Part(name=f"f{at}", value=b"v") for at in range(n)], lambda parts: multipart_writer.size_of(multipart_writer.written(parts, b"b"))),
        "recall listed": (input_("one_role"), items.listed),
        "recall references": (input_("references"), items.references),
        "recall thoughts": (input_("thoughts"), items.references),
        "recall said": (said("items"), lambda data: items.said_in(data, stream=False)),
        "recall said in a stream": (lambda n: streams.wire("responses", "texts", n), lambda data: items.said_in(data, stream=True)),
        "recall by id": (input_("references"), lambda data: (items.by_id(items.listed(data)), items.ids(items.listed(data)))),
        "recall named": (input_("one_role"), lambda data: [items.named(row, "resp_1", at) for at, row in enumerate(items.listed(data))]),
        "recall pieces": (input_("one_role"), lambda data: rows.compressed(b"{}", items.pieces(data, "resp_1", 0)[1])),
        "recall pieces of an item": (lambda n: b'[{"content":"' + b"a" * (65_536 + 8 * n) + b'"' + b"".join(b',"m%d":1' % at for at in range(n)) + b"}]", lambda data: rows.compressed(b"{}", items.pieces(data, "resp_1", 0)[1])),
        "offsets into a long text": (lambda n: "a\u00e9\u6674" * n, _long_text),
        "offsets into a long text in pieces": (lambda n: ["a\u00e9"] * n, _long_text),
        "recall history": (input_("calls"), lambda data: items.array(items.history(items.listed(data), items.listed(data)))),
        "recall page": (input_("references"), _page),
        "attribution of labels": (
            lambda n: {"labels": msgspec.Raw(msgspec.json.encode({f"a{at}": "b" for at in range(n)}))},
            lambda table: attribution.read({}.get, table),
        ),
        "attribution of tags": (
            lambda n: {"metadata": msgspec.Raw(msgspec.json.encode({"tags": [f"t{at}" for at in range(n)]}))},
            lambda table: (attribution.read({}.get, table), attribution.without_tags(table["metadata"])),
        ),
        "attribution in headers": (
            lambda n: {b"trivium-tags": b"t," * n, b"trivium-end-user": b"u\0" * n},
            lambda headers: attribution.read(headers.get, {}),
        ),
        "recall refers": (lambda n: asked.body("responses", "references", n), lambda data: policy.refers(peek.members(data))),
        "repair of contents without roles": (
            lambda n: b'{"contents":[' + b",".join([b'{"parts":[{"text":"a"}]}'] * n) + b"]}",
            lambda data: for_vertex.changes(Operation.GENERATE, peek.members(data)),
        ),
        "repair of a wrapped count": (
            lambda n: b'{"generateContentRequest":{"contents":[' + b",".join([b"{}"] * n) + b"]}}",
            for_vertex.counted,
        ),
        "what a token service says": (
            lambda n: b"a1b2c3d4e5f6g7h8 " * n, _told_of,
        ),
        "repair of a whole answer": (said("items"), lambda data: responses.answer(data, model="m", limit=9, at=1)),
        "repair of many parts": (said("parts"), lambda data: responses.answer(data, model="m", limit=9, at=1)),
        "error": (errors, lambda data: (bodies.read(data), failure.error_event(data))),
        "error of nested texts": (lambda n: b"[" * n, lambda data: (bodies.read(data), failure.error_event(data))),
        "error of long words": (lambda n: "a1" * (8 * n), error_text.public),
        "error of short words": (lambda n: "a1b2 " * n, error_text.public),
        "error of addresses": (lambda n: "https://a" * n, error_text.public),
        "journal": (lambda n: b"".join(journal.line(b'["r","req_%d"]' % at) for at in range(n)), lambda data: journal.read([data])),
        "journal of garbage": (lambda n: b"00000000 [" * n, lambda data: journal.read([data])),
        "count": (lambda n: told.body("count", "unknown_members", n), lambda data: token_count.read(Operation.MESSAGES_COUNT, data, failure.error_event)),
        "catalogue": (lambda n: [models.ListedModel(id=f"m{at}", owned_by="o") for at in range(n)], _listed),
        "report": (range, _reported),
    }  # fmt: skip
    for shape in CONVERSATION:
        for name, data in {"seals": sealed, "calls": called}.items():
            of[f"signs of {name} {shape.value}"] = (data, lambda data, shape=shape: (is_plain(data, shape), signs.any_in(data, shape), signs.found(data, shape), signs.native(data, shape)))  # fmt: skip
    for slot, row in {"messages": b'{"role":"user","content":"a"}', "contents": b'{"parts":[{"text":"a"}]}'}.items():  # fmt: skip
        shape = Shape.CHAT if slot == "messages" else Shape.GENERATE
        of[f"words of {slot}"] = (lambda n, slot=slot, row=row: b'{"%b":[%b]}' % (slot.encode(), b",".join([row] * n)), lambda data, shape=shape: only_words(peek.members(data), shape))  # fmt: skip
        of[f"words beside {slot}"] = (lambda n, slot=slot: b'{"%b":"a","system":"%b"}' % (slot.encode(), b"a" * (8 * n)), lambda data, shape=shape: only_words(peek.members(data), shape))  # fmt: skip
    for shape in CONVERSATION:
        for name, word in {
            "addresses": b'"url":"https://a",',
            "files": b'"fileData":{"fileUri":"a"},',
        }.items():
            of[f"references of {name} {shape.value}"] = (lambda n, word=word: word * n, lambda data, shape=shape: references.tokens(data, shape))  # fmt: skip
    for kind in streams.kinds("responses"):
        of[f"repair of responses {kind}"] = (_stream("responses", kind), _rewritten(lambda: response_stream.Events(model="m", limit=9, at=1)))  # fmt: skip
    for kind in streams.kinds("messages"):
        of[f"repair of messages {kind}"] = (_stream("messages", kind), _rewritten(lambda: messages.OpeningRepair(model="m", at=1, input_tokens=9), messages.rewrite))  # fmt: skip
    for kind in streams.kinds("chat"):
        of[f"repair of chat {kind}"] = (_stream("chat", kind), _rewritten(chat.Roles))

    def row(data, work):
        def make(n):
            from growth.rows import settled

            given = data(n)
            return settled(lambda: work(given))

        return make

    return {name: row(*one) for name, one in of.items()}


def _stream(shape, kind):
    return lambda n: streams.wire(shape, kind, n)


def _rewritten(made, also=None):
    def work(data):
        one = made()
        for frame in sse.frames(data):
            if also is not None:
                also(frame.data)
            one.rewrite(frame.data)

    return work


def _cut_in_pieces(data):
    one = sse.Splitter()
    for at in range(0, len(data), 65_536):
        list(one.cut(data[at : at + 65_536]))


def _in_pieces(made, size):
    def work(data):
        one = made()
        for at in range(0, len(data), size):
            one.feed(data[at : at + size])

    return work


def _form(size):
    def work(data):
        reader = multipart.FormReader(
            b"b", lambda _: None, multipart.Limits(parts=10**9, fields_bytes=10**9)
        )
        for at in range(0, len(data), size):
            reader.feed(data[at : at + size])
        reader.finish()

    return work


def _told_of(data):
    """Everything that was sent comes back."""
    around = Surroundings(
        base_url="https://x.example", proxy=None, ca_file=None, limit_s=1,
        ask=lambda *_: HttpReply(status=400, headers={}, body=data),
    )  # fmt: skip
    one = errands.Errands(around)
    one.send("POST", "https://x.example/", body=data)
    one.cleaned(data.decode())


def _page(data):
    kept = StoredResponse(
        user_id=7, id="resp_1", key_id=1, model="m", channel="a", status="completed",
        created_at=1, expires_at=2, response=b"{}", input=tuple(items.listed(data)),
    )  # fmt: skip
    page.input_items(kept, {"after": "msg_1"})


def _long_text(pieces):
    text = LongText()
    for piece in [pieces] if isinstance(pieces, str) else pieces:
        text.add(piece)
    for at in range(len(pieces)):
        text.in_bytes(at)


def _listed(found):
    for shape in Shape:
        models.many(shape, found, {})


def _reported(numbers):
    report = Report("t")
    for at in numbers:
        report.omit(Rank.BOOKKEEPING, f"m{at}", "kept")
        report.omit(Rank.HINT, f"h{at}", "dropped")
    report.dropped_names(), report.dropped_header()


def _kept_apart(data, cut=65_536):
    found = long_strings.LongStrings()
    for at in range(0, len(data), cut):
        found.add(data[at : at + cut])
    return found.small()


def _vendors_list(data):
    """A list of models as far as it may be read."""
    with contextlib.suppress(model_lists.ModelListError):
        model_lists.read_page(data)


def passes():
    """All of them by name."""
    return over_conversations() | over_answers() | over_bytes()
