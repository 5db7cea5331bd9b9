"""How what is remembered of a call is stored."""

from trivium.conversation.opaque import SIGNATURE, Opaque, Origin
from trivium.conversation.parts import Form, Reasoning
from trivium.recall.traces.model import Trace, packed, unpacked

MAKER = Origin("messages", "anthropic", "main")


def test_a_trace_survives_its_storage():
    """Bytes and back; what another version wrote is no trace."""
    signed = (Opaque(SIGNATURE, b"s", MAKER, "x"),)
    kept = Trace(
        MAKER,
        (Reasoning("a", Form.FULL, opaque=signed),),
        (Reasoning("", Form.HIDDEN, opaque=signed),),
        signed,
    )
    assert (kept, None) == (unpacked(packed(kept)), unpacked(b"\x01"))
