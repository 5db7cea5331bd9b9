"""The codec of the chat shape as others find it."""

from trivium.wire.chat.codec import CODEC
from trivium.wire.operation import Shape


def test_the_codec_is_the_chat_shapes():
    """Who looks it up by shape finds this one."""
    assert Shape.CHAT is CODEC.shape
