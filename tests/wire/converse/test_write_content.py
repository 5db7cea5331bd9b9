"""Parts of a history as blocks of the converse shape; the vendor's client takes each of them."""

import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Citation,
    Document,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    SearchResult,
    Text,
    VendorPart,
)
from trivium.conversation.tools import FunctionTool
from trivium.faults import Fault

PNG = Inline("image/png", "aW1n")
HI = Turn(Role.USER, (Text("Hi"),))
TOOLS = (FunctionTool("f"),)
MINE = StateOrigin("converse", "bedrock", "main")
OTHERS = StateOrigin("converse", "bedrock", "other")


def dropped(report):
    """Members that a report names, with what was done."""
    return {(drop.member, drop.act.value) for drop in report.drops}


def said(converse, *parts, **known):
    """The blocks of the model's turn of these parts, and the report."""
    request = converse.request(HI, Turn(Role.ASSISTANT, parts), HI, tools=TOOLS)
    body, report = converse.write(request, **known)
    return body["messages"][1]["content"], report


def asked(converse, *parts, **known):
    """The blocks of a user's turn of these parts, and the report."""
    body, report = converse.write(converse.request(Turn(Role.USER, parts)), **known)
    return body["messages"][0]["content"], report


def result_of(converse, *parts, **members):
    """The blocks of a tool's result."""
    known = members.pop("known", {})
    turns = (
        HI,
        Turn(Role.ASSISTANT, (ToolCall("a", "f"),)),
        Turn(Role.USER, (ToolResult("a", parts, **members),)),
    )
    body, report = converse.write(converse.request(*turns, tools=TOOLS), **known)
    return body["messages"][2]["content"], report


def test_calls_carry_an_object(converse):
    """Text that is none travels under one name; free text in the member that stands for it."""
    calls = (
        ToolCall("a", "f", '{"n": 1.50}'),
        ToolCall("b", "f", "nonsense"),
        ToolCall("c", "f", "free", kind=CallKind.CUSTOM),
    )
    results = tuple(ToolResult(one.id, (Text("ok"),), kind=one.kind) for one in calls)
    body, report = converse.write(
        converse.request(HI, Turn(Role.ASSISTANT, calls), Turn(Role.USER, results), tools=TOOLS)
    )
    rows = body["messages"][1]["content"]
    assert [{"n": 1.5}, {"_raw": "nonsense"}, {"input": "free"}] == [
        row["toolUse"]["input"] for row in rows
    ]
    assert {Mend.ARGUMENTS} == {one.what for one in report.repairs}


def signed(origin, kind="signature", text="Hm"):
    """Reasoning that somebody signed."""
    form = ReasoningForm.FULL if text else ReasoningForm.HIDDEN
    return Reasoning(text, form, opaque=(Opaque(kind, b"c2ln", origin),))


def test_reasoning_goes_back_to_its_maker(converse):
    """With its signature; what another account signed is left out and told."""
    rows, report = said(converse, signed(MINE), Text("So"))
    words = {"text": "Hm", "signature": "c2ln"}
    assert [{"reasoningContent": {"reasoningText": words}}, {"text": "So"}] == rows
    assert [] == report.drops
    rows, _ = said(converse, signed(MINE, "redacted", ""), Text("So"))
    assert [{"reasoningContent": {"redactedContent": "c2ln"}}, {"text": "So"}] == rows
    rows, report = said(converse, signed(OTHERS), Text("So"))
    assert [{"text": "So"}] == rows
    assert [Mend.FOREIGN_SIGNATURE] == [one.what for one in report.repairs]
    assert {("messages[].reasoning_content", "dropped")} == dropped(report)


def test_reasoning_in_words_goes_where_it_is_wanted(converse):
    """To models that sign nothing and demand it back."""
    rows, _ = said(converse, Reasoning("Hm"), Text("So"), reasoning_back="text")
    assert [{"reasoningContent": {"reasoningText": {"text": "Hm"}}}, {"text": "So"}] == rows


def test_cache_points_stand_behind_what_they_mark(converse):
    """With the nearest life that there is; one behind a result covers what is in it."""
    marks = (CacheMark(), CacheMark("5m"), CacheMark("30m"), CacheMark("12h"))
    rows, report = asked(converse, *[Text("a", cache=one) for one in marks], cache_marks=4)
    points = [row["cachePoint"] for row in rows if "cachePoint" in row]
    plain = {"type": "default"}
    assert [plain, {**plain, "ttl": "5m"}, {**plain, "ttl": "1h"}, {**plain, "ttl": "1h"}] == points
    assert ["text", "cachePoint"] * 4 == [next(iter(row)) for row in rows]
    assert {("prompt_cache_breakpoint", "changed")} == dropped(report)
    rows, _ = result_of(converse, Text("a", cache=CacheMark()), known={"cache_marks": 4})
    assert ["toolResult", "cachePoint"] == [next(iter(row)) for row in rows]


def test_too_many_marks_are_told(converse):
    """The last ones stay: they cover the most. A model that takes none is sent none."""
    texts = [Text(f"{at}", cache=CacheMark()) for at in range(3)]
    rows, report = asked(converse, *texts, cache_marks=1)
    assert ["text", "text", "text", "cachePoint"] == [next(iter(row)) for row in rows]
    assert {("prompt_cache_breakpoint", "dropped")} == dropped(report)
    rows, report = asked(converse, *texts)
    assert ["text"] * 3 == [next(iter(row)) for row in rows]
    assert {("prompt_cache_breakpoint", "dropped")} == dropped(report)


def test_instructions_may_be_marked(converse):
    """In their own slot."""
    request = converse.request(HI, instructions=(Text("Be brief.", cache=CacheMark()),))
    body, _ = converse.write(request, cache_marks=4)
    assert [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}] == body["system"]


def test_results_of_every_kind(converse):
    """Text, pictures, documents and what was found; an object as JSON, without its text."""
    parts = (
        Text("a"),
        Image(PNG),
        Document(Inline("application/pdf", "cGRm")),
        SearchResult(source="s", title="t", texts=(Text("x"),)),
    )
    (row,), report = result_of(converse, *parts)
    kinds = [next(iter(one)) for one in row["toolResult"]["content"]]
    assert (["text", "image", "document", "searchResult"], []) == (kinds, report.drops)
    assert "status" not in row["toolResult"]
    (row,), _ = result_of(converse, Text('{"n":1}'), Image(PNG), structured=b'{"n":1}')
    assert [{"json": {"n": 1}}, "image"] == [
        row["toolResult"]["content"][0],
        next(iter(row["toolResult"]["content"][1])),
    ]


def test_an_error_says_something(converse):
    """It is told as one; without a word the vendor refuses it."""
    (row,), report = result_of(converse, Text("No such file"), error=True)
    assert ("error", []) == (row["toolResult"]["status"], report.repairs)
    (row,), report = result_of(converse, error=True)
    assert [{"text": "(no content)"}] == row["toolResult"]["content"]
    assert [Mend.EMPTY_TURN] == [one.what for one in report.repairs]
    (row,), report = result_of(converse, Text("x"), error=True, known={"refuses": ["result_error"]})
    assert "status" not in row["toolResult"]
    assert 1 == len(report.drops)


def test_what_a_result_cannot_hold_is_refused(converse):
    """Sound has no place in one, and media none where the model takes none there."""
    with pytest.raises(Fault, match="has no audio there"):
        result_of(converse, Audio(Inline("audio/wav", "d2F2")))
    with pytest.raises(Fault, match="takes no media in tool results"):
        result_of(converse, Image(PNG), known={"inputs": ["image"]})
    rows, _ = result_of(converse, Audio(None, transcript="Hello"))
    assert [{"text": "Hello"}] == rows[0]["toolResult"]["content"]


def test_the_vendors_own_blocks_go_back(converse):
    """As they came; another vendor's become their words."""
    guard = VendorPart(
        Native("converse", b'{"guardContent":{"text":{"text":"x"}}}'), "guardContent"
    )
    rows, report = asked(converse, guard)
    assert ([{"guardContent": {"text": {"text": "x"}}}], []) == (rows, report.drops)
    other = VendorPart(Native("messages", b"{}"), "compaction", "In short")
    rows, report = asked(converse, other)
    assert [{"text": "In short"}] == rows
    assert 1 == len(report.drops)


def test_citations_are_repeated_to_their_maker(converse):
    """Others are told; the words stay."""
    own = Citation(native=Native("converse", b'{"title":"t"}'))
    rows, report = said(converse, Text("So", citations=(own,)))
    assert [
        {"citationsContent": {"content": [{"text": "So"}], "citations": [{"title": "t"}]}}
    ] == rows
    assert [] == report.drops
    rows, report = said(converse, Text("So", citations=(Citation(url="https://example.com"),)))
    assert [{"text": "So"}] == rows
    assert {("annotations", "dropped")} == dropped(report)


def test_text_that_says_nothing_is_left_out(converse):
    """The vendor refuses it; a refusal is text."""
    rows, report = asked(converse, Text("a"), Text(" "), Refusal("No."))
    assert [{"text": "a"}, {"text": "No."}] == rows
    assert [Mend.EMPTY_TEXT] == [one.what for one in report.repairs]


def test_a_call_keeps_what_only_this_shape_has(converse):
    """Members of another shape are told."""
    mine = ToolCall("a", "f", "{}", native=Native("converse", b'{"type":"server_tool_use"}'))
    rows, _ = said(converse, mine)
    assert "server_tool_use" == rows[0]["toolUse"]["type"]
    other = ToolCall("a", "f", "{}", native=Native("messages", b'{"caller":{"type":"x"}}'))
    rows, report = said(converse, other)
    assert {"toolUseId", "name", "input"} == set(rows[0]["toolUse"])
    assert {("messages", "dropped")} == dropped(report)
