"""The common preparation before any writer."""

import msgspec
import pytest
from msgspec.structs import replace

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.fit import FILLER, fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import DropAction, Mend, Report
from trivium.conversation.member_table import ROWS, Concept
from trivium.conversation.opaque import SIGNATURE, THOUGHT_SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Native, Reasoning, ReasoningForm, Text
from trivium.conversation.request import (
    Conversation,
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import ReasoningBack, target
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    ServerKind,
    ServerTool,
    ToolChoice,
)
from trivium.faults import Fault, Kind

HERE = StateOrigin("messages", "anthropic", "main")
ELSEWHERE = StateOrigin("generate", "google", "main")
OWN = Opaque(SIGNATURE, b"own", HERE)
FOREIGN = Opaque(THOUGHT_SIGNATURE, b"theirs", ELSEWHERE)
NOBODYS = Opaque(SIGNATURE, b"?")
ASK = Turn(Role.USER, (Text("hello"),))


def facts(**more):
    """A target that takes everything."""
    return target(HERE, "m", **{"blank_text": True, **more})


def asking(*turns, **more):
    """A conversation of a chat caller."""
    return Conversation(shape="chat", model="m", turns=turns, **more)


def fit(*turns, known=None, **more):
    """Turns as fitted, the repairs and the drops."""
    report = Report("the target")
    found = fitted(asking(*turns, **more), known or facts(), report)
    return (
        found.turns,
        [one.what for one in report.repairs],
        [one.member for one in report.drops],
    )


def spoken(*parts):
    """An assistant turn."""
    return Turn(Role.ASSISTANT, parts)


def test_a_conversation_that_fits_is_given_back_as_it_is():
    """Nothing is copied, nothing reported."""
    report = Report("the target")
    conversation = asking(ASK, spoken(Text("hi")), ASK, sampling=Sampling(temperature=1.5))
    assert fitted(conversation, facts(refuses=frozenset({Concept.SEED})), report) is conversation
    assert ([], []) == (report.repairs, report.drops)


def test_neighbours_are_joined_and_calls_paired():
    """One tool message each, as chat has it, becomes one turn of results."""
    calls = (ToolCall("a", "size"), ToolCall("b", "size"))
    results = tuple(ToolResult(one, (Text("1"),), name="size") for one in ("a", "b"))
    turns = (spoken(*calls), *(Turn(Role.USER, (one,)) for one in results), ASK)
    expected = (spoken(*calls), Turn(Role.USER, (*results, *ASK.parts)))
    assert (expected, [], []) == fit(*turns)


def test_turns_that_become_neighbours_when_results_move_are_joined_too():
    """A named turn of nothing but a result is gone once the result stands with the others."""
    first, second = (ToolResult(one, (Text("1"),), name="size") for one in ("a", "b"))
    turns = (
        spoken(ToolCall("a", "size"), ToolCall("b", "size")),
        Turn(Role.USER, (first,)),
        Turn(Role.USER, (second,), name="eve"),
        ASK,
    )
    found, repairs, _ = fit(*turns)
    assert (turns[0], Turn(Role.USER, (first, second, *ASK.parts))) == found
    assert [Mend.RESULT_ORDER] == repairs


@pytest.mark.parametrize(
    ("turn", "expected", "repairs"),
    [
        pytest.param(
            Turn(Role.USER, (Text(" \n"), Text("hello"))),
            ASK,
            [Mend.EMPTY_TEXT],
            id="blank beside words",
        ),
        pytest.param(
            Turn(Role.USER, (Text(""),)),
            Turn(Role.USER, (Text(FILLER),)),
            [Mend.EMPTY_TEXT, Mend.EMPTY_TURN],
            id="nothing but blank",
        ),
        pytest.param(
            Turn(Role.USER, ()),
            Turn(Role.USER, (Text(FILLER),)),
            [Mend.EMPTY_TURN],
            id="no content at all",
        ),
        pytest.param(
            Turn(Role.USER, (Text("", opaque=(OWN,)),)),
            Turn(Role.USER, (Text("", opaque=(OWN,)),)),
            [],
            id="blank that carries something",
        ),
        pytest.param(
            Turn(Role.USER, (Text("", opaque=(FOREIGN,)), Text("hello"))),
            ASK,
            [Mend.FOREIGN_SIGNATURE, Mend.EMPTY_TEXT],
            id="blank that carried what another made",
        ),
    ],
)
def test_text_that_says_nothing_goes_where_it_is_refused(turn, expected, repairs):
    """A turn keeps its place: a filler stands where nothing is left."""
    after = (spoken(Text("hi")), ASK)
    assert ((expected, *after), repairs, []) == fit(turn, *after, known=facts(blank_text=False))


def test_blank_text_stays_where_it_is_taken():
    """Bytes are not touched without need."""
    turns = (Turn(Role.USER, (Text(""),)), spoken(Text(" ")), Turn(Role.USER, ()))
    assert (turns, [], []) == fit(*turns)


def test_blank_texts_of_a_result_go_and_the_result_stays():
    """An empty result is legal everywhere."""
    turns = (spoken(ToolCall("a", "size")), Turn(Role.USER, (ToolResult("a", (Text(""),)),)))
    found, _, _ = fit(*turns, known=facts(blank_text=False))
    assert (ToolResult("a", (), name="size"),) == found[1].parts


@pytest.mark.parametrize(
    "turn", [Turn(Role.SYSTEM, (Text(""),)), spoken(Text(""))], ids=["system", "prefill"]
)
def test_an_instruction_or_prefill_that_says_nothing_needs_no_filler(turn):
    """Leaving it out says the same."""
    assert ((ASK,), [Mend.EMPTY_TEXT], []) == fit(ASK, turn, known=facts(blank_text=False))


@pytest.mark.parametrize("stranger", [FOREIGN, NOBODYS], ids=["another's", "nobody's"])
def test_only_attachments_that_the_target_made_go_back(stranger):
    """Calls and texts stay in place, without what the target could not read."""
    call = ToolCall("a", "size", "{}", opaque=(stranger, OWN))
    result = ToolResult("a", (Text("1", opaque=(stranger,)),), name="size")
    turns = (spoken(Text("so", opaque=(stranger,)), call), Turn(Role.USER, (result,)))
    expected = (
        spoken(Text("so"), msgspec.structs.replace(call, opaque=(OWN,))),
        Turn(Role.USER, (ToolResult("a", (Text("1"),), name="size"),)),
    )
    assert (expected, [Mend.FOREIGN_SIGNATURE, Mend.FOREIGN_SIGNATURE], []) == fit(*turns)


@pytest.mark.parametrize(
    ("part", "back", "kept"),
    [
        (Reasoning("hm", opaque=(OWN,)), ReasoningBack.SEALED, True),
        (Reasoning("", form=ReasoningForm.HIDDEN, opaque=(OWN,)), ReasoningBack.SEALED, True),
        (Reasoning("hm"), ReasoningBack.SEALED, False),
        (Reasoning("hm", opaque=(FOREIGN,)), ReasoningBack.SEALED, False),
        (Reasoning("hm"), ReasoningBack.NOTHING, False),
        (Reasoning("hm"), ReasoningBack.TEXT, True),
        (Reasoning("", form=ReasoningForm.HIDDEN), ReasoningBack.TEXT, False),
    ],
)
def test_reasoning_goes_back_to_those_who_can_read_it(part, back, kept):
    """What goes is reported under the caller's own member."""
    turns = (ASK, spoken(part, Text("so")), ASK)
    found, _, drops = fit(*turns, known=facts(reasoning_back=back))
    assert ((part, Text("so")) if kept else (Text("so"),)) == found[1].parts
    assert ([] if kept else ["messages[].reasoning_content"]) == drops


def test_a_turn_of_foreign_reasoning_alone_keeps_its_place():
    """Without it, two user turns would become one."""
    found, repairs, _ = fit(ASK, spoken(Reasoning("hm", opaque=(FOREIGN,))), ASK)
    assert (ASK, spoken(Text(FILLER)), ASK) == found
    assert [Mend.FOREIGN_SIGNATURE, Mend.EMPTY_TURN] == repairs


def test_an_answer_to_go_on_with_is_refused_where_the_model_does_not():
    """The caller is told in its own words, and what would be right."""
    conversation = asking(ASK, spoken(Text("It is")))
    known = facts(prefill=False)
    with pytest.raises(Fault, match=r"end with a user's") as caught:
        fitted(conversation, known, Report("the target"))
    assert (Kind.UNREPRESENTABLE, "messages") == (caught.value.kind, caught.value.param)
    assert conversation is fitted(conversation, facts(), Report("the target"))


@pytest.mark.parametrize("shape", ["chat", "responses", "generate"])
def test_a_limit_above_the_models_own_is_brought_down_to_it(shape):
    """Callers whose shape demands a limit send what their own vendor's models can do."""
    there = StateOrigin(shape, "p", "main")
    report = Report("the target")
    asked = Conversation(shape="messages", model="m", turns=(ASK,), output_max=64_000)
    assert 16_384 == fitted(asked, target(there, "m", output_cap=16_384), report).output_max
    assert [("max_tokens", DropAction.CHANGED)] == [(one.member, one.act) for one in report.drops]
    assert asked is fitted(asked, target(there, "m"), report)
    assert asked is fitted(asked, target(there, "m", output_cap=64_000), report)


@pytest.mark.parametrize("shape", ["chat", "responses", "generate"])
def test_filling_a_cache_without_an_answer_is_refused_where_no_shape_can_ask_for_it(shape):
    """A least answer would be paid for, and is not what was asked."""
    asked = Conversation(shape="messages", model="m", turns=(ASK,), output_max=0)
    with pytest.raises(Fault, match="cached") as caught:
        fitted(asked, target(StateOrigin(shape, "p", "main"), "m"), Report("the target"))
    assert (Kind.UNREPRESENTABLE, "max_tokens") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("shape", "schema", "strict"),
    [
        ("chat", b'{"type":"object","properties":{"a":{}}}', None),
        ("responses", b'{"type":"object","properties":{"a":{}}}', None),
        ("responses", b'{"type":"object","additionalProperties":false,"properties":{}}', True),
        ("messages", b'{"type":"object","properties":{"a":{}}}', True),
    ],
)
def test_a_strict_tool_with_optional_members_is_strict_where_it_may_be(shape, schema, strict):
    """OpenAI refuses the request for it; what the tool takes it is told either way."""
    tool, report = FunctionTool("f", parameters=schema, strict=True), Report("the target")
    asked = Conversation(shape="messages", model="m", turns=(ASK,), tools=(tool,))
    found = fitted(asked, target(StateOrigin(shape, "p", "main"), "m"), report)
    assert replace(tool, strict=strict) == found.tools[0]
    assert ([] if strict else ["tools[].strict"]) == [one.member for one in report.drops]


REFUSED = facts(refuses=frozenset(Concept))


def test_hints_that_the_model_refuses_are_dropped_and_reported():
    """In the table's order, whatever the order of a set."""
    report = Report("the target")
    conversation = asking(
        ASK,
        sampling=Sampling(temperature=1.0, seed=7),
        verbosity="low",
        user="u",
        reasoning=ReasoningSettings(effort=Effort.LOW),
    )
    assert asking(ASK) == fitted(conversation, REFUSED, report)
    assert ["temperature", "seed", "reasoning_effort", "verbosity"] == [
        one.member for one in report.drops
    ]
    assert ["user"] == report.kept


@pytest.mark.parametrize(
    ("wanted", "param"),
    [
        ({"candidates": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"format": ResponseFormat(FormatKind.JSON)}, "response_format"),
        ({"modalities": ("text", "audio")}, "modalities"),
    ],
)
def test_a_contract_that_the_model_refuses_is_a_fault(wanted, param):
    """The caller's code depends on it."""
    with pytest.raises(Fault) as caught:
        fitted(asking(ASK, **wanted), REFUSED, Report("the target"))
    assert (Kind.UNREPRESENTABLE, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    "wanted",
    [
        {"candidates": 1},
        {"logprobs": False, "top_logprobs": 0},
        {"format": ResponseFormat(FormatKind.TEXT)},
        {"modalities": ("text",)},
        {"parallel_calls": True},
        {"reasoning": ReasoningSettings(effort=Effort.NONE)},
    ],
)
def test_a_member_that_asks_for_nothing_special_is_left_out_quietly(wanted):
    """The model does that anyway."""
    report = Report("the target", strict=True)
    assert asking(ASK) == fitted(asking(ASK, **wanted), REFUSED, report)


def test_every_member_of_the_whole_request_can_be_refused():
    """A concept with a field of the request has one by that very name."""
    fields = {field.name for field in msgspec.structs.fields(Conversation)}
    named = {row.field for row in ROWS.values() if row.field.islower()}
    assert set() == {name for name in named if "." not in name} - fields


@pytest.mark.parametrize(
    ("known", "stop", "sent"),
    [
        ({}, ("END", " ", ""), ("END", " ", "")),
        ({"stop_max": 2}, ("a", "", "b"), ("a", "", "b")),
        ({"stop_max": 2}, ("a", "b", "c"), ("a", "b")),
        ({"stop_max": 0}, ("END",), ()),
        ({"blank_text": False}, ("END", "\n"), ("END",)),
        ({"refuses": frozenset({Concept.STOP})}, ("END",), ()),
    ],
)
def test_stop_sequences_that_are_not_taken_are_watched_for(known, stop, sent):
    """The caller's code counts on the cut; strict callers are refused."""
    report = Report("the target")
    assert sent == fitted(asking(ASK, stop=stop), facts(**known), report).stop
    assert ([] if sent == stop else ["stop"]) == [one.member for one in report.drops]
    if sent != stop:
        with pytest.raises(Fault):
            fitted(asking(ASK, stop=stop), facts(**known), Report("the target", strict=True))


@pytest.mark.parametrize(
    "more",
    [
        {"stop": ("a",), "candidates": 2},
        {"stop": tuple(map(str, range(65)))},
        {"stop": ("a" * 4097,)},
    ],
)
def test_stop_sequences_that_cannot_be_watched_for_are_refused(more):
    """An answer that runs on would break the caller's code."""
    with pytest.raises(Fault) as caught:
        fit(ASK, known=facts(stop_max=0), **more)
    assert (Kind.UNREPRESENTABLE, "stop") == (caught.value.kind, caught.value.param)


THINKING = frozenset({Concept.TEMPERATURE})


@pytest.mark.parametrize(
    ("known", "wanted", "kept"),
    [
        ({}, None, True),
        ({}, ReasoningSettings(effort=Effort.LOW), False),
        ({}, ReasoningSettings(effort=Effort.NONE), True),
        ({}, ReasoningSettings(budget=0), True),
        ({}, ReasoningSettings(switch=Thinking.ADAPTIVE), False),
        ({}, ReasoningSettings(shown=True), True),
        ({"thinks_unasked": True}, None, False),
        ({"thinks_unasked": True}, ReasoningSettings(shown=True), False),
        ({"thinks_unasked": True}, ReasoningSettings(effort=Effort.NONE), True),
        (
            {"thinks_unasked": True, "thinking_off": False},
            ReasoningSettings(switch=Thinking.OFF),
            False,
        ),
    ],
)
def test_what_is_refused_while_thinking_depends_on_whether_it_thinks(known, wanted, kept):
    """Asked for, by itself, switched off, or impossible to switch off."""
    report = Report("the target")
    told = asking(ASK, sampling=Sampling(temperature=0.5), reasoning=wanted)
    found = fitted(told, facts(refuses_thinking=THINKING, **known), report)
    assert (0.5 if kept else None) == found.sampling.temperature
    why = [] if kept else ["not taken by this model while it thinks"]
    assert why == [one.reason for one in report.drops]


def test_a_search_is_named_as_its_caller_asked_for_it():
    """Chat has no tool for it but a member of its own."""
    search = ServerTool(kind=ServerKind.WEB_SEARCH, native=Native("chat", b"{}"))
    conversation = asking(Turn(Role.USER, (Text("Hi"),)), tools=(search,))
    known = target(StateOrigin("messages", "vendor", "account"), "m", server_tools=frozenset())
    with pytest.raises(Fault, match=r"^web_search_options cannot") as raised:
        fitted(conversation, known, Report("the messages shape of m"))
    assert "web_search_options" == raised.value.param


LOOK = FunctionTool(name="look")
SEARCH = ServerTool(
    kind=ServerKind.WEB_SEARCH, native=Native("responses", b'{"type":"web_search"}')
)


@pytest.mark.parametrize(
    ("tools", "choice", "left_out"),
    [
        ((LOOK, SEARCH), None, True),
        ((SEARCH, LOOK), ToolChoice(ChoiceMode.AUTO), True),
        ((SEARCH,), None, False),
        ((LOOK, SEARCH), ToolChoice(ChoiceMode.REQUIRED), False),
        ((LOOK, SEARCH), ToolChoice(ChoiceMode.NAMED, ("web_search",)), False),
        ((LOOK, SEARCH), ToolChoice(ChoiceMode.AUTO, ("web_search",)), False),
        ((LOOK, replace(SEARCH, allowed_domains=("a.example",))), None, False),
        ((LOOK, replace(SEARCH, blocked_domains=("a.example",))), None, False),
        ((LOOK, replace(SEARCH, max_uses=2)), None, False),
        ((LOOK, replace(SEARCH, kind=ServerKind.CODE)), None, False),
    ],
)
def test_a_search_that_is_merely_offered_may_be_missing(tools, choice, left_out):
    """Agents offer one in every request; whoever depends on it is refused by name."""
    conversation = asking(Turn(Role.USER, (Text("Hi"),)), tools=tools, tool_choice=choice)
    known = target(StateOrigin("chat", "vendor", "account"), "m")
    report = Report("the chat shape of m")
    if left_out:
        assert (LOOK,) == fitted(conversation, known, report).tools
        assert ["tools"] == [drop.member for drop in report.drops]
        with pytest.raises(Fault):
            fitted(conversation, known, Report("strict", strict=True))
    else:
        with pytest.raises(Fault, match="of its own"):
            fitted(conversation, known, report)


PHASED = (
    ASK,
    Turn(Role.ASSISTANT, (Reasoning("hm", opaque=(Opaque("signature", b"s", ELSEWHERE),)),)),
    Turn(Role.ASSISTANT, (Text("Looking."),), phase="commentary"),
    Turn(Role.ASSISTANT, (ToolCall("c1", "look"),)),
    Turn(Role.USER, (ToolResult("c1", (Text("seen"),), name="look"),)),
)
"""As Codex sends it: reasoning of another vendor, words with a phase, a call."""


def test_phases_keep_nothing_apart_where_there_are_none():
    """Nor does anything invented stand for reasoning that cannot be read beside what was said."""
    found, repairs, drops = fit(*PHASED)
    assert (ASK, spoken(Text("Looking."), ToolCall("c1", "look")), PHASED[-1]) == found
    assert [Mend.FOREIGN_SIGNATURE] == repairs
    assert 2 == len(drops)


def test_phases_stay_where_they_are_known():
    """And what cannot be read is left out between them."""
    known = target(StateOrigin("responses", "openai", "main"), "m", blank_text=True)
    found, repairs, _ = fit(*PHASED, known=known)
    assert [None, "commentary", None, None] == [turn.phase for turn in found]
    assert Mend.EMPTY_TURN not in repairs


@pytest.mark.parametrize(
    ("tools", "choice", "why"),
    [
        ((), ToolChoice(ChoiceMode.REQUIRED), "there are no tools"),
        ((), ToolChoice(ChoiceMode.NAMED, ("look",)), "there are no tools"),
        ((LOOK,), ToolChoice(ChoiceMode.NAMED, ("cook",)), "cook is none of the tools"),
        ((LOOK,), ToolChoice(ChoiceMode.AUTO, ("look", "cook")), "cook is none of the tools"),
        ((), ToolChoice(ChoiceMode.AUTO), None),
        ((), ToolChoice(ChoiceMode.NONE), None),
        ((LOOK,), ToolChoice(ChoiceMode.REQUIRED, ("look",)), None),
        ((CustomTool(name="cook", namespace="n"),), ToolChoice(ChoiceMode.NAMED, ("cook",)), None),
    ],
)
def test_a_choice_among_tools_that_are_not_there_is_refused(tools, choice, why):
    """Without it the model would be free, which is what the caller ruled out."""
    conversation = asking(ASK, tools=tools, tool_choice=choice)
    if why is None:
        assert choice == fitted(conversation, facts(), Report("x")).tool_choice
        return
    with pytest.raises(Fault, match=why) as raised:
        fitted(conversation, facts(), Report("x"))
    assert "tool_choice" == raised.value.param
