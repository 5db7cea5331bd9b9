"""How what is remembered of a call is stored."""

from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Reasoning, ReasoningForm
from trivium.response_store.signatures.model import SignatureTrace, packed, unpacked

MAKER = StateOrigin("messages", "anthropic", "main")


def test_a_trace_survives_its_storage():
    """Bytes and back; what another version wrote is no trace."""
    signed = (Opaque(SIGNATURE, b"s", MAKER, "x"),)
    kept = SignatureTrace(
        MAKER,
        (Reasoning("a", ReasoningForm.FULL, opaque=signed),),
        (Reasoning("", ReasoningForm.HIDDEN, opaque=signed),),
        signed,
    )
    assert (kept, None) == (unpacked(packed(kept)), unpacked(b"\x01"))
