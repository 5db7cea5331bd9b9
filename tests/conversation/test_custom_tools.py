"""A call of a function that stood for a free-text tool is a call of that tool again."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.custom_tools import Customs, Unwrapper, in_words, unwrapped
from trivium.conversation.events import Delta, PartEnd, PartStart
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.losses import DropAction, Report
from trivium.conversation.parts import Text
from trivium.conversation.tools import CustomTool, FunctionTool, Grammar

TOOLS = (CustomTool("patch"), FunctionTool("look"))
STOP = Finish(Unified.TOOL_CALLS)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"input":"a\\nb"}', "a\nb"),
        (' { "input" : "a" } ', "a"),
        ('{"input":""}', ""),
        # the model did not keep to the schema: its words are better than none
        ("*** Begin", "*** Begin"),
        ('{"patch":"a"}', '{"patch":"a"}'),
        ('{"input":5}', '{"input":5}'),
        ("[1]", "[1]"),
        ("", ""),
    ],
)
def test_the_text_is_taken_out_however_it_comes(arguments, text):
    """Whole, in one piece, and one character at a time."""
    assert text == unwrapped(arguments)
    for pieces in ([arguments], list(arguments)):
        reader = Unwrapper()
        assert text == "".join([*map(reader.feed, pieces), reader.end()])


@given(text=st.text(), data=st.data(), ascii_only=st.booleans())
def test_any_text_survives_any_cut(text, data, ascii_only):
    """Escapes and pairs of surrogates too."""
    arguments = msgspec.json.encode({"input": text}).decode()
    if ascii_only:
        body = "".join(f"\\u{unit:04x}" for unit in units(text))
        arguments = f'{{"input":"{body}"}}'
    cut = data.draw(st.integers(0, len(arguments)))
    reader = Unwrapper()
    pieces = [reader.feed(arguments[:cut]), reader.feed(arguments[cut:]), reader.end()]
    assert text == "".join(pieces)


def units(text):
    """UTF-16 code units."""
    raw = text.encode("utf-16-be")
    return [int.from_bytes(raw[at : at + 2]) for at in range(0, len(raw), 2)]


def test_text_flows_while_it_comes():
    """Nothing waits for the end but what a cut has split."""
    reader = Unwrapper()
    pieces = ['{"in', 'put":"a', "b\\", "nc", '"}', " "]
    assert ["", "a", "b", "\nc", "", ""] == [reader.feed(piece) for piece in pieces]
    assert not reader.end()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"input":"a\\', "a\\"),  # cut off in mid-escape
        ('{"input":"a\\u00', "a\\u00"),
        ('{"input":"a\\ud83d', "a\\ud83d"),
        ('{"input":"a\\ud83d\\ude', "a\\ud83d\\ude"),
        ('{"input":"a\\ud83d"}', "a\\ud83d"),
        ('{"input":"a\\ud83dxyzxyz"}', "a\\ud83dxyzxyz"),
        ('{"input":"\\ude00\\n"}', "\\ude00\n"),
        ('{"input":"a\\x\\n"}', "a\\x\n"),
        ('{"input":"a\\uZZ99b"}', "a\\uZZ99b"),
        ('{"input":"a\nb\\tc"}', "a\nb\tc"),  # a line end that should have been escaped
        ('{"input":"a\\nb', "a\nb"),  # cut off by the output limit
        ('{"inp', '{"inp'),
        (" " * 999 + '{"input":"a"}', "a"),
        (" " * 999 + "a", " " * 999 + "a"),
    ],
)
def test_broken_arguments_stay_the_models_own_words(arguments, text):
    """Nothing is invented and nothing disappears, whole and however it is cut."""
    assert text == unwrapped(arguments)
    for size in (1, 2, 3, 7, len(arguments)):
        reader = Unwrapper()
        pieces = [arguments[at : at + size] for at in range(0, len(arguments), size)]
        assert text == "".join([*map(reader.feed, pieces), reader.end()])


def test_trap_071_whole_and_streamed_answers_have_the_callers_tools():
    """Other calls, and calls that are free text already, stay as they are."""
    said = (
        Text("x"),
        ToolCall("1", "patch", '{"input":"a\\u00e9"}'),
        ToolCall("2", "look", '{"input":"q"}'),
        ToolCall("3", "patch", '{"input":"raw"}', CallKind.CUSTOM),
        ToolCall("4", "patch", "not kept to"),
    )
    expected = (
        said[0],
        ToolCall("1", "patch", "aé", CallKind.CUSTOM),
        *said[2:4],
        ToolCall("4", "patch", "not kept to", CallKind.CUSTOM),
    )
    answer = Answer((Candidate(said, STOP),))
    customs = Customs(TOOLS)
    assert expected == customs.answer(answer).candidates[0].parts
    streamed = assembled(customs.events(replayed(answer)))
    assert expected == streamed.candidates[0].parts


def test_a_call_that_starts_with_its_arguments_is_unwrapped_too():
    """Some upstreams say all at once."""
    events = [PartStart(0, ToolCall("1", "patch", '{"input":"a"}')), PartEnd(0)]
    begun = PartStart(0, ToolCall("1", "patch", "", CallKind.CUSTOM))
    assert [begun, Delta(0, "a"), PartEnd(0)] == Customs(TOOLS).events(events)


def test_without_free_text_tools_there_is_nothing_to_do():
    """So writers may skip it."""
    assert (True, False) == (bool(Customs(TOOLS)), bool(Customs(TOOLS[1:])))


def test_a_grammar_stands_in_the_description_and_is_told():
    """A function's string is held to nothing."""
    report = Report("m")
    tool = CustomTool("patch", "Edits.", Grammar("lark", "start: X"))
    words = "Edits.\n\nThe input must follow this lark grammar:\n\nstart: X"
    assert words == in_words(tool, report)
    assert [("tools.patch.format", DropAction.CHANGED)] == [
        (one.member, one.act) for one in report.drops
    ]


@pytest.mark.parametrize(("said", "words"), [(None, None), ("", None), ("Edits.", "Edits.")])
def test_a_free_text_tool_without_a_grammar_loses_nothing(said, words):
    """Its description is the function's."""
    report = Report("m")
    assert (words, []) == (in_words(CustomTool("patch", said), report), report.drops)
