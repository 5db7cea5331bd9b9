"""Events to a whole answer."""

import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.assemble import Assembler, assembled
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import SIGNATURE, Opaque
from trivium.conversation.parts import Citation, Reasoning, Text, TokenLogprob
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind

EARLY, LATE = Opaque(SIGNATURE, b"early"), Opaque(SIGNATURE, b"late")
CITED = Citation(url="u")
STOP = Finish(Unified.STOP)


def test_overlapping_parts_are_joined_each_in_its_place():
    """Deltas belong to their index, parts stand in the order of their start."""
    events = [
        Start("id", "m", Usage(fresh=1), "auto"),
        PartStart(0, Reasoning("", opaque=(EARLY,))),
        PartStart(1, Text("")),
        Delta(1, "He", (TokenLogprob("He", -1.0),)),
        Delta(0, "h"),
        KeepAlive(),
        Delta(1, "llo"),
        Delta(0, "m"),
        Cited(1, CITED),
        PartEnd(1),
        PartEnd(0, (LATE,)),
        UsageReport(Usage(fresh=1, output=2)),
        Finished(STOP),
        Done("flex"),
    ]
    parts = (
        Reasoning("hm", opaque=(EARLY, LATE)),
        Text("Hello", citations=(CITED,), logprobs=(TokenLogprob("He", -1.0),)),
    )
    expected = Answer((Candidate(parts, STOP),), Usage(fresh=1, output=2), "id", "m", "flex")
    assert expected == assembled(events)


@pytest.mark.parametrize(
    ("kind", "pieces", "expected"),
    [
        (CallKind.FUNCTION, ['{"a":', "1}"], '{"a":1}'),
        (CallKind.FUNCTION, [], "{}"),
        (CallKind.FUNCTION, ['{"a":'], '{"a":'),
        (CallKind.CUSTOM, [], ""),
    ],
)
def test_arguments_are_kept_as_they_were_written(kind, pieces, expected):
    """Also when they are cut; a function called with nothing has an empty object."""
    assembler = Assembler()
    assembler.feed([Start(), PartStart(0, ToolCall("id", "size", "", kind))])
    assembler.feed([Delta(0, piece) for piece in pieces])
    assert [expected] == [part.arguments for part in assembler.parts]


def test_candidates_keep_their_own_parts_and_ends():
    """One that said nothing has its place too."""
    events = [
        Start(),
        PartStart(0, Text(""), 2),
        Delta(0, "c"),
        PartEnd(0),
        PartStart(1, Text("a")),
        PartEnd(1),
        Finished(STOP, 2),
        Finished(Finish(Unified.LENGTH)),
        Done(),
    ]
    assert (
        Candidate((Text("a"),), Finish(Unified.LENGTH)),
        Candidate(()),
        Candidate((Text("c"),), STOP),
    ) == assembled(events).candidates


def test_an_answer_that_broke_off_raises_its_fault_and_keeps_what_was_said():
    """What was said is billed and shown; it never looks complete."""
    fault = Fault(Kind.UPSTREAM_BROKE, "cut")
    events = [Start(), PartStart(0, Text("")), Delta(0, "so f"), Failed(fault)]
    with pytest.raises(Fault) as caught:
        assembled(events)
    assert fault is caught.value
    assembler = Assembler()
    assembler.feed(events)
    assert (fault, False) == (assembler.fault, assembler.done)
    assert (Candidate((Text("so f"),), Finish(Unified.OTHER)),) == assembler.answer().candidates


def test_nothing_at_all_is_one_empty_candidate():
    """An answer never has none."""
    assert (Candidate(()),) == Assembler().answer().candidates
