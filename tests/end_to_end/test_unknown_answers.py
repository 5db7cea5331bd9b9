"""What a vendor answers that nobody has heard of: its words are carried, the rest is reported.

Every pair of shapes, whole and streamed, through the lane itself. A member, a kind of part and a
reason for the end that no reader knows; and an answer that is nothing else.
"""

import json
from types import SimpleNamespace

import msgspec
import pytest

from end_to_end.features.answering import (
    chat,
    cohere,
    converse,
    generate,
    message,
    messages,
    responses,
)
from end_to_end.features.asking import SHAPES
from end_to_end.features.streams import frames, named, plain, told
from end_to_end.features.verdicts import (
    GREETING,
    conversation,
    excused,
    heard,
    operation,
    origin,
    reading,
    writing,
)
from end_to_end.sdk.vendor import FIXTURES
from trivium.conversation.parts import Text
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.target import target
from trivium.faults import Fault, Kind
from trivium.pipeline.translation import Translation
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

PAIRS = [(caller, upstream) for upstream in SHAPES for caller in SHAPES if caller != upstream]
MUTE = {"type": "hologram", "rays": [1]}
LOUD = {"type": "hologram", "text": "Behold."}


def lane(caller, upstream, *, stream=False):
    """One attempt's translation."""
    read = CODECS[Shape(upstream)]
    goal = target(origin(upstream), "m")
    provider = SimpleNamespace(quirks=frozenset())
    step = SimpleNamespace(
        operation=operation(upstream),
        binding=SimpleNamespace(
            targets={Shape(upstream): goal}, channel=SimpleNamespace(provider=provider)
        ),
    )
    by_path = caller in ("generate", "converse")
    body = GREETING[caller] | ({"stream": True} if stream and not by_path else {})
    spoken = conversation(caller, body, **({"stream": stream} if by_path else {}))
    return Translation(step, read, CODECS[Shape(caller)], spoken, writing(caller), lambda *_: True)


def whole(caller, upstream, body):
    """The words of the answer that the caller reads, and what the report says of it."""
    one = lane(caller, upstream)
    out = one.whole(json.dumps(body).encode())
    return words(caller, out.body), one.report


def words(caller, body):
    """The words of an answer."""
    found = CODECS[Shape(caller)].read_answer(excused(caller, bytes(body)), reading(caller))
    return "".join(part.text for part in found.candidates[0].parts if isinstance(part, Text))


def streamed(caller, upstream, wire):
    """The words of a stream, what the report says of it, and the error it ended with."""
    one = lane(caller, upstream, stream=True)
    watch = one.watch()
    out = b"".join(watch.feed(wire[at : at + 50]) for at in range(0, len(wire), 50))
    out += watch.end(None, "req_1")
    answer = heard(caller, excused(caller, out) if watch.error is None else out)
    if answer.fault is not None:
        return None, one.report, watch.error
    parts = answer.answer().candidates[0].parts
    return "".join(part.text for part in parts if isinstance(part, Text)), one.report, None


def members(report):
    """What a report says was left out or changed."""
    return {drop.member: drop.reason for drop in report.drops}


SHIMMERING = {
    "chat": chat("Hi") | {"shimmer": 1},
    "responses": responses(message("Hi")) | {"shimmer": 1},
    "messages": messages("Hi") | {"shimmer": 1},
    "generate": generate("Hi") | {"shimmer": 1},
    "converse": converse("Hi") | {"shimmer": 1},
    "cohere": cohere("Hi") | {"shimmer": 1},
}
"""An answer with a member that nobody knows."""
MIXED = {
    "chat": chat({"content": [{"type": "text", "text": "Hi. "}, MUTE, LOUD]}),
    "responses": responses(message("Hi. "), MUTE, {"type": "hologram", "content": [LOUD]}),
    "messages": messages("Hi. ", MUTE, LOUD),
    "generate": generate("Hi. ", {"hologram": {"rays": [1]}}, "Behold."),
    "converse": converse("Hi. ", {"hologram": {"rays": [1]}}, {"hologram": {"text": "Behold."}}),
    "cohere": cohere("Hi. ", MUTE, LOUD),
}
"""An answer with parts of a kind that nobody knows, with words and without."""
ALONE = {
    "responses": responses(MUTE),
    "messages": messages(MUTE),
    "generate": generate({"hologram": {"rays": [1]}}),
    "converse": converse({"hologram": {"rays": [1]}}),
    "cohere": cohere(MUTE),
}
"""An answer that is nothing else. Of a chat answer nothing tells a part from an odd list."""
ENDING = {
    "chat": chat("Hi", finish="eclipse"),
    "responses": responses(message("Hi"), status="incomplete", reason="eclipse"),
    "messages": messages("Hi", stop="eclipse"),
    "generate": generate("Hi", finish="ECLIPSE"),
    "converse": converse("Hi", stop="eclipse"),
    "cohere": cohere("Hi", finish="ECLIPSE"),
}
"""An answer that ended for a reason nobody knows."""


@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
def test_a_member_that_nobody_knows_is_reported(caller, upstream):
    """By its name, in the header of the answer."""
    said, report = whole(caller, upstream, SHIMMERING[upstream])
    assert ("Hi", "answer.shimmer") == (said, *members(report))
    assert "answer.shimmer;act=dropped" in report.dropped_header()


@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
def test_words_of_a_part_that_nobody_knows_are_carried(caller, upstream):
    """As text; a part without any is reported by its kind."""
    said, report = whole(caller, upstream, MIXED[upstream])
    assert "Hi. Behold." == said
    assert "answer.hologram" in members(report)


@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
def test_an_end_that_nobody_knows_is_reported(caller, upstream):
    """In the vendor's own word; it never looks complete."""
    said, report = whole(caller, upstream, ENDING[upstream])
    assert "Hi" == said
    reason = members(report).get("answer.finish", "generate has a word for it")
    assert "eclipse" in reason.lower() or caller == "generate"


@pytest.mark.parametrize(("caller", "upstream"), [pair for pair in PAIRS if pair[1] in ALONE])
def test_an_answer_of_nothing_known_is_no_success(caller, upstream):
    """An empty answer would look like one that had nothing to say."""
    with pytest.raises(Fault, match="hologram") as raised:
        whole(caller, upstream, ALONE[upstream])
    assert Kind.UPSTREAM_BROKE is raised.value.kind


def of_messages(*blocks):
    """A message in events: each block whole at its start, its text in deltas."""
    body = messages()
    out = [named({"type": "message_start", "message": body | {"content": [], "shimmer": 1}})]
    for at, block in enumerate(blocks):
        text = block.get("text", "")
        begun = {**block, **({"text": ""} if text else {})}
        out.append(named({"type": "content_block_start", "index": at, "content_block": begun}))
        out += [
            named({
                "type": "content_block_delta", "index": at,
                "delta": {"type": "text_delta", "text": piece},
            })
            for piece in (text[:2], text[2:]) if piece
        ]  # fmt: skip
        out.append(named({"type": "content_block_stop", "index": at}))
    out.append(
        named(
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": body["usage"]}
        )
    )
    return b"".join([*out, named({"type": "message_stop"})])


def of_responses(*items):
    """A response in events: each item only when it is done."""
    body = responses(*items) | {"shimmer": 1}
    out = [named({"type": "response.created", "response": body | {"output": []}})]
    out += [
        named({"type": "response.output_item.done", "output_index": at, "item": item})
        for at, item in enumerate(body["output"])
    ]
    out.append(named({"type": "response.completed", "response": body}))
    return b"".join(out)


def of_chat(*deltas):
    """A chat stream."""
    base = {"id": "c1", "model": "m", "shimmer": 1}
    rows = [base | {"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    rows.append(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(plain(row) for row in rows) + b"data: [DONE]\n\n"


def of_generate(*parts):
    """A stream of one part each."""
    rows = [
        {"shimmer": 1, "candidates": [{"index": 0, "content": {"parts": [part]}}]} for part in parts
    ]
    rows[-1]["candidates"][0]["finishReason"] = "STOP"
    return b"".join(plain(row) for row in rows)


def of_converse(*blocks):
    """Events of blocks, each with one delta."""
    out = [told("messageStart", role="assistant", shimmer=1)]
    for at, block in enumerate(blocks):
        out.append(told("contentBlockDelta", contentBlockIndex=at, delta=block))
        out.append(told("contentBlockStop", contentBlockIndex=at))
    out.append(told("messageStop", stopReason="end_turn"))
    return b"".join([*out, told("metadata", usage=converse()["usage"])])


def of_cohere(*blocks):
    """Events of entries of a content, each whole at its start."""
    begun = {"message": {"role": "assistant", "content": []}}
    out = [named({"type": "message-start", "id": "c1", "delta": begun, "shimmer": 1})]
    for at, block in enumerate(blocks):
        delta = {"message": {"content": block}}
        out.append(named({"type": "content-start", "index": at, "delta": delta}))
        out.append(named({"type": "content-end", "index": at}))
    end = {"finish_reason": "COMPLETE", "usage": cohere()["usage"]}
    return b"".join([*out, named({"type": "message-end", "id": "c1", "delta": end})])


STREAMS = {
    "chat": of_chat({"content": "Hi. "}, {"content": [MUTE]}, {"content": [LOUD]}),
    "responses": of_responses(message("Hi. "), MUTE, {"type": "hologram", "content": [LOUD]}),
    "messages": of_messages({"type": "text", "text": "Hi. "}, MUTE, LOUD),
    "generate": of_generate({"text": "Hi. "}, {"hologram": {"rays": [1]}}, {"text": "Behold."}),
    "converse": of_converse(
        {"text": "Hi. "}, {"hologram": {"rays": [1]}}, {"hologram": {"text": "Behold."}}
    ),
    "cohere": of_cohere({"type": "text", "text": "Hi. "}, MUTE, LOUD),
}
LONELY = {
    "responses": of_responses(MUTE),
    "messages": of_messages(MUTE),
    "generate": of_generate({"hologram": {"rays": [1]}}),
    "converse": of_converse({"hologram": {"rays": [1]}}),
    "cohere": of_cohere(MUTE),
}


@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
def test_a_stream_is_told_alike(caller, upstream):
    """Its head is gone, so the record alone says what was left out."""
    said, report, error = streamed(caller, upstream, STREAMS[upstream])
    assert ("Hi. Behold.", None) == (said, error)
    assert {"answer.shimmer", "answer.hologram"} <= members(report).keys()


@pytest.mark.parametrize(("caller", "upstream"), [pair for pair in PAIRS if pair[1] in LONELY])
def test_a_stream_of_nothing_known_is_no_success(caller, upstream):
    """It ends as a broken one does."""
    said, _, error = streamed(caller, upstream, LONELY[upstream])
    assert said is None
    assert "hologram" in error.message


WORDS = [f"{at} " for at in range(20)]
INSIDE = {
    "chat": ("choices", 0, "delta"),
    "responses": (),
    "messages": ("delta",),
    "generate": ("candidates", 0, "content", "parts", 0),
    "converse": ("delta",),
    "cohere": ("delta", "message", "content"),
}
"""Where the innermost object of a piece of text is."""


def piece(shape, text):
    """One piece of a text."""
    if shape == "chat":
        return {"id": "c1", "choices": [{"index": 0, "delta": {"content": text}}]}
    if shape == "generate":
        return {"candidates": [{"index": 0, "content": {"parts": [{"text": text}]}}]}
    if shape == "converse":
        return {"contentBlockIndex": 0, "delta": {"text": text}}
    if shape == "cohere":
        delta = {"message": {"content": {"text": text}}}
        return {"type": "content-delta", "index": 0, "delta": delta}
    if shape == "messages":
        delta = {"type": "text_delta", "text": text}
        return {"type": "content_block_delta", "index": 0, "delta": delta}
    return {
        "type": "response.output_text.delta", "item_id": "i", "output_index": 0,
        "content_index": 0, "sequence_number": 9, "delta": text,
    }  # fmt: skip


def pieces(shape, odd):
    """Frames of a text in twenty pieces, the tenth as ``odd`` makes it."""
    rows = [piece(shape, text) for text in WORDS]
    odd(rows[9])
    if shape == "chat":
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        return [*map(plain, rows), plain(end), b"data: [DONE]\n\n"]
    if shape == "generate":
        end = {"candidates": [{"index": 0, "finishReason": "STOP"}]}
        return [*map(plain, rows), plain(end)]
    said = "".join(WORDS)
    body = {
        "messages": messages(said),
        "responses": responses(message(said)),
        "converse": converse(said),
        "cohere": cohere(said),
    }[shape]
    wire = frames(shape, body)
    places = [at for at, one in enumerate(wire) if any(mark in one for mark in DELTAS)]
    spelled = (
        [told("contentBlockDelta", **row) for row in rows]
        if shape == "converse"
        else list(map(named, rows))
    )
    return [*wire[: places[0]], *spelled, *wire[places[-1] + 1 :]]


DELTAS = (b"_text.delta", b"text_delta", b"contentBlockDelta", b"content-delta")
"""Marks of a piece of text."""


def outermost(row):
    """A member that nobody knows, beside all others."""
    row["shimmer"] = {"a": 1}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_inside", [False, True], ids=["outermost", "innermost"])
@pytest.mark.parametrize("is_cut", [False, True], ids=["in one read", "in many"])
def test_one_piece_of_many_may_say_more(shape, is_inside, is_cut):
    """Wherever it stands, and however many pieces come at once."""

    def innermost(row):
        for step in INSIDE[shape]:
            row = row[step]
        outermost(row)

    for odd, names in ((innermost if is_inside else outermost, {"answer.shimmer"}), (dict, set())):
        wire = pieces(shape, odd)
        one = lane("messages" if shape == "chat" else "chat", shape, stream=True)
        watch = one.watch()
        out = b"".join([*map(watch.feed, wire if is_cut else [b"".join(wire)])])
        out += watch.end(None, "req_1")
        parts = heard("messages" if shape == "chat" else "chat", out).answer().candidates[0].parts
        assert ["".join(WORDS)] == [part.text for part in parts]
        assert names == members(one.report).keys()


@pytest.mark.parametrize(("kind", "rest"), [
    ("message", {"role": "assistant", "content": [{"type": "output_text", "text": 5}]}),
    ("function_call", {"name": "look", "call_id": "c1", "arguments": {"a": 1}}),
])  # fmt: skip
def test_a_response_that_cannot_be_read_is_no_empty_answer(kind, rest):
    """Above all no call without its arguments."""
    with pytest.raises(Fault, match=kind):
        whole("chat", "responses", responses({"type": kind} | rest))
    wire = of_responses({"type": kind} | rest)
    assert kind in streamed("chat", "responses", wire)[2].message


@pytest.mark.parametrize("shape", SHAPES)
def test_recorded_answers_have_nothing_unknown(shape):
    """Else every answer of that vendor would be reported as incomplete."""
    found = {}
    folder = FIXTURES / shape
    for path in sorted([*folder.glob("**/*.sse"), *folder.glob("../providers/*/*.sse")]):
        if path.parent.parent.name == "providers" and not path.name.startswith(f"{shape}_"):
            continue
        context = msgspec.structs.replace(
            reading(shape),
            unread=lambda name, loss, path=path: found.setdefault((name, loss), path.stem),
        )
        reader = CODECS[Shape(shape)].read_stream(context)
        reader.feed(path.read_bytes())
        reader.end(None)
    assert {"unknown"} >= {stem for (_, loss), stem in found.items() if loss is Loss.UNKNOWN}
