"""Any conversation and any answer, between every pair of shapes.

The cases of ``features/`` say what is carried; here hypothesis looks for the conversation that
breaks a rule of the upstream's vendor, does not come back the same, or rewrites what was sent.
"""

import itertools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from end_to_end.features import legal, rules
from end_to_end.features.asking import PNG, SHAPES
from end_to_end.features.canonical import of_answer, of_request
from end_to_end.features.verdicts import (
    conversation,
    heard,
    origin,
    reading,
    told_whole,
    writing,
    written,
)
from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.parts import Image, Inline, Text
from trivium.conversation.request import Conversation, Sampling
from trivium.conversation.target import target
from trivium.conversation.tools import FunctionTool
from trivium.conversation.usage import Usage
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

FEW = settings(max_examples=settings().max_examples // 4, deadline=None)
"""For each of thirty pairs."""
PAIRS = pytest.mark.parametrize(
    ("caller", "upstream"), [pair for pair in itertools.product(SHAPES, SHAPES) if len({*pair}) > 1]
)
HISTORY = dict.fromkeys(SHAPES, "messages") | {"responses": "input", "generate": "contents"}

WORDS = st.text(min_size=1, max_size=12).filter(str.strip)
OBJECTS = st.dictionaries(
    st.text(max_size=4), st.none() | st.booleans() | st.integers(-9, 9) | WORDS, max_size=3
).filter(lambda found: list(found) not in (["input"], ["_raw"]))
NAMES = st.sampled_from(["look", "now", "mcp__a-b__c"])
TOOLS = tuple(FunctionTool(name, parameters=b'{"type":"object","properties":{}}')
              for name in ("look", "now", "mcp__a-b__c"))  # fmt: skip
HEARD = st.builds(Text, WORDS) | st.just(Image(Inline("image/png", PNG)))


@st.composite
def rounds(draw, number):
    """What a user says, and what comes of it: words, or calls with their results."""
    out = [Turn(Role.USER, tuple(draw(st.lists(HEARD, min_size=1, max_size=3))))]
    spoken = draw(st.none() | st.builds(Text, WORDS))
    calls = [
        ToolCall(f"call_{number}_{at}", draw(NAMES), msgspec.json.encode(draw(OBJECTS)).decode())
        for at in range(draw(st.integers(0 if spoken else 1, 3)))
    ]
    out.append(Turn(Role.ASSISTANT, ((spoken,) if spoken else ()) + tuple(calls)))
    if calls:
        results = tuple(ToolResult(call.id, (Text(draw(WORDS)),), call.name) for call in calls)
        out += [Turn(Role.USER, results), Turn(Role.ASSISTANT, (Text(draw(WORDS)),))]
    return out


@st.composite
def histories(draw):
    """Rounds, each with ids of its own."""
    return [draw(rounds(number)) for number in range(draw(st.integers(1, 3)))]


ASKING = st.builds(
    dict,
    instructions=st.just(()) | st.tuples(st.builds(Text, WORDS)),
    sampling=st.builds(Sampling, temperature=st.none() | st.sampled_from([0.0, 0.5, 1.0])),
    output_max=st.integers(16, 4096),
    stream=st.booleans(),
)


def spoken_in(shape, turns, **more):
    """The conversation as a caller of this shape sends it: written, and read as its request."""
    goal = target(origin(shape), "m")
    spoken = Conversation(shape=shape, model="m", turns=tuple(turns), tools=TOOLS, **more)
    report = Report(goal.title)
    body = CODECS[Shape(shape)].write_request(fitted(spoken, goal, report), goal, report)
    return read_in(shape, msgspec.json.decode(body), spoken.stream)


def read_in(shape, body, stream):
    """A body read; whether it is to be streamed stands in the paths of generate and converse."""
    by_path = shape in ("generate", "converse")
    return conversation(shape, body, **({"stream": stream} if by_path else {}))


def silent(report):
    """Whether nothing was changed; a stand-in signature says no other words."""
    return not report.drops and {one.what for one in report.repairs} <= {Mend.FOREIGN_SIGNATURE}


@PAIRS
@FEW
@given(groups=histories(), asking=ASKING, last=WORDS)
def test_any_conversation_is_taken_and_comes_back(caller, upstream, groups, asking, last):
    """The upstream's vendor takes it, reads what was said, and back in its shape it is the same."""
    turns = [*itertools.chain(*groups), Turn(Role.USER, (Text(last),))]
    spoken = spoken_in(caller, turns, **asking)
    body, report = written(spoken, upstream)
    rules.check(upstream, body)
    assert silent(report), (report.drops, report.repairs)
    there = read_in(upstream, body, spoken.stream)
    assert of_request(spoken) == of_request(there)
    again, report = written(there, caller)
    rules.check(caller, again)
    assert silent(report), (report.drops, report.repairs)
    assert of_request(spoken) == of_request(read_in(caller, again, spoken.stream))


@PAIRS
@FEW
@given(groups=histories(), last=WORDS, more=rounds(9), reply=WORDS)
def test_a_conversation_that_grows_keeps_what_was_sent(caller, upstream, groups, last, more, reply):
    """Caches and signatures of every vendor depend on it."""
    before = [*itertools.chain(*groups), Turn(Role.USER, (Text(last),))]
    after = [*before, Turn(Role.ASSISTANT, (Text(reply),)), *more, Turn(Role.USER, (Text(last),))]
    short, long = (
        written(spoken_in(caller, turns), upstream)[0][HISTORY[upstream]]
        for turns in (before, after)
    )
    assert short == long[: len(short)]


@st.composite
def answers(draw):
    """Words and calls, as any of the upstreams may say them."""
    parts = [Text(draw(WORDS))] if draw(st.booleans()) else []
    parts += [
        ToolCall(f"call_{at}", draw(NAMES), msgspec.json.encode(draw(OBJECTS)).decode())
        for at in range(draw(st.integers(0, 3)))
    ]
    called = any(isinstance(part, ToolCall) for part in parts)
    ends = [Unified.TOOL_CALLS] if called else [Unified.STOP, Unified.LENGTH]
    usage = Usage(fresh=draw(st.integers(0, 99)), output=draw(st.integers(0, 99)))
    return Answer((Candidate(tuple(parts), Finish(draw(st.sampled_from(ends)))),), usage)


@PAIRS
@FEW
@given(answer=answers(), cut=st.integers(1, 40))
def test_any_answer_is_told_whole_and_in_pieces(caller, upstream, answer, cut):
    """However an upstream's bytes were cut, its caller hears what it said."""
    body = CODECS[Shape(upstream)].write_answer(answer, writing(upstream))
    given_, got = told_whole(upstream, caller, msgspec.json.decode(body))
    assert of_answer(answer)["candidates"] == of_answer(given_)["candidates"]
    assert of_answer(given_) == of_answer(got)
    told = CODECS[Shape(upstream)].write_stream(writing(upstream))
    wire = told.feed(replayed(answer)) + told.end(None)
    reader = CODECS[Shape(upstream)].read_stream(reading(upstream))
    writer = CODECS[Shape(caller)].write_stream(writing(caller))
    pieces = (wire[start : start + cut] for start in range(0, len(wire), cut))
    out = [writer.feed(reader.feed(piece)) for piece in pieces]
    out += [writer.feed(reader.end(None)), writer.end(None)]
    legal.check(caller, b"".join(out))
    assert of_answer(answer) == of_answer(heard(caller, b"".join(out)).answer())
