"""An answer in memory: who hears of it, and when its source has to wait."""

from trivium.faults import Fault, Kind
from trivium.idempotency.kept_answer import LAG_BYTES, PIECE_BYTES, KeptAnswer, cut_off
from trivium.idempotency.model import AnswerHead, Place

HEAD = AnswerHead(200, b"text/event-stream", [], length=None)


class Reader:
    def __init__(self, answer, *, slow=False):
        self.answer, self.slow, self.at, self.told = answer, slow, 0, 0
        answer.enter(self)

    def more(self):
        self.told += 1
        if not self.slow:
            self.at = self.answer.first + len(self.answer.pieces)


class Source:
    def __init__(self):
        self.log = []

    def pause(self):
        self.log.append("pause")

    def resume(self):
        self.log.append("resume")

    def interrupt(self, fault):
        self.log.append(fault.kind)

    def leave(self):
        self.log.append("leave")


def made():
    answer = KeptAnswer(Place(3, "d"), "b")
    answer.source = Source()
    answer.begin(HEAD)
    return answer


def test_all_readers_hear_of_each_piece_and_the_end():
    """And everything is there for who comes later."""
    answer = made()
    readers = [Reader(answer), Reader(answer)]
    answer.add(b"one")
    answer.add(b"")
    answer.add(b"two")
    answer.end()
    answer.add(b"late")
    assert [3, 3] == [reader.told for reader in readers]
    assert ([b"one", b"two"], 6, True) == (answer.pieces, answer.size, answer.is_good)


def test_a_large_piece_is_divided():
    """Into such as are stored and read at once."""
    answer = made()
    answer.add(b"x" * (2 * PIECE_BYTES + 1))
    assert [PIECE_BYTES, PIECE_BYTES, 1] == [len(piece) for piece in answer.pieces]
    assert 2 * PIECE_BYTES + 1 == answer.size


def test_what_is_kept_waits_for_nobody():
    """It is bounded: its source goes on, with slow readers and with none."""
    answer = made()
    source, reader = answer.source, Reader(answer, slow=True)
    answer.add(b"x" * (4 * LAG_BYTES))
    answer.leave(reader)
    answer.add(b"x")
    assert ([], True) == (source.log, answer.is_deserted)


def test_what_is_not_kept_waits_for_the_slowest():
    """And is let go as soon as everybody has it."""
    answer = made()
    source = answer.source
    quick, slow = Reader(answer), Reader(answer, slow=True)
    answer.add(b"x" * LAG_BYTES)
    answer.drop()
    answer.add(b"y")
    assert ["pause"] == source.log
    slow.at = 4
    answer.read()
    assert (["pause", "resume"], [b"y"], 4) == (source.log, answer.pieces, answer.first)
    answer.leave(slow)
    assert ([], 5, 5) == (answer.pieces, answer.first, quick.at)


def test_what_nobody_reads_nor_keeps_is_given_up():
    """As for a caller who left; with one reader left it goes on."""
    answer = made()
    source, one, two = answer.source, Reader(answer), Reader(answer)
    answer.drop()
    answer.leave(one)
    assert [] == source.log
    answer.leave(two)
    assert ["leave"] == source.log


def test_only_a_whole_success_is_good():
    """No error, nothing that broke, nothing without a head."""
    ends = []
    for status, end in ((200, {}), (500, {}), (200, {"broken": True}), (200, {"cut": True})):
        answer = KeptAnswer(Place(3, "d"), "b")
        answer.begin(AnswerHead(status, b"", [], length=4))
        answer.end(**end)
        ends.append((answer.is_good, answer.is_cut))
    assert [(True, False), (False, False), (False, False), (False, True)] == ends
    answer = KeptAnswer(Place(3, "d"), "b")
    answer.fail(cut_off())
    assert (False, 503) == (answer.is_good, answer.fault.status)


def test_an_interruption_reaches_the_source():
    """Of what comes from elsewhere there is none here."""
    answer = made()
    source = answer.source
    assert not answer.interrupt(Fault(Kind.STOPPING, "Later."))
    answer.is_own = True
    assert answer.interrupt(Fault(Kind.STOPPING, "Later."))
    answer.end()
    assert not answer.interrupt(Fault(Kind.STOPPING, "Later."))
    assert [Kind.STOPPING] == source.log
