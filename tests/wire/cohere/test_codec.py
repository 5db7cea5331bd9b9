"""The codec's own promises: what answers have a place for."""

from trivium.conversation.parts import Citation, Image, Inline
from trivium.wire.cohere.codec import CODEC
from trivium.wire.operation import Shape


def test_it_is_whole():
    """Both halves, filed under its shape."""
    assert CODEC.shape is Shape.COHERE
    assert CODEC.places.shape == "cohere"


def test_places():
    """Pictures are told in words; a source needs a name."""
    assert CODEC.places.words(Image(Inline("image/gif", "R0lG")))
    assert not CODEC.places.shows(Image(Inline("image/gif", "R0lG")))
    assert CODEC.places.cites(Citation(title="T"))
    assert not CODEC.places.cites(Citation())
