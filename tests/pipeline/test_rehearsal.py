"""Nobody is answered by a rehearsal, and what it is asked for is there."""

from types import SimpleNamespace

from trivium.faults import Fault, Kind
from trivium.pipeline.rehearsal import Rehearsal
from trivium.wire.operation import Operation, Shape


def test_nothing_is_sent():
    """Whatever is called; its body is let go of as an exchange's is."""
    caller = SimpleNamespace()
    asked = Rehearsal(Operation.MESSAGES, {b"a": b"1"}, caller, b"{}", "req_1")
    asked.begin(200, b"text/plain")
    asked.write(b"x")
    asked.finish()
    asked.answer(200, b"{}")
    asked.fail(Fault(Kind.INTERNAL, "x"))
    asked.break_off()
    assert (0, False, Shape.MESSAGES) == (asked.bytes_out, asked.begun, asked.shape)
    assert ([b"1"], []) == (asked.values(b"a"), asked.values(b"b"))
    asked.drop_body()
    assert b"" == asked.body
