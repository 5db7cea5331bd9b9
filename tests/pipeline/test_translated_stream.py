"""A translated stream tells its caller what was used, also where the vendor did not."""

import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Delta,
    Done,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.usage import Usage
from trivium.pipeline.translated_stream import (
    LONG_BYTES,
    PIECE_CHARS,
    TranslatedStream,
    unheard,
)
from trivium.wire.passage import PieceWritten

TOLD = Usage(fresh=9, output=1, estimated=True)
TELLING = [
    Start("a", "m"), PartStart(0, Text("")), Delta(0, "hi"), PartEnd(0),
    Finished(Finish(Unified.STOP, "stop")),
]  # fmt: skip


class Reader:
    """Has read these events, and counted so much."""

    stopped = True

    def __init__(self, events, usage):
        self.events, self.usage = events, usage

    def feed(self, data):
        return self.events


class Writer:
    """Remembers events; writes a byte for each."""

    def __init__(self):
        self.events = []

    def feed(self, events):
        self.events += events
        return b"." * len(events)

    def unsaid(self):
        return b""


class Places:
    """Has a place for everything."""

    unheard = ""

    def events(self, events):
        pass


def stream(usage, told):
    """The stream and its writer."""
    writer = Writer()
    events = [*TELLING, *([UsageReport(usage)] if usage else []), Done()]
    return TranslatedStream(lambda: Reader(events, usage), writer, Places(), {}, told=told), writer


@pytest.mark.parametrize("reported", [None, Usage(fresh=9), Usage(fresh=9, output=2**70)])
def test_a_count_of_our_own_stands_before_the_end(reported):
    """It is of all that is written before it, and is the usage from then on."""
    asked = []

    def told(usage, written):
        asked.append((usage, written))
        return Usage(fresh=9, output=1, estimated=True)

    watch, writer = stream(reported, told)
    out = watch.feed(b"x")
    before = len(TELLING) + (reported is not None)
    assert [(reported, b"." * before)] == asked
    assert b"." * (before + 2) == out
    assert [UsageReport(Usage(fresh=9, output=1, estimated=True)), Done()] == writer.events[-2:]
    assert Usage(fresh=9, output=1, estimated=True) == watch.usage
    assert watch.finished
    assert watch.stopped


def test_a_vendors_count_is_told_as_it_is():
    """Nobody else counts."""
    reported = Usage(fresh=9, output=2)
    watch, writer = stream(reported, lambda *_: pytest.fail("counted"))
    watch.feed(b"x")
    assert [UsageReport(reported), Done()] == writer.events[-2:]
    assert reported == watch.usage


def test_the_fault_of_an_answer_without_a_known_part_names_it():
    """Shortened."""
    assert "hologram" in unheard("hologram").message


def written(*events):
    """What the writer is told of these, piece by piece."""
    writer = Writer()
    reader = Reader([Start("a", "m"), *events], None)
    TranslatedStream(lambda: reader, writer, Places(), {}).feed(b"")
    return writer.events


def test_a_text_of_megabytes_is_written_in_pieces():
    """None of them is lost, and what is around them stays there."""
    text = "long " * PIECE_CHARS
    begin, end = PartStart(0, Text("")), PartEnd(0)
    found = written(begin, Delta(0, text), Delta(0, "!"), end)
    pieces = [event.text for event in found if type(event) is Delta]
    assert text + "!" == "".join(pieces)
    assert max(map(len, pieces)) <= PIECE_CHARS
    assert [Start("a", "m"), begin, end] == [one for one in found if type(one) is not Delta]


def test_a_long_call_is_told_at_its_start_what_its_end_carries():
    """Writers say the attachments of a call before it, and see no end in the same piece."""
    sealed = Opaque("a", b"1", StateOrigin("chat", "c", "m"))
    at_start = Opaque("b", b"2", StateOrigin("chat", "c", "m"))
    found = written(
        PartStart(0, ToolCall("c", "t", "", opaque=(at_start,))),
        Delta(0, "x" * (PIECE_CHARS + 1)),
        PartEnd(0, (sealed,)),
    )[1:]
    assert PartStart(0, ToolCall("c", "t", "", opaque=(at_start, sealed))) == found[0]
    assert "x" * (PIECE_CHARS + 1) == "".join(one.text for one in found[1:-1])
    assert PartEnd(0) == found[-1]
    assert 4 == len(found)


def pieces(*events, writer=None, told=None):
    """What the writer is told of one read, turn by turn."""
    writer = writer or Writer()
    reader = Reader([Start("a", "m"), *events], None)
    stream = TranslatedStream(lambda: reader, writer, Places(), {}, told=told)
    turns = []
    while True:
        before = len(writer.events)
        try:
            stream.feed(b"")
        except PieceWritten:
            turns.append(writer.events[before:])
        else:
            return [*turns, writer.events[before:]]


class SilentWriter(Writer):
    """It says a call at its end, as the shapes do that have calls whole."""

    def feed(self, events):
        super().feed(events)
        return b""


def test_what_took_long_to_read_is_written_in_other_turns():
    """And the end of what the writer has kept until then comes in one more."""
    text = "x" * (LONG_BYTES + 1)
    call = ToolCall("c", "t", "")
    read, said, ended = pieces(
        PartStart(0, call), Delta(0, text), PartEnd(0), writer=SilentWriter()
    )
    assert [] == read
    assert [Start("a", "m"), PartStart(0, call)] == said[:2]
    assert text == "".join(one.text for one in said[2:])
    assert [PartEnd(0)] == ended


def test_what_nobody_counted_is_counted_in_a_turn_of_its_own():
    """Before the end, where the writer has kept megabytes until then."""
    rests = []
    finished = Finished(Finish(Unified.STOP, "stop"))
    writer = SilentWriter()
    writer.unsaid = lambda: b"unsaid"
    turns = pieces(
        PartStart(0, ToolCall("c", "t", "")), Delta(0, "x" * (LONG_BYTES + 1)), PartEnd(0),
        finished, Done(), writer=writer, told=lambda _, rest: rests.append(rest) or TOLD,
    )  # fmt: skip
    assert [[PartEnd(0)], [finished], [], [UsageReport(TOLD), Done()]] == turns[2:]
    assert [b"unsaid"] == rests


def test_a_text_that_was_read_soon_is_written_at_once():
    """Up to a mebibyte both take no longer than a turn may."""
    turns = pieces(PartStart(0, Text("")), Delta(0, "x" * LONG_BYTES), PartEnd(0))
    assert 1 == len(turns)
