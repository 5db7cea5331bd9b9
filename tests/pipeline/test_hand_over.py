"""What a page hands over is what the relay takes: served in ``end_to_end/test_walk_playground.py``."""

from trivium.pipeline.hand_over import MESSAGE, HandOver


def test_it_unpacks_into_what_an_exchange_is_served_by():
    """Path, query and digest, in this order; no message of ASGI's own has its name."""
    path, query, digest = HandOver(b"/v1/messages", b"a=b", b"\x00" * 32)
    assert (b"/v1/messages", b"a=b", 32) == (path, query, len(digest))
    assert not MESSAGE.startswith(("http.", "websocket.", "lifespan."))
