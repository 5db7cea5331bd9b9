"""Answers of n of everything in canonical form, whole and as events."""

from growth.asked import PNG
from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import SIGNATURE, THOUGHT_SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import (
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    TokenLogprob,
    VendorPart,
)
from trivium.conversation.usage import Usage

MADE = StateOrigin("messages", "p", "main")
STATE = (Opaque(SIGNATURE, b"sig", MADE),)
SIGNED = (Opaque(THOUGHT_SIGNATURE, b"c2ln", MADE),)
CITED = Citation("https://example.org", "t", 0, 1, "a")
LIKELY = TokenLogprob("a", -1.0, (TokenLogprob("b", -2.0),))
PICTURE = Image(Inline("image/png", PNG))
STOPPED = Finish(Unified.STOP, "stop")
CUT = Finish(Unified.LENGTH, "length")


def _answers(n):
    return {
        "texts": lambda: [Text("a")] * n,
        "calls": lambda: [ToolCall(f"c{i}", "t", "{}") for i in range(n)],
        "citations": lambda: [Text("a", (CITED,) * n)],
        "cited_texts": lambda: [Text("a", (CITED,))] * n,
        "citations_apart": lambda: [Text("a" * n, tuple(Citation("https://example.org", "t", i, i + 1) for i in range(n)))],
        "citations_within_each_other": lambda: [Text("a" * (2 * n), tuple(Citation("https://example.org", "t", i, 2 * n - i) for i in range(n)))],
        "probabilities": lambda: [Text("a" * n, logprobs=(LIKELY,) * n)],
        "thoughts": lambda: [*[Reasoning("t", opaque=STATE)] * n, Text("a")],
        "hidden_thoughts": lambda: [*[Reasoning("", ReasoningForm.HIDDEN, opaque=STATE)] * n, Text("a")],
        "signed_texts": lambda: [Text("a", opaque=SIGNED)] * n,
        "many_seals": lambda: [Text("a", opaque=SIGNED * n)],
        "refusals": lambda: [Refusal("no")] * n,
        "pictures": lambda: [Text("a"), *[PICTURE] * n],
        "foreign": lambda: [VendorPart(Native("none", b"{}"), f"x{i}", "a") for i in range(n)],
        "in_turn": lambda: [Reasoning("t", opaque=STATE), Text("a"), ToolCall("c", "t", "{}")] * (n // 3),
        "long_text": lambda: [Text("long " * (4 * n))],
        "backslashes": lambda: [Text('\\"\n' * (4 * n))],
    }  # fmt: skip


def answer_kinds():
    return ("candidates", "calls_cut", *_answers(4))


def answer(kind, n):
    """A whole canonical answer."""
    usage = Usage(fresh=9, output=2)
    if kind == "calls_cut":
        cut = tuple(ToolCall(f"c{i}", "t", "{}") for i in range(n))
        return Answer((Candidate(cut, CUT),), usage, "r", "m")
    if kind == "candidates":
        return Answer((Candidate((Text("a"),), STOPPED),) * n, usage, "r", "m")
    return Answer((Candidate(tuple(_answers(n)[kind]()), STOPPED),), usage, "r", "m")


def _spoken(n):
    """Events between the start and the end of an answer, by name."""

    def each(*parts):
        return [
            one
            for at, part in enumerate(parts)
            for one in (PartStart(at, part), Delta(at, "{}"), PartEnd(at))
        ]

    def grown(part, *events, opaque=()):
        return [PartStart(0, part), *events, PartEnd(0, opaque)]

    call = ToolCall("c", "t", "")
    return {
        "texts": lambda: grown(Text(""), *[Delta(0, "a")] * n),
        "texts_together": lambda: grown(Text(""), Deltas(0, ["a"] * n)),
        "arguments_in_pieces": lambda: grown(call, *[Delta(0, '"a",')] * n),
        "thoughts": lambda: grown(Reasoning(""), *[Delta(0, "t")] * n, opaque=STATE),
        "parts": lambda: each(*[Text("")] * n),
        "parts_in_turn": lambda: each(*[Text(""), Reasoning("")] * (n // 2)),
        "refusals": lambda: each(*[Refusal("")] * n),
        "calls": lambda: each(*[ToolCall(f"c{i}", "t", "") for i in range(n)]),
        "calls_with_state": lambda: [one for i in range(n) for one in (PartStart(i, ToolCall(f"c{i}", "t", "")), Delta(i, "{}"), PartEnd(i, SIGNED))],
        "parts_all_open": lambda: [*[PartStart(i, Text("")) for i in range(n)], *[Delta(i, "a") for i in range(n)], *[PartEnd(i) for i in range(n)]],
        "calls_all_open": lambda: [*[PartStart(i, ToolCall(f"c{i}", "t", "")) for i in range(n)], *[Delta(i, "{}") for i in range(n)], *[PartEnd(i) for i in range(n)]],
        "thoughts_all_open": lambda: [*[PartStart(i, Reasoning("")) for i in range(n)], *[Delta(i, "t") for i in range(n)], *[PartEnd(i, STATE) for i in range(n)]],
        "never_closed": lambda: [one for i in range(n) for one in (PartStart(i, Text("")), Delta(i, "a"))],
        "candidates": lambda: [one for i in range(n) for one in (PartStart(i, Text(""), i), Delta(i, "a"), PartEnd(i), Finished(STOPPED, i))],
        "citations": lambda: grown(Text(""), Delta(0, "a"), *[Cited(0, CITED)] * n),
        "citations_apart": lambda: grown(Text(""), Delta(0, "a" * n), *[Cited(0, Citation("https://example.org", "t", i, i + 1)) for i in range(n)]),
        "cited_texts": lambda: grown(Text(""), *[Delta(0, "a"), Cited(0, CITED)] * (n // 2)),
        "probabilities": lambda: grown(Text(""), *[Delta(0, "a", (LIKELY,))] * n),
        "pictures": lambda: [one for i in range(n) for one in (PartStart(i, PICTURE), PartEnd(i))],
        "foreign": lambda: [one for i in range(n) for one in (PartStart(i, VendorPart(Native("none", b"{}"), f"x{i}", "a")), PartEnd(i))],
        "usages": lambda: [UsageReport(Usage(fresh=9, output=i)) for i in range(n)],
        "silences": lambda: [KeepAlive()] * n,
        "long_text": lambda: grown(Text(""), Delta(0, "long " * (4 * n))),
        "probabilities_of_no_text": lambda: grown(Text(""), *[Delta(0, "", (LIKELY,))] * n),
        "probabilities_of_long_tokens": lambda: grown(Text(""), *[Delta(0, "a", (TokenLogprob("abcd", -1.0),))] * n),
        "text_in_arguments": lambda: grown(call, Delta(0, '{"input":"'), *[Delta(0, "a\\n\\")] * n, Delta(0, '"}')),
        "calls_cut": lambda: [*[PartStart(i, ToolCall(f"c{i}", "t", "")) for i in range(n)], *[Delta(i, "{}") for i in range(n)], *[Finished(CUT, i) for i in range(n)]],
        "many_seals": lambda: [PartStart(0, Text("")), Delta(0, "a"), PartEnd(0, SIGNED * n)],
    }  # fmt: skip


def event_kinds():
    return tuple(_spoken(4))


def events(kind, n):
    """A whole answer's events."""
    said = _spoken(n)[kind]()
    return [
        Start("r", "m"),
        *said,
        Finished(STOPPED),
        UsageReport(Usage(fresh=9, output=2)),
        Done(),
    ]
