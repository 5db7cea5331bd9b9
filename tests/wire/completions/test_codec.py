"""The completions codec."""

import msgspec

from trivium.wire.codec import CallerOnly
from trivium.wire.completions.codec import CODEC
from trivium.wire.operation import Shape


def test_the_caller_s_side_is_whole():
    """Under the shape's own name; nobody is translated into it."""
    assert Shape.COMPLETIONS is CODEC.shape
    assert CallerOnly is type(CODEC)
    for field in msgspec.structs.fields(CallerOnly):
        assert field.name in ("shape", "places") or callable(getattr(CODEC, field.name))
