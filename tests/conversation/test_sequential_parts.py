"""One part at a time."""

from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.assemble import Assembler
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import Citation, Text
from trivium.conversation.sequential_parts import SequentialParts

END = [Finished(Finish(Unified.STOP)), Done()]
PARTS = 4


@st.composite
def streams(draw):
    """Legal events of overlapping parts."""
    events, open_, started = [Start()], [], 0
    for choice in draw(st.lists(st.integers(0, 9), max_size=40)):
        if choice < 3 and started < PARTS:
            events.append(PartStart(started, Text("")))
            open_.append(started)
            started += 1
        elif choice == 3 and open_:
            events.append(PartEnd(open_.pop(draw(st.integers(0, len(open_) - 1)))))
        elif choice == 4:
            events.append(KeepAlive())
        elif choice == 5 and open_:
            events.append(Cited(draw(st.sampled_from(open_)), Citation(url="u")))
        elif open_:
            events.append(Delta(draw(st.sampled_from(open_)), str(len(events))))
    return [*events, *(PartEnd(index) for index in open_), *END]


def said(events):
    """What events tell, assembled."""
    assembler = Assembler()
    assembler.feed(events)
    return assembler.answer()


@given(streams(), st.integers(1, 7))
def test_parts_come_one_after_another_and_nothing_is_lost(events, size):
    """However the events arrive."""
    serial = SequentialParts()
    out = [one for at in range(0, len(events), size) for one in serial.feed(events[at : at + size])]
    open_ = None
    for event in out:
        if isinstance(event, PartStart):
            assert open_ is None
            open_ = event.index
        elif isinstance(event, Delta | Cited | PartEnd):
            assert open_ == event.index
            open_ = None if isinstance(event, PartEnd) else open_
    assert said(events) == said(out)
    assert END == out[-2:]


def test_what_does_not_overlap_flows_as_it_came():
    """The oldest open part is live, others wait for it."""
    serial = SequentialParts()
    events = [Start(), PartStart(0, Text("")), Delta(0, "a"), PartEnd(0), *END]
    assert events == serial.feed(events)


def test_the_oldest_open_part_is_live_and_the_next_comes_when_it_ends():
    """A part that is still open when its turn comes flows on live."""
    serial = SequentialParts()
    first, second = PartStart(0, Text("")), PartStart(1, Text(""))
    assert [first, Delta(0, "a")] == serial.feed([first, second, Delta(1, "b"), Delta(0, "a")])
    assert [PartEnd(0), second, Delta(1, "b")] == serial.feed([PartEnd(0)])
    assert [Delta(1, "c"), PartEnd(1)] == serial.feed([Delta(1, "c"), PartEnd(1)])


def test_many_parts_that_overlap_follow_each_other():
    """Each in its order, though all were open at once."""
    parts = range(50)
    told = SequentialParts().feed(
        [
            *[PartStart(at, Text("")) for at in parts],
            *[Delta(at, "a") for at in parts],
            *[PartEnd(at) for at in parts],
        ]
    )
    assert [at for at in parts for _ in range(3)] == [event.index for event in told]
