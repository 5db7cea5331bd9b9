"""Conversations as requests of the messages shape: nothing known to fail, nothing lost in silence."""

import json
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank, Report
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    CacheMark,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.request import Extension, FormatKind, ResponseFormat
from trivium.conversation.tools import FunctionTool
from trivium.faults import Fault, Kind
from trivium.wire.messages.codec import CODEC

REQUESTS = Path(__file__).parents[2] / "fixtures" / "messages" / "translate" / "requests"
ORIGIN = StateOrigin("messages", "anthropic", "main")
HI = (Turn(Role.USER, (Text("Hi"),)),)
TOOL = FunctionTool("f", parameters=b'{"type":"object"}')


def user(*parts):
    """A turn of the user's."""
    return Turn(Role.USER, tuple(Text(one) if isinstance(one, str) else one for one in parts))


def assistant(*parts):
    """A turn of the model's."""
    return Turn(Role.ASSISTANT, tuple(Text(one) if isinstance(one, str) else one for one in parts))


def system(text):
    """An instruction."""
    return Turn(Role.SYSTEM, (Text(text),))


def text(words):
    """A text block."""
    return {"type": "text", "text": words}


def dropped(report):
    """Members that a report names, with what was done."""
    return {(drop.member, drop.act.value) for drop in report.drops}


@pytest.mark.parametrize("path", sorted(REQUESTS.glob("*.json")), ids=lambda path: path.stem)
def test_what_is_written_reads_as_what_was_read(wires, path):
    """Read, written and read again, a request says the same; nothing is dropped."""
    before = wires.read(json.loads(path.read_bytes()))
    body, report = wires.write(before)
    sealed = json.loads(json.dumps(body), object_hook=partial(resealed, wires.seal))
    after = wires.read(sealed)
    assert msgspec.structs.replace(before, model="claude-x") == after
    assert ([], [], []) == (report.drops, report.repairs, report.kept)


def resealed(seal, members):
    """Thinking as the gateway would have given it to a caller."""
    slots = {"thinking": ("signature", "signature"), "redacted_thinking": ("data", "redacted")}
    if members.get("type") in slots and "budget_tokens" not in members:
        slot, kind = slots[members["type"]]
        if slot in members:
            opaque = Opaque(kind, members[slot].encode())
            members[slot] = seal((opaque,))
    return members


def test_trap_37_only_leading_instructions_are_hoisted(wires):
    """Later ones stay in their place: as they are where the model takes them, else in a tag."""
    turns = (
        system("A"),
        Turn(Role.DEVELOPER, (Text("B"),)),
        user("Hi"),
        assistant("Yo"),
        system("C"),
        user("Go"),
    )
    body, _ = wires.write(wires.request(turns=turns))
    assert [text("A"), text("B")] == body["system"]
    assert ["user", "assistant", "system", "user"] == [one["role"] for one in body["messages"]]
    body, _ = wires.write(wires.request(turns=turns), mid_system=False)
    assert [text("<system>\nC\n</system>"), text("Go")] == body["messages"][2]["content"]


def test_trap_39_a_limit_is_always_sent(wires):
    """The caller's, the profile's, or one that every model takes; never above the model's own."""
    assert 8192 == wires.write(wires.request(turns=HI))[0]["max_tokens"]
    assert 4096 == wires.write(wires.request(turns=HI), output_default=None)[0]["max_tokens"]
    body, report = wires.write(wires.request(turns=HI, output_max=100_000), output_cap=64_000)
    assert 64_000 == body["max_tokens"]
    assert {("max_completion_tokens", "changed")} == dropped(report)


def test_trap_11_results_open_the_next_user_turn(wires):
    """All of them, in one turn, before the words; neighbours of one role are one message."""
    turns = (
        user("Go"),
        assistant(ToolCall("a", "f"), ToolCall("b", "f")),
        user("Also"),
        user(ToolResult("b", (Text("B"),)), ToolResult("a", (Text("A"),))),
    )
    body, _ = wires.write(fit(wires, wires.request(turns=turns)))
    assert ["user", "assistant", "user"] == [one["role"] for one in body["messages"]]
    assert ["a", "b", None] == [
        block.get("tool_use_id") for block in body["messages"][2]["content"]
    ]


def fit(wires, conversation, **facts):
    """The conversation as a writer may take it."""
    return fitted(conversation, wires.facts(mid_system=True, **facts), Report("this model"))


def test_the_user_begins(wires):
    """A history that the vendor would refuse is refused by name."""
    for turns in ((assistant("Yo"), user("Hi")), (system("A"),), ()):
        with pytest.raises(Fault) as caught:
            wires.write(wires.request(turns=turns))
        assert (Kind.UNREPRESENTABLE, "messages") == (caught.value.kind, caught.value.param)


def test_trap_32_empty_text_is_left_out_and_never_all_there_is(wires):
    """Beside a call it is dropped; a turn of nothing else gets the filler."""
    turns = (
        user("Hi"),
        assistant("", ToolCall("a", "f")),
        user(ToolResult("a")),
        assistant(" "),
        user("Go"),
    )
    body, report = wires.write(wires.request(turns=turns))
    assert ["tool_use"] == [one["type"] for one in body["messages"][1]["content"]]
    assert [text("(no content)")] == body["messages"][3]["content"]
    assert {"empty_text", "empty_turn"} == {one.what.value for one in report.repairs}


def test_a_prefill_ends_with_a_word(wires):
    """White space at its end is refused by the vendor."""
    body, report = wires.write(wires.request(turns=(user("Hi"), assistant("So, \n"))))
    assert [text("So,")] == body["messages"][1]["content"]
    assert {("messages", "changed")} == dropped(report)


def test_trap_26_thinking_goes_back_to_its_maker_only(wires):
    """Another account's, another shape's and unsigned thinking is taken out; calls stay."""
    own = Opaque("signature", b"sig", ORIGIN)
    other = Opaque("signature", b"sig", StateOrigin("messages", "anthropic", "spare"))
    google = Opaque("thought_signature", b"sig", StateOrigin("generate", "gemini", "g"))
    turns = (
        user("Hi"),
        assistant(
            Reasoning("A", opaque=(own,)),
            Reasoning("B", opaque=(other,)),
            Reasoning("C", opaque=(google,)),
            Reasoning("D"),
            Reasoning("", ReasoningForm.HIDDEN, opaque=(Opaque("redacted", b"data", ORIGIN),)),
            Text("Ok"),
        ),
        user("Go"),
    )
    body, report = wires.write(wires.request(turns=turns))
    assert [
        {"type": "thinking", "thinking": "A", "signature": "sig"},
        {"type": "redacted_thinking", "data": "data"},
        text("Ok"),
    ] == body["messages"][1]["content"]
    assert {("messages[].reasoning_content", "dropped")} == dropped(report)


@pytest.mark.parametrize(
    ("said", "left"), [(("Ok",), [text("Ok")]), ((), [text("(no content)")])], ids=["words", "none"]
)
def test_thinking_that_nothing_follows_is_left_out(wires, said, left):
    """An answer that was cut while it thought: the vendor refuses thinking at a message's end."""
    own = (Opaque("signature", b"sig", ORIGIN),)
    cut = assistant(*said, Reasoning("A", opaque=own), Reasoning("B", opaque=own))
    body, report = wires.write(wires.request(turns=(user("Hi"), cut, user("Go"))))
    assert left == body["messages"][1]["content"]
    assert {("messages[].reasoning_content", "dropped")} == dropped(report)


def test_a_message_of_nothing_but_thinking_is_no_end(wires):
    """Left out of it, there is no message to go on with."""
    own = (Opaque("signature", b"sig", ORIGIN),)
    turns = (user("Hi"), assistant(Reasoning("A", opaque=own)))
    body, _ = wires.write(wires.request(turns=turns))
    assert ["user"] == [one["role"] for one in body["messages"]]


def test_trap_1_empty_arguments_are_an_empty_object(wires):
    """And broken ones are kept word for word, and noted."""
    turns = (user("Hi"), assistant(ToolCall("a", "f", ""), ToolCall("b", "f", '{"x')))
    body, report = wires.write(wires.request(turns=turns))
    assert [{}, {"_raw": '{"x'}] == [one["input"] for one in body["messages"][1]["content"]]
    assert ["arguments"] == [one.what.value for one in report.repairs]


def test_trap_34_marks_stay_where_they_were(wires):
    """Other vendors' lives become the nearest; on tools, instructions, text and results."""
    mark = CacheMark("30m")
    body, report = wires.write(
        wires.request(
            instructions=(Text("A", cache=CacheMark()),),
            tools=(msgspec.structs.replace(TOOL, cache=mark),),
            turns=(
                user("Hi"),
                assistant(ToolCall("a", "f")),
                user(ToolResult("a", cache=CacheMark("12h")), Text("B", cache=mark)),
            ),
        )
    )
    assert {"type": "ephemeral", "ttl": "1h"} == body["tools"][0]["cache_control"]
    assert {"type": "ephemeral"} == body["system"][0]["cache_control"]
    assert [{"type": "ephemeral", "ttl": "1h"}] * 2 == [
        one["cache_control"] for one in body["messages"][2]["content"]
    ]
    assert {("prompt_cache_breakpoint", "changed")} == dropped(report)


def test_trap_35_never_more_than_four_marks(wires):
    """The last ones cover the most; the gateway adds none of its own."""
    parts = [Text(str(at), cache=CacheMark()) for at in range(6)]
    body, report = wires.write(wires.request(turns=(user(*parts),)))
    assert [False, False, True, True, True, True] == [
        "cache_control" in one for one in body["messages"][0]["content"]
    ]
    assert {("prompt_cache_breakpoint", "dropped")} == dropped(report)
    assert b"cache_control" not in json.dumps(wires.write(wires.request(turns=HI))[0]).encode()


@pytest.mark.parametrize(
    ("members", "member"),
    [
        ({"candidates": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"modalities": ("text", "audio")}, "modalities"),
        ({"format": ResponseFormat(FormatKind.ENUM, b"{}")}, "response_format"),
        ({"extensions": (Extension("prediction", b"{}", Rank.CONTRACT),)}, "prediction"),
    ],
)
def test_a_contract_that_cannot_be_kept_is_refused_by_name(wires, members, member):
    """In the caller's own spelling."""
    with pytest.raises(Fault) as caught:
        wires.write(wires.request(turns=HI, **members))
    assert (Kind.UNREPRESENTABLE, member) == (caught.value.kind, caught.value.param)


def test_hints_are_dropped_and_told_and_bookkeeping_kept_in_silence(wires):
    """Strict mode refuses the hints."""
    conversation = wires.request(
        turns=HI,
        verbosity="low",
        metadata=(("a", "b"),),
        store=True,
        cache_key="k",
        service_tier="flex",
        stop=("a", ""),
        extensions=(Extension("web_search_options", b"{}", Rank.HINT),),
    )
    body, report = wires.write(conversation)
    assert {
        ("verbosity", "dropped"),
        ("service_tier", "dropped"),
        ("web_search_options", "dropped"),
    } == dropped(report)
    assert {"metadata", "store", "prompt_cache_key"} == set(report.kept)
    assert (["a"], "standard_only") == (body["stop_sequences"], body["service_tier"])
    with pytest.raises(Fault):
        wires.write(conversation, strict=True)


def test_the_end_user_is_told(wires):
    """Under the one name the shape has, within its length."""
    assert {"user_id": "u"} == wires.write(wires.request(turns=HI, user="u"))[0]["metadata"]
    body, _ = wires.write(wires.request(turns=HI, safety_id="s" * 300))
    assert {"user_id": "s" * 256} == body["metadata"]


def test_json_without_a_schema_is_asked_for_in_words(wires):
    """The shape has no switch for it: the same words in every request, and the caller is told."""
    body, report = wires.write(wires.request(turns=HI, format=ResponseFormat(FormatKind.JSON)))
    assert 1 == len(body["system"])
    assert {("response_format", "changed")} == dropped(report)


def test_trap_45_a_schema_is_closed_and_what_it_loses_is_told(wires):
    """Limits that the grammar cannot hold become words."""
    schema = b'{"type":"object","properties":{"n":{"type":"integer","minimum":3}}}'
    body, report = wires.write(
        wires.request(turns=HI, format=ResponseFormat(FormatKind.SCHEMA, schema))
    )
    assert {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "{minimum: 3}"}},
        "additionalProperties": False,
    } == body["output_config"]["format"]["schema"]
    assert {("response_format", "changed")} == dropped(report)
    body, report = wires.write(
        wires.request(turns=HI, format=ResponseFormat(FormatKind.SCHEMA, schema)), schema_full=True
    )
    assert (json.loads(schema), set()) == (
        body["output_config"]["format"]["schema"],
        dropped(report),
    )


def test_another_vendors_blocks_leave_their_words(wires):
    """They are told of; a refusal is what was said."""
    foreign = VendorPart(Native("generate", b"{}"), "executableCode", "print(1)")
    turns = (user("Hi"), assistant(foreign, Refusal("No.")), user("Go"))
    body, report = wires.write(wires.request(turns=turns))
    assert [text("print(1)"), text("No.")] == body["messages"][1]["content"]
    assert {("messages", "dropped")} == dropped(report)


PARTS = {
    Role.USER: st.sampled_from(
        [Text("Hi"), Text(""), Text("é \u2028"), ToolResult("a", (Text("A"),)), ToolResult("b")]
    ),
    Role.ASSISTANT: st.sampled_from(
        [
            Text("Ok"),
            Text(" "),
            ToolCall("a", "f", '{"x": 1.0}'),
            ToolCall("b", "f", "{broken"),
            ToolCall("functions.f:0", "f"),
            Reasoning("Hm", opaque=(Opaque("signature", b"s", ORIGIN),)),
            Reasoning("Hm", opaque=(Opaque("slot", b"s"),)),
            VendorPart(Native("responses", b"{}"), "x", "words"),
        ]
    ),
    Role.SYSTEM: st.sampled_from([Text("Mind."), Text("")]),
}


def histories(least=0):
    """Histories as careless callers write them."""
    return st.lists(
        st.sampled_from(sorted(PARTS, key=lambda role: role.value)).flatmap(
            lambda role: st.lists(PARTS[role], max_size=4).map(
                lambda parts: Turn(role, tuple(parts))
            )
        ),
        min_size=least,
        max_size=6,
    )


@given(turns=histories(), mid=st.booleans())
def test_any_history_becomes_one_the_vendor_takes(wires, turns, mid):
    """Roles alternate, results answer the turn before, nothing is empty."""
    conversation = wires.request(turns=(user("Hi"), *turns), tools=(TOOL,))
    body, _ = wires.write(fit(wires, conversation, blank_text=False), mid_system=mid)
    asked, last = [], None
    for message in body["messages"]:
        role, content = message["role"], message["content"]
        assert content
        assert all(block["text"].strip() for block in content if block["type"] == "text")
        assert role != last or role == "system"
        last = role
        if role == "system":
            continue
        given_ = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if role == "user":
            assert asked == given_
            assert [True] * len(given_) == [block["type"] == "tool_result" for block in content][
                : len(given_)
            ]
        asked = [block["id"] for block in content if block["type"] == "tool_use"]
        assert len(set(asked)) == len(asked)


@given(turns=histories(), more=histories(), mid=st.booleans())
def test_a_history_that_grows_begins_as_it_began(wires, turns, more, mid):
    """Byte for byte: prompt caches and signatures depend on it."""
    before = (user("Hi"), *turns, user("Go"))
    after = (*before, assistant("Sure"), *more)
    short, long = (
        CODEC.write_request(
            fit(wires, wires.request(turns=history)), wires.facts(mid_system=mid), Report("x")
        )
        for history in (before, after)
    )
    start = short.index(b'"messages":[')
    told = short[start : short.rindex(b"]}]")]
    assert long[:start] == short[:start]
    assert long[start:].startswith(told)


def test_refused_members_are_the_fits_business_and_parts_the_writers(wires):
    """A model without strict tools gets them without."""
    tool = msgspec.structs.replace(TOOL, strict=True)
    body, report = wires.write(
        wires.request(turns=HI, tools=(tool,)), refuses=frozenset({Concept.STRICT_TOOL})
    )
    assert "strict" not in body["tools"][0]
    assert {("tools[].function.strict", "dropped")} == dropped(report)
