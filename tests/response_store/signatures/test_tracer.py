"""Traces of calls lead back to the reasoning that clients leave out, whole or streamed."""

import msgspec
import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.opaque import SIGNATURE, THOUGHT_SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.conversation.request import Conversation
from trivium.response_store.signatures.tracer import Tracer, retraced
from trivium.wire.state_refs import CALL_PREFIX

MAKER = StateOrigin("messages", "anthropic", "main")


def opaque(data, kind=SIGNATURE):
    return (Opaque(kind, data.encode(), MAKER, "x"),)


def thought(text, data):
    return Reasoning(
        text, ReasoningForm.FULL if text else ReasoningForm.HIDDEN, opaque=opaque(data)
    )


def call(number, data=None):
    attached = opaque(data, THOUGHT_SIGNATURE) if data else ()
    return ToolCall(f"call_{number}", "look", '{"a":1}', opaque=attached)


TURNS = {
    "reasoning before text": (thought("I think", "s1"), Text("Let me see."), call(0), call(1)),
    "reasoning after text": (Text("Let me see."), thought("I think", "s1"), call(0)),
    "reasoning before each": (thought("", "s1"), call(0), thought("", "s2"), call(1)),
    "on a call": (call(0, "s1"), call(1)),
    "on each call": (Text("Hm."), call(0, "s1"), call(1, "s2")),
    "several": (thought("a", "s1"), thought("", "s2"), Text("b"), call(0, "s3")),
}


def echoed(parts):
    """A turn as chat clients send it back: text, ids, names and arguments."""
    texts = [Text(part.text) for part in parts if isinstance(part, Text)]
    calls = [
        ToolCall(part.id, part.name, '{ "a": 1 }') for part in parts if isinstance(part, ToolCall)
    ]
    return Turn(Role.ASSISTANT, (*texts, *calls))


def shown(parts, *, stream, seed="req_1", reader=None):
    """What the caller sees of an answer, and the traces it left."""
    left = {}
    tracer = Tracer(seed, left.__setitem__, reader)
    answer = Answer((Candidate(tuple(parts), Finish(Unified.TOOL_CALLS)),))
    seen = assembled(tracer.events(replayed(answer))) if stream else tracer.answer(answer)
    return seen.candidates[0].parts, left


def said(*turns, shape="chat"):
    return Conversation(shape=shape, model="m", turns=(Turn(Role.USER, (Text("Hi"),)), *turns))


def bare(parts):
    """Parts without what may differ: ids, and the spelling of arguments."""
    return [
        msgspec.structs.replace(part, id="", arguments="") if isinstance(part, ToolCall) else part
        for part in parts
    ]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("parts", TURNS.values(), ids=TURNS)
def test_a_turn_is_put_together_again(parts, stream):
    """In its order, each attachment on its own part."""
    seen, left = shown(parts, stream=stream)
    conversation, lost = retraced(said(echoed(seen)), left)
    assert ((), bare(parts)) == (lost, bare(conversation.turns[1].parts))


@pytest.mark.parametrize("stream", [False, True])
def test_only_calls_that_leave_a_trace_are_renamed(stream):
    """An id of the upstream's stays where nothing has to be remembered."""
    seen, left = shown((thought("a", "s1"), call(0), call(1)), stream=stream)
    first, second = (part.id for part in seen if isinstance(part, ToolCall))
    assert ([first], "call_1") == (list(left), second)
    assert first.startswith(CALL_PREFIX)


def test_reasoning_that_anybody_may_continue_leaves_no_trace():
    """Without attachments there is nothing that only its maker reads."""
    parts = (Reasoning("I think"), call(0))
    assert (parts, {}) == shown(parts, stream=False)


def test_no_two_answers_share_an_id():
    """Even of an upstream that counts its calls from 0 each time."""
    ids = [next(iter(shown(TURNS["on a call"], stream=False, seed=f"r{n}")[1])) for n in range(3)]
    assert 3 == len({*ids})


def test_ids_are_accepted_everywhere():
    """The narrowest limits of the four shapes: 40 of letters, digits, dash and underscore."""
    (id_,) = shown(TURNS["on a call"], stream=False)[1]
    assert len(id_) <= 40
    assert id_.replace("_", "").isalnum()


def test_a_growing_history_keeps_what_it_had():
    """What was restored of earlier turns does not change with later ones."""
    one, first = shown(TURNS["on each call"], stream=False, seed="a")
    two, second = shown(TURNS["several"], stream=False, seed="b")
    traces = {**first, **second}
    short, _ = retraced(said(echoed(one)), traces)
    long, _ = retraced(said(echoed(one), Turn(Role.USER, (Text("x"),)), echoed(two)), traces)
    assert short.turns == long.turns[: len(short.turns)]


def test_lost_traces_are_told_and_the_turn_stays():
    """A store that forgot costs the reasoning, nothing else."""
    seen, _ = shown(TURNS["several"], stream=False)
    spoken = said(echoed(seen))
    (id_,) = (part.id for part in seen if isinstance(part, ToolCall))
    assert (spoken, (id_,)) == retraced(spoken, {})


def test_what_the_caller_did_send_back_is_left_alone():
    """A client that appends the message as it came has carried everything itself."""
    seen, left = shown(TURNS["several"], stream=False)
    spoken = said(Turn(Role.ASSISTANT, seen))
    assert (spoken, ()) == retraced(spoken, left)


@pytest.mark.parametrize("parts", TURNS.values(), ids=TURNS)
def test_what_was_sent_back_in_one_place_is_put_where_it_was(parts):
    """``reasoning_details`` stands beside the whole message, wherever the reasoning had been."""
    seen, left = shown(parts, stream=False)
    thoughts = [part for part in seen if isinstance(part, Reasoning)]
    others = [part for part in seen if not isinstance(part, Reasoning)]
    conversation, lost = retraced(said(Turn(Role.ASSISTANT, (*thoughts, *others))), left)
    assert ((), seen) == (lost, conversation.turns[1].parts)


def test_what_is_in_no_trace_is_left_as_it_came():
    """Reasoning after the last call, or a trace that is lost: then the message is all there is."""
    parts = (thought("", "s1"), Text("Hm."), thought("", "s2"), call(0), thought("", "s3"))
    seen, left = shown(parts, stream=False)
    moved = said(Turn(Role.ASSISTANT, (seen[0], seen[2], seen[4], seen[1], seen[3])))
    assert (moved, ()) == retraced(moved, left)
    assert (moved, ()) == retraced(moved, {})


def test_echoed_words_give_way_to_the_signed_ones():
    """Some clients send the reasoning's text back, which alone nobody accepts."""
    seen, left = shown((thought("I think", "s1"), call(0)), stream=False)
    echo = Turn(Role.ASSISTANT, (Reasoning("I think"), *echoed(seen).parts))
    conversation, _ = retraced(said(echo), left)
    assert [thought("I think", "s1")] == list(conversation.turns[1].parts[:1])


EACH = TURNS["reasoning before each"]
PLACED = ("messages", "responses")


@pytest.mark.parametrize("gone", [0, 1])
def test_of_parallel_calls_one_may_have_lost_its_trace(gone):
    """The other's reasoning comes back all the same, and the loss is told."""
    seen, left = shown(EACH, stream=False)
    ids = list(left)
    del left[ids[gone]]
    conversation, lost = retraced(said(echoed(seen), shape="messages"), left)
    thoughts = [part for part in conversation.turns[1].parts if isinstance(part, Reasoning)]
    assert ((ids[gone],), [thought("", f"s{2 - gone}")]) == (lost, thoughts)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("gone", [(0,), (1,), (0, 1)])
def test_who_sent_its_reasoning_misses_nothing(gone, apart):
    """Neither doubled nor told as lost, whichever traces are gone; turns may be single items."""
    seen, left = shown(EACH, stream=False)
    for id_ in [list(left)[at] for at in gone]:
        del left[id_]
    turns = [(part,) for part in seen] if apart else [seen]
    spoken = said(*(Turn(Role.ASSISTANT, parts) for parts in turns), shape="responses")
    assert (spoken, ()) == retraced(spoken, left)


@pytest.mark.parametrize("shape", ["chat", *PLACED])
@pytest.mark.parametrize(
    "id_", ["call_1", CALL_PREFIX, CALL_PREFIX + "0" * 25, CALL_PREFIX + "z" * 24]
)
def test_only_an_id_of_ours_can_be_lost(shape, id_):
    """A caller's own ids never led anywhere."""
    spoken = said(Turn(Role.ASSISTANT, (ToolCall(id_, "look", "{}"),)), shape=shape)
    assert (spoken, ()) == retraced(spoken, {})


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("shape", PLACED)
def test_words_that_are_wanted_back_leave_a_trace(shape, stream):
    """Of servers that demand their reasoning in a tool loop; it leads to none of their accounts."""
    parts = (Reasoning("I think"), Text("Let me see."), call(0), call(1))
    seen, left = shown(parts, stream=stream, reader=MAKER)
    conversation, lost = retraced(said(echoed(seen), shape=shape), left)
    assert ((), bare(parts)) == (lost, bare(conversation.turns[1].parts))
    assert [False] == [trace.binds for trace in left.values()]


@pytest.mark.parametrize("shape", PLACED)
@pytest.mark.parametrize("kept", [False, True])
def test_words_that_were_sent_back_are_not_said_twice(shape, kept):
    """Neither in the call's turn nor in one of their own, and no loss is told."""
    seen, left = shown((Reasoning("I think"), call(0)), stream=False, reader=MAKER)
    for turns in ([seen], [seen[:1], seen[1:]]):
        spoken = said(*(Turn(Role.ASSISTANT, one) for one in turns), shape=shape)
        assert (spoken, ()) == retraced(spoken, left if kept else {})


def test_bare_words_in_a_turn_of_their_own_give_way():
    """Of a reasoning item without what was sealed; another's words stay."""
    seen, left = shown((thought("I think", "s1"), call(0)), stream=False)
    items = [Turn(Role.ASSISTANT, (one,)) for one in (Reasoning("I think"), Reasoning("Else"))]
    conversation, lost = retraced(said(*items, echoed(seen), shape="responses"), left)
    assert () == lost
    assert (items[1], seen[:1]) == (conversation.turns[1], conversation.turns[2].parts[:1])


def test_an_id_counts_once():
    """A caller who repeats a turn does not double the reasoning."""
    seen, left = shown((thought("a", "s1"), call(0)), stream=False)
    conversation, _ = retraced(said(echoed(seen), echoed(seen)), left)
    assert [2, 1] == [len(turn.parts) for turn in conversation.turns[1:]]


def test_results_are_no_calls():
    """The id stands on the result too."""
    seen, left = shown((call(0, "s1"),), stream=False)
    result = Turn(Role.USER, (ToolResult(seen[0].id, (Text("sun"),)),))
    conversation, _ = retraced(said(echoed(seen), result), left)
    assert result == conversation.turns[2]
