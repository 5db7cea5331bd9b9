"""What a whole chat answer says about itself."""

from trivium.wire import whole
from trivium.wire.passage import Answer


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    return whole.answer(body, "choices")
