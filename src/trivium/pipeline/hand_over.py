"""A page hands its request over to the relay: somebody who is logged in asks a model.

The page has looked at the session and at where the form comes from; the relay serves the rest as it
does for a caller who presented the key, and answers on the page's own exchange.
"""

from typing import Final, NamedTuple

MESSAGE: Final = "trivium.hand_over"
"""The ASGI message that says so, in the place of an answer; its ``to`` is a ``HandOver``."""


class HandOver(NamedTuple):
    """What the relay is to serve in the page's place. The body is the page's."""

    path: bytes
    """As a caller would have POSTed it, still percent-encoded."""
    query: bytes
    digest: bytes
    """SHA-256 of the secret of the key that it is asked and booked with."""
