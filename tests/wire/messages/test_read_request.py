"""Requests of the messages shape, read: what they mean, and what is refused with its place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    CacheMark,
    Document,
    Image,
    Inline,
    Pieces,
    Reasoning,
    ReasoningForm,
    Remote,
    SearchResult,
    Text,
)
from trivium.conversation.request import (
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.tools import ChoiceMode, ToolChoice
from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.codec import ReadContext
from trivium.wire.messages.codec import CODEC

REQUESTS = Path(__file__).parents[2] / "fixtures" / "messages" / "translate" / "requests"
ORIGIN = StateOrigin("messages", "anthropic", "main")
PNG = Inline("image/png", "iVBORw0KGgo=")
PDF = Inline("application/pdf", "JVBERi0xLjQK")
NEW = {"anthropic_version": "2026-10-21"}
TOOL = {"name": "f", "input_schema": {"type": "object"}}
CALL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}


def body(**members):
    """A least request with some members."""
    return {
        "model": "m",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Hi"}],
        **members,
    }


def said(*contents, roles=("user", "assistant")):
    """Messages of alternating roles."""
    return [{"role": roles[at % 2], "content": one} for at, one in enumerate(contents)]


def fixture(name):
    """A request of the fixtures."""
    return json.loads((REQUESTS / f"{name}.json").read_bytes())


def test_a_plain_request(wires):
    """Text as one part, in its place; what was not said stays unsaid."""
    found = wires.read(fixture("plain"))
    assert (Turn(Role.USER, (Text("Hello"),)),) == found.turns
    assert ("claude-sonnet-5", 4096, False, ()) == (
        found.model,
        found.output_max,
        found.stream,
        found.instructions,
    )
    assert (None, None, None, Sampling()) == (
        found.reasoning,
        found.format,
        found.tool_choice,
        found.sampling,
    )


def test_parts_are_never_merged_and_keep_their_marks(wires):
    """Blocks stay apart, in order; system is the top-level slot."""
    found = wires.read(fixture("multi-part"))
    assert (Text("Be brief.", cache=CacheMark()),) == found.instructions
    assert (Text("One."), Text("Two.", cache=CacheMark("1h"))) == found.turns[0].parts
    assert (("END",), "u-1", True) == (found.stop, found.user, found.stream)


def test_trap_37_a_system_message_in_the_middle_stays_there(wires):
    """Hoisting it would rewrite everything before it."""
    found = wires.read(fixture("system-middle"))
    assert [Role.USER, Role.SYSTEM, Role.ASSISTANT, Role.USER] == [
        turn.role for turn in found.turns
    ]
    assert (Text("Be brief."),) == found.instructions


def test_trap_43_media_is_read_with_all_it_says(wires):
    """Images and documents by URL, in bytes and written out; search results."""
    assert (
        Text("What are these?"),
        Image(Remote("https://images.example/a.png")),
        Image(PNG, cache=CacheMark()),
        Document(PDF, title="Report", context="Annual.", citable=True),
        Document(Pieces((Text("Words."),))),
        Document(Remote("https://files.example/b.pdf", "application/pdf")),
        Document(Pieces((Text("Part."), Image(PNG)))),
        SearchResult("https://wiki.example/x", "X", (Text("About X."),), citable=True),
    ) == wires.read(fixture("media")).turns[0].parts


def test_trap_15_calls_and_results_with_media_and_errors(wires):
    """Arguments as compact text; results keep images, documents and the error flag."""
    found = wires.read(fixture("tools"))
    assert (
        Text("Looking."),
        ToolCall("toolu_1", "lookup", '{"q":"a"}'),
        ToolCall("toolu_2", "lookup", '{"q":"b"}'),
        ToolCall("toolu_3", "now", "{}"),
    ) == found.turns[1].parts
    assert (
        ToolResult("toolu_1", (Text("A"),)),
        ToolResult("toolu_2", (Text("B"), Image(PNG), Document(PDF))),
        ToolResult("toolu_3", (Text("no clock"),), error=True),
        Text("Well?"),
    ) == found.turns[2].parts
    assert (ToolChoice(ChoiceMode.AUTO), True) == (found.tool_choice, found.parallel_calls)


def test_trap_24_signed_thinking_is_kept_without_words(wires):
    """Newer models say nothing and sign it; the channel that made it is in the envelope."""
    parts = [part for turn in wires.read(fixture("thinking")).turns for part in turn.parts]
    assert [
        Reasoning("One.", opaque=(Opaque("signature", b"sig1", ORIGIN),)),
        Reasoning("", ReasoningForm.HIDDEN, opaque=(Opaque("signature", b"sig2", ORIGIN),)),
        Reasoning("Three.", opaque=(Opaque("signature", b"sig3", ORIGIN),)),
    ] == [part for part in parts if type(part) is Reasoning]


def test_trap_26_a_signature_of_unknown_origin_belongs_to_nobody(wires):
    """It is carried without a maker, so no target can take it for its own."""
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "EqQB"}
    redacted = {"type": "redacted_thinking", "data": "EmwK"}
    found = wires.read(body(messages=said("Hi", [thinking, redacted], "Go")))
    assert (
        Reasoning("Hm", opaque=(Opaque("slot", b"EqQB"),)),
        Reasoning("", ReasoningForm.HIDDEN, opaque=(Opaque("slot", b"EmwK"),)),
    ) == found.turns[1].parts


@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        (
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
            ReasoningSettings(Thinking.ON, budget=2048),
        ),
        (
            {"thinking": {"type": "adaptive", "display": "omitted"}},
            ReasoningSettings(Thinking.ADAPTIVE, shown=False),
        ),
        ({"thinking": {"type": "disabled"}}, ReasoningSettings(Thinking.OFF)),
        ({"thinking": {"type": "between_tools"}}, ReasoningSettings(Thinking.BETWEEN_TOOLS)),
        ({"output_config": {"effort": "max"}}, ReasoningSettings(effort=Effort.MAX)),
        (
            {"output_config": {"effort": "low"}, "thinking": {"type": "adaptive"}},
            ReasoningSettings(Thinking.ADAPTIVE, Effort.LOW),
        ),
    ],
)
def test_wishes_for_thinking(wires, members, wanted):
    """The switch, the effort, the budget and whether it is to be shown."""
    assert wanted == wires.read(body(**members)).reasoning


@pytest.mark.parametrize("member", ["output_config", "output_format"])
def test_structured_output_under_both_names(wires, member):
    """The schema is kept as it came."""
    wanted = {"type": "json_schema", "schema": {"type": "object"}}
    found = wires.read(
        body(**{member: {"format": wanted} if member == "output_config" else wanted})
    )
    assert ResponseFormat(FormatKind.SCHEMA, b'{"type": "object"}') == found.format


def test_sampling_is_honoured_under_either_version(wires):
    """LangChain sends a temperature with the version that has none."""
    found = wires.read(body(temperature=0.5, top_p=0.9, top_k=40), **NEW)
    assert Sampling(temperature=0.5, top_p=0.9, top_k=40) == found.sampling


@pytest.mark.parametrize(
    ("members", "tier"),
    [
        ({"service_tier": "standard_only"}, "default"),
        ({"service_tier": "auto"}, "auto"),
        ({"speed": "fast"}, "fast"),
        ({"speed": "standard"}, None),
    ],
)
def test_tiers_are_told_in_one_language(wires, members, tier):
    """OpenAI's words, for all shapes."""
    assert tier == wires.read(body(**members)).service_tier


def test_trap_209_claude_codes_bookkeeping_is_no_prompt(wires):
    """Its billing line changes with every release, ahead of all that could be cached."""
    system = [
        {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.197"},
        {"type": "text", "text": "You are a coding agent."},
    ]
    more = {"context_management": {"edits": []}, "unheard_of": 1, "mcp_servers": []}
    found = wires.read(body(system=system, **more))
    assert (Text("You are a coding agent."),) == found.instructions
    assert [
        ("system.0", Rank.BOOKKEEPING),
        ("context_management", Rank.HINT),
        ("unheard_of", Rank.HINT),
    ] == [(one.member, one.rank) for one in found.extensions]


@pytest.mark.parametrize("name", ["container", "mcp_servers", "thread"])
def test_what_the_callers_code_depends_on_is_a_contract(wires, name):
    """A target without it has to refuse."""
    assert Rank.CONTRACT is wires.read(body(**{name: {}})).extensions[0].rank


def test_blocks_nobody_has_documented_are_kept(wires):
    """Word for word, with their kind; tools of the vendor's own too."""
    found = wires.read(fixture("unknown"))
    assert ["server_tool_use", "web_search_tool_result", "hologram"] == [
        part.kind for part in found.turns[1].parts if type(part) is not Text
    ]
    assert "container_upload" == found.turns[2].parts[0].kind
    assert ("web_search", 3, "bash_20250124") == (
        found.tools[0].kind.value,
        found.tools[0].max_uses,
        found.tools[1].kind,
    )


def test_no_limit_is_no_request(wires):
    """Zero fills the cache and is legal; nothing at all is not."""
    assert 0 == wires.read(body(max_tokens=0)).output_max
    with pytest.raises(Fault) as caught:
        wires.read(body(max_tokens=None))
    assert (Kind.MISSING_MEMBER, "max_tokens") == (caught.value.kind, caught.value.param)


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
RESULT = {"type": "tool_result", "tool_use_id": "t1"}
MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
CITED = {"type": "text", "text": "x", "citations": [{"type": "char_location"}]}

REFUSED = {
    "no messages": ({"messages": []}, "messages", Kind.INVALID_VALUE),
    "absent messages": ({"messages": None}, "messages", Kind.MISSING_MEMBER),
    "messages of another type": ({"messages": "Hi"}, "messages", Kind.INVALID_TYPE),
    "no model": ({"model": None}, "model", Kind.MISSING_MEMBER),
    "role": (
        {"messages": [{"role": "tool", "content": "x"}]},
        "messages.0.role",
        Kind.INVALID_VALUE,
    ),
    "no content": ({"messages": [{"role": "user"}]}, "messages.0.content", Kind.MISSING_MEMBER),
    "content of another type": (
        {"messages": said(5)},
        "messages.0.content",
        Kind.INVALID_TYPE,
    ),
    "block without a type": (
        {"messages": said([{"text": "x"}])},
        "messages.0.content.0.type",
        Kind.MISSING_MEMBER,
    ),
    "text of another type": (
        {"messages": said([{"type": "text", "text": 5}])},
        "messages.0.content.0.text",
        Kind.INVALID_TYPE,
    ),
    "call by the user": (
        {"messages": said([CALL])},
        "messages.0.content.0.type",
        Kind.INVALID_VALUE,
    ),
    "image by the assistant": (
        {"messages": said("Hi", [IMAGE])},
        "messages.1.content.0.type",
        Kind.INVALID_VALUE,
    ),
    "result without its call": (
        {"messages": said([RESULT])},
        "messages.0.content.0",
        Kind.INVALID_VALUE,
    ),
    "call without its result": (
        {"messages": said("Hi", [CALL], "Go")},
        "messages.1.content.0",
        Kind.INVALID_VALUE,
    ),
    "result two turns later": (
        {"messages": said("Hi", [CALL], [RESULT], "Ok", [RESULT])},
        "messages.4.content.0",
        Kind.INVALID_VALUE,
    ),
    "call without an id": (
        {"messages": said("Hi", [{"type": "tool_use", "name": "f", "input": {}}])},
        "messages.1.content.0.id",
        Kind.MISSING_MEMBER,
    ),
    "input that is no object": (
        {"messages": said("Hi", [{**CALL, "input": "x"}])},
        "messages.1.content.0.input",
        Kind.INVALID_VALUE,
    ),
    "image type": (
        {"messages": said([{**IMAGE, "source": {**IMAGE["source"], "media_type": "image/bmp"}}])},
        "messages.0.content.0.source.media_type",
        Kind.INVALID_VALUE,
    ),
    "base64": (
        {"messages": said([{**IMAGE, "source": {**IMAGE["source"], "data": "a-_="}}])},
        "messages.0.content.0.source.data",
        Kind.INVALID_VALUE,
    ),
    "data URL": (
        {"messages": said([{"type": "image", "source": {"type": "url", "url": "data:x"}}])},
        "messages.0.content.0.source.url",
        Kind.INVALID_VALUE,
    ),
    "source kind": (
        {"messages": said([{"type": "image", "source": {"type": "s3"}}])},
        "messages.0.content.0.source.type",
        Kind.INVALID_VALUE,
    ),
    "five marks": (
        {"messages": said([MARKED] * 5)},
        "messages.0.content.4.cache_control",
        Kind.INVALID_VALUE,
    ),
    "time to live": (
        {"messages": said([{**MARKED, "cache_control": {"type": "ephemeral", "ttl": "2h"}}])},
        "messages.0.content.0.cache_control.ttl",
        Kind.INVALID_VALUE,
    ),
    "named tool": (
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "g"}},
        "tool_choice.name",
        Kind.INVALID_VALUE,
    ),
    "choice": ({"tool_choice": {"type": "some"}}, "tool_choice.type", Kind.INVALID_VALUE),
    "tool twice": ({"tools": [TOOL, TOOL]}, "tools.1.name", Kind.INVALID_VALUE),
    "tool name": ({"tools": [{**TOOL, "name": "a b"}]}, "tools.0.name", Kind.INVALID_VALUE),
    "tool without a schema": (
        {"tools": [{"name": "f"}]},
        "tools.0.input_schema",
        Kind.MISSING_MEMBER,
    ),
    "small budget": (
        {"thinking": {"type": "enabled", "budget_tokens": 1023}},
        "thinking.budget_tokens",
        Kind.INVALID_VALUE,
    ),
    "budget not below the limit": (
        {"thinking": {"type": "enabled", "budget_tokens": 4096}},
        "thinking.budget_tokens",
        Kind.INVALID_VALUE,
    ),
    "thinking kind": ({"thinking": {"type": "hard"}}, "thinking.type", Kind.INVALID_VALUE),
    "effort": ({"output_config": {"effort": "none"}}, "output_config.effort", Kind.INVALID_VALUE),
    "both formats": (
        {
            "output_format": {"type": "json_schema", "schema": {}},
            "output_config": {"format": {"type": "json_schema", "schema": {}}},
        },
        "output_format",
        Kind.INVALID_VALUE,
    ),
    "temperature": ({"temperature": 1.5}, "temperature", Kind.INVALID_VALUE),
    "negative limit": ({"max_tokens": -1}, "max_tokens", Kind.INVALID_VALUE),
    "blank stop": ({"stop_sequences": ["a", " "]}, "stop_sequences.1", Kind.INVALID_VALUE),
    "stream of another type": ({"stream": "yes"}, "stream", Kind.INVALID_TYPE),
    "long user id": (
        {"metadata": {"user_id": "x" * 257}},
        "metadata.user_id",
        Kind.INVALID_VALUE,
    ),
    "tier": ({"service_tier": "gold"}, "service_tier", Kind.INVALID_VALUE),
    "image in system": ({"system": [IMAGE]}, "system.0.type", Kind.INVALID_VALUE),
}


@given(data=st.data())
def test_whatever_comes_is_read_or_refused(wires, data):
    """Bytes taken out, doubled or changed: a fault of the caller's, never an exception."""
    path = data.draw(st.sampled_from(sorted(REQUESTS.glob("*.json"))))
    raw = path.read_bytes()
    at = data.draw(st.integers(0, len(raw)))
    put = data.draw(
        st.sampled_from([b"", b"\xff", b'"\\ud800"', b"1e400", b"null", b"{}", b"[[", b'"'])
    )
    damaged = raw[:at] + put + raw[at + data.draw(st.integers(0, 40)) :]
    refused = 400
    try:
        # as the relay does it: what is not UTF-8 is refused before anything of it is read
        members = peek.members(damaged).table
        wires.write(CODEC.read_request(members, ReadContext()))
    except Fault as fault:
        refused = fault.status
    assert 400 == refused


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_the_vendor_refuses_is_refused_with_its_place(wires, name):
    """The text begins with the path, in dots, as the vendor's own does."""
    members, path, kind = REFUSED[name]
    with pytest.raises(Fault) as caught:
        wires.read(body(**members))
    assert (kind, path) == (caught.value.kind, caught.value.param)
    assert caught.value.message.startswith(f"{path}: ")


@pytest.mark.parametrize(
    "messages",
    [
        said("Hi", [CALL]),
        [*said("Hi", [CALL]), {"role": "system", "content": "Mind."}, *said([RESULT])],
        [
            *said("Hi", [CALL]),
            {"role": "assistant", "content": [{**CALL, "id": "t2"}]},
            *said([RESULT]),
            *said([{**RESULT, "tool_use_id": "t2"}]),
        ],
    ],
)
def test_neighbours_of_one_role_are_one_turn(wires, messages):
    """The vendor merges them, so calls and results may be spread over them; the last may be open."""
    assert len(messages) == len(wires.read(body(messages=messages)).turns)
