"""Whole answers of the converse shape, read."""

import json

import pytest

from trivium.conversation.answer import Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    VendorPart,
)
from trivium.conversation.shape_capabilities import Loss
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire import caps

ORIGIN = StateOrigin("converse", "bedrock", "main")
STOP = Finish(Unified.STOP, "end_turn")


def reasoning(text="", *attached):
    """Reasoning with attachments of the tests' channel."""
    return Reasoning(
        text,
        ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
        opaque=tuple(Opaque(kind, data, ORIGIN, "m") for kind, data in attached),
    )


def own(block):
    """A block as it stands in a file."""
    return Native("converse", json.dumps(block).encode())


EXPECTED = {
    "text": ((Text("Hello."),), STOP),
    "cached": ((Text("Hello."),), STOP),
    "tier": ((Text("Hello."),), STOP),
    "tools": (
        (
            Text("Looking."),
            ToolCall("tooluse_1", "lookup", '{"q":"a"}'),
            ToolCall("tooluse_2", "now", "{}"),
        ),
        Finish(Unified.TOOL_CALLS, "tool_use"),
    ),
    "reasoning": ((reasoning("A plan.", ("signature", b"c2ln")), Text("Done.")), STOP),
    "silent-reasoning": ((reasoning("", ("signature", b"c2ln")), Text("Done.")), STOP),
    "unsigned-reasoning": ((reasoning("A plan."), Text("Done.")), STOP),
    "redacted": ((reasoning("", ("redacted", b"aGlkZGVu")), Text("Done.")), STOP),
    "image": ((Image(Inline("image/png", "aW1n")),), STOP),
    "max-tokens": ((Text("Cut in the mid"),), Finish(Unified.LENGTH, "max_tokens")),
    "stop-sequence": (
        (Text("One, "),),
        Finish(Unified.STOP_SEQUENCE, "stop_sequence", "two"),
    ),
    "context-full": (
        (Text("Full."),),
        Finish(Unified.CONTEXT_FULL, "model_context_window_exceeded"),
    ),
    "guardrail": (
        (Text("Sorry, not this."),),
        Finish(Unified.CONTENT_FILTER, "guardrail_intervened", category="guardrail"),
    ),
    "filtered": ((), Finish(Unified.CONTENT_FILTER, "content_filtered")),
    "malformed": ((Text("?"),), Finish(Unified.OTHER, "malformed_tool_use")),
}
FILES = sorted([*EXPECTED, "citations", "server-tool"])


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_an_answer_is_read(converse, name):
    """Parts in order with their attachments, and the end."""
    answer = converse.answer((converse.fixtures / "answers" / f"{name}.json").read_bytes())
    assert (Candidate(*EXPECTED[name]),) == answer.candidates


@pytest.mark.parametrize("name", FILES)
def test_the_vendors_client_reads_every_fixture(converse, name):
    """Blocks that its model knows, one member each; none is left over."""
    body = (converse.fixtures / "answers" / f"{name}.json").read_bytes()
    assert FILES == sorted(path.stem for path in (converse.fixtures / "answers").iterdir())
    parsed = converse.parsed(body)["output"]["message"]["content"]
    kinds = [next(iter(block)) for block in json.loads(body)["output"]["message"]["content"]]
    assert kinds == [next(iter(block)) for block in parsed]


def test_citations_cover_their_text(converse):
    """An address is that of the page, or a source that is one; the vendor's own words are kept."""
    answer = converse.answer((converse.fixtures / "answers" / "citations.json").read_bytes())
    (text,) = answer.candidates[0].parts
    assert "It is so." == text.text
    assert [
        Citation("https://example.com/r", "Report", quoted="So it is."),
        Citation("https://example.com/w", "Page"),
    ] == [Citation(one.url, one.title, quoted=one.quoted) for one in text.citations]
    assert {"converse"} == {one.native.shape for one in text.citations}


def test_a_tool_that_the_vendor_ran_is_its_own_block(converse):
    """Nobody is asked to run it; what it found is there in words."""
    body = json.loads((converse.fixtures / "answers" / "server-tool.json").read_bytes())
    called, found, text = converse.answer(body).candidates[0].parts
    content = body["output"]["message"]["content"]
    assert VendorPart(own(content[0]), "toolUse", "nova_grounding") == called
    assert VendorPart(own(content[1]), "toolResult", "Found.") == found
    assert Text("So.") == text


def test_counters_and_tier_are_read(converse):
    """Fresh input is what was not cached; writes are told apart by how long they live."""
    answers = {
        name: converse.answer((converse.fixtures / "answers" / f"{name}.json").read_bytes())
        for name in ("cached", "tier")
    }
    assert answers["cached"].usage == Usage(
        fresh=12, cache_read=2000, cache_write_short=300, cache_write_long=200, output=34
    )
    assert (None, "flex") == (answers["cached"].service_tier, answers["tier"].service_tier)


def body_of(*content, **more):
    """A body with these blocks."""
    return {"output": {"message": {"role": "assistant", "content": list(content)}}, **more}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (body_of({"text": "a"}, stopReason="end_turn", trace={"guardrail": {"x": 1}}), {"trace"}),
        (body_of({"text": "a"}, performanceConfig={"latency": "optimized"}), {"performanceConfig"}),
        (body_of({"text": "a"}, metrics={"latencyMs": 3}), set()),
        (body_of({"text": "a"}, hologram={"x": 1}), {"hologram"}),
        (body_of({"text": "a"}, additionalModelResponseFields={"top": 1}), {"top"}),
        (body_of({"text": "a"}, usage={"inputTokens": 1, "moonTokens": 2}), {"moonTokens"}),
        (body_of({"toolUse": {"toolUseId": "a", "name": "f", "input": {}, "mood": 1}}), {"mood"}),
        (body_of({"text": "a", "mood": "glad"}), {"mood"}),
        (body_of({"image": {"format": "png", "source": {"bytes": "aQ=="}, "error": {"m": 1}}}), {"error"}),
        (body_of({"hologram": {"text": "Words."}}), {"hologram"}),
    ],
)  # fmt: skip
def test_what_nobody_knows_is_told_by_name(converse, body, told):
    """Members of the answer, of its counters and of its blocks; the vendor's own timing is not."""
    names = {}
    converse.answer(body, unread=names.__setitem__)
    assert told == set(names)


def test_a_block_of_an_unknown_kind_is_told_by_its_words(converse):
    """As text; one without words is kept as what nobody knows."""
    names = {}
    body = body_of({"hologram": {"text": "Words."}}, {"smell": {"of": "roses"}})
    words, smell = converse.answer(body, unread=names.__setitem__).candidates[0].parts
    assert Text("Words.") == words
    assert {"hologram": Loss.WORDED} == names
    assert VendorPart(own({"smell": {"of": "roses"}}), "smell", known=False).kind == smell.kind
    assert not smell.known


def test_a_picture_without_bytes_is_the_vendors_own(converse):
    """What lies in a bucket of the operator's cannot be told."""
    block = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k"}}}}
    (part,) = converse.answer(body_of(block)).candidates[0].parts
    assert VendorPart(own(block), "image").kind == part.kind


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"nonsense",
        b'{"output":{}}',
        b'{"output":{"message":{}}}',
        b'{"output":{"message":{"content":[1]}}}',
        b'{"output":{"message":{"content":[{"toolUse":{"toolUseId":"a"}}]}}}',
        b'{"output":{"message":{"content":[{"toolUse":3}]}}}',
        b"[" * 3000,
    ],
)
def test_nonsense_is_the_upstreams_failure(converse, body):
    """With a fault that says so, whatever it is."""
    with pytest.raises(Fault) as raised:
        converse.answer(body)
    assert Kind.UPSTREAM_BROKE is raised.value.kind


def test_an_error_in_place_of_an_answer_is_asked_about(converse):
    """The provider says what its own error means."""
    seen = []

    def refused(error):
        seen.append(error)
        return Fault(Kind.UPSTREAM_OVERLOADED, "busy")

    body = b'{"message":"The server is busy"}'
    with pytest.raises(Fault, match="busy"):
        converse.answer(body, refused=refused)
    assert [body] == seen


def test_too_many_parts_are_refused(converse):
    """An answer that is nothing but work is a failure."""
    with pytest.raises(Fault, match="too many"):
        converse.answer(body_of(*[{"text": "a"}] * (caps.PARTS_MAX + 1)))


def test_half_a_character_does_not_lose_the_answer(converse):
    """It becomes U+FFFD."""
    body = json.dumps(body_of({"text": "a@b"}, stopReason="end_turn")).replace("@", "\\ud83d")
    (part,) = converse.answer(body.encode()).candidates[0].parts
    assert Text("a\ufffdb") == part


@pytest.mark.parametrize("count", [-1, "many", 1e400, {}])
def test_a_counter_that_is_none_costs_the_count_alone(converse, count):
    """The answer is there, and its usage unknown."""
    body = json.dumps(body_of({"text": "a"}, usage={"inputTokens": "@", "outputTokens": 1}))
    spelled = "1e400" if count == 1e400 else json.dumps(count)
    answer = converse.answer(body.replace('"@"', spelled).encode())
    assert ((Text("a"),), None) == (answer.candidates[0].parts, answer.usage)
