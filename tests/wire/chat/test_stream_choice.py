"""One choice's deltas as parts: opened by their first piece, closed when another kind begins."""

import msgspec
import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Delta, PartEnd, PartStart
from trivium.conversation.finish import Unified
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Reasoning, Refusal, Text
from trivium.faults import Fault
from trivium.wire.chat.chunk import ChunkChoice
from trivium.wire.chat.stream_choice import ChoiceReader, Sequence, heard
from trivium.wire.codec import AnswerContext

ORIGIN = StateOrigin("chat", "openai", "main")


def events(*deltas, tags=False, word="stop"):
    """The events of one choice, and why it ended."""
    reader = ChoiceReader(0, Sequence(AnswerContext(origin=ORIGIN, think_tags=tags)))
    out = []
    for delta in deltas:
        choice = msgspec.convert({"delta": delta}, ChunkChoice)
        reader.feed(choice, out)
    reader.feed(ChunkChoice(finish_reason=word), out)
    reader.end(out)
    return out, reader.finished().finish.unified


def told(out):
    """(class, text) of each part, in order of start."""
    parts = {}
    for event in out:
        if type(event) is PartStart:
            parts[event.index] = [type(event.part), ""]
        elif type(event) is Delta:
            parts[event.index][1] += event.text
    assert list(range(len(parts))) == list(parts)
    ended = [event.index for event in out if type(event) is PartEnd]
    assert sorted(parts) == sorted(ended)
    return [tuple(part) for part in parts.values()]


def call(index, arguments="", **more):
    return {
        "tool_calls": [
            {"index": index, "function": {"arguments": arguments, **more.pop("f", {})}, **more}
        ]
    }


TABLE = {
    "text": ([{"role": "assistant", "content": ""}, {"content": "a"}, {"content": "b"}], [(Text, "ab")]),
    "reasoning then text": ([{"reasoning_content": "h"}, {"reasoning": "m"}, {"content": "a"}],
                            [(Reasoning, "hm"), (Text, "a")]),
    "refusal": ([{"refusal": "n"}, {"refusal": "o"}], [(Refusal, "no")]),
    "zero arguments": ([call(0, id="1", f={"name": "x"})], [(ToolCall, "{}")]),
    "late name": ([call(0, '{"a"', id="1"), call(0, ":1}", f={"name": "x"})], [(ToolCall, '{"a":1}')]),
    "parallel": ([call(0, "{", id="1", f={"name": "x"}), call(1, "{}", id="2", f={"name": "y"}), call(0, "}")],
                 [(ToolCall, "{}"), (ToolCall, "{}")]),
    "all numbered 0": ([call(0, "{}", id="1", f={"name": "x"}), call(0, "{}", id="2", f={"name": "y"})],
                       [(ToolCall, "{}"), (ToolCall, "{}")]),
    "a call that says nothing is none": ([call(0, "{}", id="1")], []),
    "nothing": ([], []),
}  # fmt: skip


def test_a_call_without_a_name_is_no_answer():
    """The model said something that nobody could run: not a turn without calls."""
    with pytest.raises(Fault, match="no name"):
        events(call(0, '{"a":1}', id="1"))


@pytest.mark.parametrize("name", TABLE)
def test_deltas_become_parts(name):
    """Each is started and ended once; indexes have no gap."""
    deltas, expected = TABLE[name]
    assert expected == told(events(*deltas)[0])


def test_a_stop_after_a_call_is_a_call():
    """Servers say stop; agents would end."""
    assert Unified.TOOL_CALLS is events(call(0, "{}", id="1", f={"name": "x"}))[1]
    assert Unified.STOP is events({"content": "x"})[1]


def test_tags_are_reasoning_only_where_the_server_is_known_to_write_them():
    """Elsewhere they are text like any other."""
    deltas = [{"content": "<think>h"}, {"content": "m</thi"}, {"content": "nk>a"}]
    assert [(Reasoning, "hm"), (Text, "a")] == told(events(*deltas, tags=True)[0])
    assert [(Text, "<think>hm</think>a")] == told(events(*deltas)[0])


def test_sound_is_joined_from_its_pieces():
    """Data and transcript apart."""
    found = heard({"data": ["AA", "AA"], "transcript": ["H", "i"], "id": "a1"}, "audio/pcm")
    assert ("AAAA", "Hi", "a1") == (found.source.data, found.transcript, found.id)
