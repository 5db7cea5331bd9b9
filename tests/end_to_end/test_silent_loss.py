"""Nothing a caller says is lost in silence, whatever shape it goes to.

Each row says one thing more than the row it is compared with. A writer carries it (the body is
another one), reports it (dropped, changed, mended or kept for the record), or refuses it by name.
"""

import msgspec
import pytest

from end_to_end.saying import ASK, LOOK, OWN, ROWS, tools
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.fit import fitted
from trivium.conversation.items import Turn
from trivium.conversation.losses import DropAction, Report
from trivium.conversation.member_table import ROWS as LADDER
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import (
    Conversation,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
)
from trivium.conversation.target import target
from trivium.conversation.tools import (
    CustomTool,
    FunctionTool,
    Grammar,
    ServerKind,
    ServerTool,
    ToolChoice,
    VendorTool,
)
from trivium.faults import Fault, Kind
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

SAME = {
    # streaming is asked for in the address
    ("generate", "Conversation.stream"),
    ("converse", "Conversation.stream"),
    # models that think by steps do so unasked, as much as they like
    *((shape, "ReasoningSettings.switch: on") for shape in ("chat", "responses", "generate")),
    *((shape, "ReasoningSettings.switch: adaptive") for shape in ("chat", "responses", "generate")),
    # a summary that nobody asks for is not written
    ("responses", "ReasoningSettings.shown: hidden"),
    # an answer is always held to its schema
    ("messages", "ResponseFormat.strict"),
    ("generate", "ResponseFormat.strict"),
    ("converse", "ResponseFormat.strict"),
    # for those that are not sent the answer is watched
    ("chat", "six stops"),
    ("responses", "six stops"),
    # the record keeps the whole of both, under one name
    *((shape, "a long user") for shape in ("generate", "converse", "cohere")),
    *((shape, "safety_id beside user") for shape in ("generate", "converse", "cohere")),
    # what it thinks is always shown
    ("cohere", "ReasoningSettings.shown"),
    ("cohere", "ResponseFormat.strict"),
    # neither tier is known there, which is told of both
    ("cohere", "tier auto"),
}
"""What is carried outside the body, or means the same: (target, row)."""


ABLE = {
    "converse": {
        "thinks": "adaptive",
        "efforts": ["low", "medium", "high", "xhigh", "max"],
        "own_fields": "claude",
        "cache_marks": 4,
    }
}
"""What a model of the shape takes where nothing is known of the others: (target, facts)."""


def written(target_shape, caller, members, *, strict=False, **known):
    """The body and the report of a request, or its refusal."""
    known = ABLE.get(target_shape.value, {}) | known
    facts = target(StateOrigin(target_shape.value, "vendor", "main"), "m", **known)
    report = Report(facts.title, strict=strict)
    spoken = Conversation(**({"shape": caller, "model": "m", "turns": (ASK,)} | members))
    try:
        body = CODECS[target_shape].write_request(fitted(spoken, facts, report), facts, report)
    except Fault as fault:
        return None, fault
    return msgspec.json.decode(body), report


def told(report):
    """All that a report says."""
    return [*report.drops, *report.repairs, *report.kept]


@pytest.mark.parametrize("shape", CODECS, ids=lambda shape: shape.value)
@pytest.mark.parametrize("row", ROWS)
def test_what_a_caller_says_is_carried_reported_or_refused(row, shape):
    """Whoever the caller is: what stays unsaid must not look like success."""
    said, unsaid = ROWS[row]
    lost = []
    for caller in CODECS:
        body, report = written(shape, caller.value, said)
        if body is None:
            assert (Kind.UNREPRESENTABLE, True) == (report.kind, bool(report.param)), row
            continue
        plain, before = written(shape, caller.value, unsaid)
        assert plain is not None, f"without it, it is refused: {before}"
        same = body == plain and told(report) == told(before)
        lost += [caller.value] if same else []
    assert bool(lost) is ((shape.value, row) in SAME), f"lost for callers of {lost}"


OWN_TOOLS = [shape for shape in CODECS if shape is not Shape.COHERE]
"""Shapes in which a vendor's own tools can be declared."""

EXEMPT = {
    "Conversation.shape": "whose words a report uses",
    "Conversation.model": "a binding names the channel's own",
    "Conversation.usage_wanted": "about the answer: a stream upstream always carries usage",
    "Document.native": "how its own shape writes it",
    "Text.logprobs": "of answers only",
    "Audio.expires": "of answers only",
    "ToolResult.call_id": "with the call's",
    "ToolResult.name": "repeats the call's",
    "ToolResult.kind": "follows the call's",
    "ToolResult.structured": "generate only; its text stands in the parts",
    "VendorPart.queries": "repeats what its native says",
    "VendorPart.known": "of answers only",
    "ServerTool.native": "how its own shape declares it",
    "ServerTool.name": "how its own shape calls it",
    "VendorTool.native": "refused with the tool",
    "VendorTool.name": "refused with the tool",
}
"""Fields that no row is about, and why."""

SAID = (
    Conversation, Turn, Text, Image, Audio, Video, Document, SearchResult, Refusal, Reasoning,
    ToolCall, ToolResult, VendorPart, FunctionTool, CustomTool, ServerTool, VendorTool, ToolChoice,
    Sampling, ReasoningSettings, ResponseFormat, CacheMark,
)  # fmt: skip


def test_every_field_of_a_request_has_its_row():
    """A field that is added to the model cannot be forgotten here."""
    fields = {
        f"{kind.__name__}.{field.name}" for kind in SAID for field in msgspec.structs.fields(kind)
    }
    fields -= {
        f"{kind.__name__}.{name}"
        for kind in (
            Text,
            Image,
            Audio,
            Video,
            Document,
            SearchResult,
            Refusal,
            ToolResult,
            VendorPart,
            Reasoning,
        )
        for name in ("opaque", "cache")
    }
    named = {row.split(":")[0].split(" ")[0] for row in ROWS} | EXEMPT.keys()
    assert set() == fields - named


def test_every_concept_of_the_ladder_has_its_row():
    """By the field that its row of the ladder names."""
    fields = {row.field for row in LADDER.values()}
    named = {name for row in ROWS for name in (row.split(":")[0].split(" ")[0],)}
    kinds = {name.partition(".")[0] for name in named} | {"Stored", "CacheMark", "Citation"}
    bare = {name.removeprefix("Conversation.") for name in named}
    assert set() == {one for one in fields if one not in named | bare | kinds}


@pytest.mark.parametrize("shape", CODECS, ids=lambda shape: shape.value)
def test_a_vendors_tool_is_left_out_where_the_binding_says_so(shape):
    """The refusal names the setting that helps; a search beside other tools needs none."""
    declared = tools(
        LOOK, ServerTool(ServerKind.WEB_SEARCH, OWN, "web_search"), VendorTool("mcp", OWN)
    )
    none = {"server_tools": frozenset()}
    body, refusal = written(shape, "responses", declared, **none)
    assert body is None
    assert "tools" == refusal.param
    assert "mcp" in refusal.message
    assert "drop_tools" in refusal.message
    body, report = written(
        shape, "responses", declared, **none, drop_tools=frozenset({"web_search", "mcp"})
    )
    assert body == written(shape, "responses", tools(LOOK))[0]
    assert ["tools", "tools"] == [drop.member for drop in report.drops]


@pytest.mark.parametrize("shape", OWN_TOOLS, ids=lambda shape: shape.value)
def test_a_tool_that_the_target_has_is_not_left_out(shape):
    """Whatever the binding says of others."""
    declared = tools(LOOK, ServerTool(ServerKind.WEB_SEARCH, OWN, "web_search"))
    has = {
        "server_tools": frozenset({ServerKind.WEB_SEARCH}),
        "mixed_tools": True,
        "drop_tools": frozenset({"web_search"}),
    }
    body, report = written(shape, "responses", declared, **has)
    assert body != written(shape, "responses", tools(LOOK))[0]
    assert [] == report.drops


@pytest.mark.parametrize("shape", CODECS, ids=lambda shape: shape.value)
def test_a_grammar_is_said_in_words_and_told(shape):
    """Where nothing holds text to a grammar; strict callers are refused."""
    declared = tools(CustomTool("patch", "d", Grammar("lark", "start: X9")))
    body, report = written(shape, "responses", declared, custom_tools=False)
    assert "start: X9" in str(body.get("tools", body.get("toolConfig")))
    assert [("tools.patch.format", DropAction.CHANGED)] == [
        (one.member, one.act) for one in report.drops
    ]
    body, refusal = written(shape, "responses", declared, strict=True, custom_tools=False)
    assert (None, "tools.patch.format") == (body, refusal.param)
