"""Streams of the converse shape as canonical events: every fixture, cut everywhere."""

import itertools
import json

import pytest
from botocore.exceptions import EventStreamError

from trivium.conversation.answer import Candidate
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Image, Inline, Reasoning, ReasoningForm, Text
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.converse.codec import UPSTREAM
from trivium.wire.event_stream import event, exception, framed

ORIGIN = StateOrigin("converse", "bedrock", "main")
STOP = Finish(Unified.STOP, "end_turn")
CALLS = Finish(Unified.TOOL_CALLS, "tool_use")
COUNTED = Usage(fresh=12, output=34)


def reasoning(text, kind, data):
    """Reasoning with an attachment of the tests' channel."""
    return Reasoning(
        text,
        ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
        opaque=(Opaque(kind, data, ORIGIN, "m"),),
    )


ANSWERS = {
    "text": ((Text("Grüße, 世界 👋"),), STOP),
    "cached": ((Text("Hi"),), STOP),
    "tools": (
        (
            Text("Looking."),
            ToolCall("tooluse_1", "lookup", '{"q": "a"}'),
            ToolCall("tooluse_2", "now", "{}"),
        ),
        CALLS,
    ),
    "overlapping": ((ToolCall("a", "f", '{"n":1}'), ToolCall("b", "f", '{"n":2}')), CALLS),
    "reasoning": (
        (reasoning("First, then.", "signature", b"EqQBCg=="), Text("Done.")),
        STOP,
    ),
    "silent-reasoning": ((reasoning("", "signature", b"EqQB"), Text("Done.")), STOP),
    "redacted": ((reasoning("", "redacted", b"aGlkZGVu"), Text("Done.")), STOP),
    "image": ((Image(Inline("image/png", "aW1n")),), STOP),
    "stop-sequence": ((Text("One, "),), Finish(Unified.STOP_SEQUENCE, "stop_sequence", "two")),
    "guardrail": (
        (Text("Sorry, not this."),),
        Finish(Unified.CONTENT_FILTER, "guardrail_intervened", category="guardrail"),
    ),
    "uncounted": ((Text("Hi"),), STOP),
}
BROKEN = {
    "throttled": Kind.UPSTREAM_RATE_LIMITED,
    "model-error": Kind.UPSTREAM_BROKE,
    "cut": Kind.UPSTREAM_BROKE,
}
NAMES = sorted([*ANSWERS, *BROKEN, "citations", "server-tool"])


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_stream_is_read(converse, name):
    """Parts in order with their attachments, and the end."""
    answer = assembled(converse.events(converse.recorded(name)))
    assert (Candidate(*ANSWERS[name]),) == answer.candidates


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_stream_that_breaks_off_has_failed(converse, name):
    """With what was said before, the right kind of fault, and nothing of the vendor's words."""
    out = converse.events(converse.recorded(name))
    assert [Start, PartStart, Delta] == [type(one) for one in out[:3]]
    assert (Failed, BROKEN[name]) == (type(out[-1]), out[-1].fault.kind)
    assert "wait before" not in out[-1].fault.message


@pytest.mark.parametrize("name", NAMES)
def test_the_vendors_client_reads_every_fixture(converse, name):
    """Events that its model knows; of a stream that breaks off its own error."""
    folder = converse.fixtures / "streams"
    assert NAMES == sorted(path.stem for path in folder.iterdir())
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = [json.loads(line)[0] for line in lines]
    if kinds[-1].endswith("Exception"):
        with pytest.raises(EventStreamError, match=kinds[-1]):
            converse.streamed(converse.recorded(name))
        return
    assert kinds == [next(iter(one)) for one in converse.streamed(converse.recorded(name))]


@pytest.mark.parametrize("name", NAMES)
def test_any_cut_tells_the_same(converse, name):
    """Where the network cuts does not matter, nor how often; deltas aside, which are as they came."""
    wire = converse.recorded(name)
    whole = comparable(converse.events(wire))
    assert whole == comparable(converse.events(*[wire[at : at + 1] for at in range(len(wire))]))
    for cut in range(1, len(wire)):
        assert whole == comparable(converse.events(wire[:cut], wire[cut:])), cut


def comparable(events):
    """Events of which faults are what they say."""
    return [(one.fault.kind, one.fault.message) if type(one) is Failed else one for one in events]


@pytest.mark.parametrize("name", NAMES)
def test_the_order_is_legal_wherever_a_stream_ends(converse, name):
    """One start first, one end last, parts within each other's; nothing after the end."""
    wire = converse.recorded(name)
    for end in range(0, len(wire), 7):
        for fault in (None, Fault(Kind.UPSTREAM_TIMEOUT, "slow")):
            legal(converse.events(wire[:end], fault=fault))
    legal(converse.events(wire))


def legal(events):
    """The order that is written in ``conversation/events.py``."""
    kinds = [type(one) for one in events]
    assert kinds[-1] in (Done, Failed)
    assert not {Done, Failed} & set(kinds[:-1])
    if kinds[0] is not Failed:
        assert (Start, 1) == (kinds[0], kinds.count(Start))
    opened, seen = set(), 0
    for one in events:
        if type(one) is PartStart:
            assert seen == one.index
            opened.add(seen)
            seen += 1
        elif type(one) in (Delta, Cited):
            assert one.index in opened
        elif type(one) is PartEnd:
            opened.remove(one.index)
        elif type(one) is Finished:
            assert not opened
            rest = [kind for kind in kinds[events.index(one) + 1 :] if kind is not UsageReport]
            assert rest in ([Done], [Failed])


def test_counters_come_behind_the_end(converse):
    """And with them the tier; without them the usage is unknown and the answer whole."""
    out = converse.events(converse.recorded("cached"))
    counted = Usage(
        fresh=12, cache_read=2000, cache_write_short=300, cache_write_long=200, output=34
    )
    assert [Finished(STOP), UsageReport(counted), Done("priority")] == out[-3:]
    assert [Finished(STOP), Done()] == converse.events(converse.recorded("uncounted"))[-2:]


def test_how_far_a_stream_is_can_be_asked(converse):
    """Whether the model has said why it ended, and what was counted."""
    reader = UPSTREAM.read_stream(converse.context())
    told = []
    for row in range(6):
        lines = (converse.fixtures / "streams" / "text.jsonl").read_text().splitlines()
        reader.feed(converse.wire(json.loads(lines[row])))
        told.append((reader.stopped, reader.usage))
    assert [(False, None)] * 5 + [(True, None)] == told
    reader.feed(converse.wire(json.loads(lines[6])))
    assert COUNTED == reader.usage


def test_deltas_of_one_read_are_told_together(converse):
    """A hundred frames are one event, and not a hundred."""
    reader = UPSTREAM.read_stream(converse.context())
    rows = [("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": f"{n} "}}) for n in range(100)]  # fmt: skip
    out = reader.feed(converse.wire(*rows))
    assert [Start, PartStart, Deltas] == [type(one) for one in out]
    assert [f"{n} " for n in range(100)] == out[-1].texts


def test_citations_belong_to_their_text(converse):
    """With address, title and the source's own words."""
    out = converse.events(converse.recorded("citations"))
    (cited,) = [one for one in out if type(one) is Cited]
    assert (0, "https://example.com/r", "Report", "So it is.") == (
        cited.index,
        cited.citation.url,
        cited.citation.title,
        cited.citation.quoted,
    )


def test_a_tool_that_the_vendor_ran_is_its_own_block(converse):
    """Told whole, as a whole answer has it."""
    body = (converse.fixtures / "answers" / "server-tool.json").read_bytes()
    whole = converse.answer(body).candidates[0].parts
    streamed = assembled(converse.events(converse.recorded("server-tool"))).candidates[0].parts
    assert [part.kind for part in whole[:2]] == [part.kind for part in streamed[:2]]
    assert [part.text for part in whole] == [part.text for part in streamed]
    content = json.loads(body)["output"]["message"]["content"]
    assert content[:2] == [json.loads(part.native.data) for part in streamed[:2]]


M = ("messageStart", {"role": "assistant"})
END = ("messageStop", {"stopReason": "end_turn"})


def delta(at, **members):
    """A delta of a block."""
    return ("contentBlockDelta", {"contentBlockIndex": at, "delta": members})


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("messageStart", {"role": "assistant", "mood": 1}), {"mood"}),
        (("hologram", {"x": 1}), {"hologram"}),
        (("metadata", {"trace": {"guardrail": {"x": 1}}}), {"trace"}),
        (("metadata", {"metrics": {"latencyMs": 1}}), set()),
        (("metadata", {"usage": {"moonTokens": 1}}), {"moonTokens"}),
        (("contentBlockStop", {"contentBlockIndex": 0, "why": "done"}), {"why"}),
        (("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "a"}, "q": "x"}), {"q"}),
        (("contentBlockStart", {"contentBlockIndex": 7, "start": {"toolUse": {"toolUseId": "a", "name": "f", "mood": 1}}}), {"mood"}),
        (delta(7, image={"error": {"message": "no"}}), {"error"}),
        (delta(7, hologram={"text": "Words."}), {"hologram"}),
        (("initial-response", {}), set()),
    ],
)  # fmt: skip
def test_what_nobody_knows_is_told_by_name(converse, row, told):
    """Events, their members, and kinds of delta."""
    names = {}
    rows = [M, delta(0, text="Hi"), row, END]
    out = converse.events(converse.wire(*rows), unread=names.__setitem__)
    assert (told, Done) == (set(names), type(out[-1]))


def test_deltas_of_an_unknown_kind_are_told_by_their_words(converse):
    """When the block is whole; one without words is kept as what nobody knows."""
    rows = [
        M,
        delta(0, hologram={"text": "Some "}),
        delta(0, hologram={"text": "words."}),
        delta(1, smell={"of": "roses"}),
        END,
    ]
    words, smell = assembled(converse.events(converse.wire(*rows))).candidates[0].parts
    assert (Text("Some words."), "smell", False) == (words, smell.kind, smell.known)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", Kind.UPSTREAM_RATE_LIMITED),
        ("ThrottlingException", Kind.UPSTREAM_RATE_LIMITED),
        ("validationException", Kind.UPSTREAM_REJECTED),
        ("modelStreamErrorException", Kind.UPSTREAM_BROKE),
        ("internalServerException", Kind.UPSTREAM_BROKE),
        ("serviceUnavailableException", Kind.UPSTREAM_OVERLOADED),
        ("modelTimeoutException", Kind.UPSTREAM_TIMEOUT),
        ("strangeException", Kind.UPSTREAM_BROKE),
    ],
)
def test_exceptions_end_a_stream(converse, name, kind):
    """Each with the kind that it has outside of a stream; also as the first frame."""
    for wire in (b"", converse.wire(M, delta(0, text="Hi"))):
        out = converse.events(wire + exception(name, b'{"message":"no"}'), converse.wire(END))
        assert (Failed, kind) == (type(out[-1]), out[-1].fault.kind)


def test_errors_without_a_payload_end_a_stream(converse):
    """They say what they are in headers."""
    headers = {
        ":message-type": "error",
        ":error-code": "throttlingException",
        ":error-message": "x",
    }
    out = converse.events(framed(headers, b""))
    assert [Kind.UPSTREAM_RATE_LIMITED] == [one.fault.kind for one in out]


def test_the_provider_says_what_an_exception_means(converse):
    """It is given the name, the words and the status; what it makes of them counts."""
    seen = []

    def refused(error):
        seen.append(json.loads(error))
        return Fault(Kind.CONTEXT_TOO_LONG, "too long")

    out = converse.events(
        exception("validationException", b'{"message":"too long"}'), refused=refused
    )
    assert [{"type": "validationException", "message": "too long", "status": 400}] == seen
    assert [Kind.CONTEXT_TOO_LONG] == [one.fault.kind for one in out]


@pytest.mark.parametrize(
    "wire",
    [
        b"nonsense that is no frame at all",
        event("messageStart", b"nonsense") + event("contentBlockDelta", b"nonsense"),
        event("contentBlockDelta", b'{"contentBlockIndex":"x","delta":{"text":"a"}}'),
        event("contentBlockDelta", b'{"delta":{"toolUse":{"input":"{}"}}}'),
        event("contentBlockStart", b'{"start":{"toolUse":{"toolUseId":"a"}}}'),
        event("contentBlockStop", b"[]"),
        event("messageStop", b"[]"),
        event("metadata", b"3"),
        event("contentBlockDelta", b"[" * 3000),
        event("contentBlockDelta", b'{"delta":{"reasoningContent":{"redactedContent":"a"}}}')
        + event("contentBlockDelta", b'{"delta":{"reasoningContent":{"redactedContent":"%"}}}')
        + event("messageStop", b"{}"),
        event("messageStop", b'{"stopReason":"end_turn"}')
        + event("contentBlockDelta", b'{"delta":{"text":"and"}}'),
        event("messageStop", b'{"stopReason":"end_turn"}')
        + event("messageStop", b'{"stopReason":"end_turn"}'),
    ],
)
def test_nonsense_is_the_upstreams_failure(converse, wire):
    """Once, last, and however it comes."""
    out = converse.events(wire, wire)
    assert (Failed, Kind.UPSTREAM_BROKE) == (type(out[-1]), out[-1].fault.kind)
    legal(out)


@pytest.mark.parametrize(
    "rows",
    [
        [("contentBlockStart", {"contentBlockIndex": 0, "start": {"smell": {"x": 1}}})],
        [("contentBlockStart", {"contentBlockIndex": 0}), delta(0, text="a")],
        [delta(0, reasoningContent={"text": "a"}), delta(0, text="b")],
        [delta(0, text="b"), delta(0, reasoningContent={"text": "a"})],
        [delta(0, text="b"), delta(0, image={"source": {"bytes": "aQ=="}})],
        [delta(0, text="b"), delta(0, smell={"of": "roses"})],
        [delta(0)],
        [delta(0, text=None)],
        [delta(0, text=3)],
        [delta(0, toolResult=[{"json": {"a": 1}}])],
        [("contentBlockStop", {"contentBlockIndex": 9})],
        [("contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "a", "name": "f"}}})] * 2,
    ],
)  # fmt: skip
def test_odd_streams_are_read_all_the_same(converse, rows):
    """What can be told of them is, in the legal order."""
    out = converse.events(converse.wire(M, *rows, END))
    assert Done is type(out[-1])
    legal(out)


def test_too_much_is_refused(converse):
    """Parts that never end, and pieces of them, are bounded."""
    parts = [delta(at, text="a") for at in range(1_025)]
    assert "too many" in converse.events(converse.wire(M, *parts))[-1].fault.message
    held = [delta(at, smell={"a": 1}) for at in range(1_025)]
    assert "too many" in converse.events(converse.wire(M, *held))[-1].fault.message
    cited = [delta(0, citation={"title": "a"})] * 2_049
    assert "too many" in converse.events(converse.wire(M, *cited))[-1].fault.message


def test_mutated_streams_never_raise(converse):
    """Payloads with members of every wrong type are told or failed."""
    wrong = (None, 3, -1, "x", [], {}, [1], True)
    names = ("text", "citation", "reasoningContent", "toolUse", "image", "toolResult", "smell")
    for name, value in itertools.product(names, wrong):
        for inner in ({name: value}, {name: {"text": value}}, {name: {"source": value}}):
            legal(converse.events(converse.wire(M, delta(0, **inner), END)))
            start = ("contentBlockStart", {"contentBlockIndex": 0, "start": inner})
            legal(converse.events(converse.wire(M, start, END)))
