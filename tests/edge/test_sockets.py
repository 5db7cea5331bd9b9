"""Who asks for a WebSocket learns to post, and nobody else does."""

import pytest

from edge.wires import asked
from trivium.edge.sockets import declined
from trivium.faults import Fault, Kind

OFFER = {b"upgrade": b"WebSocket", b"connection": b"Upgrade"}


@pytest.mark.parametrize("target", [b"/v1/responses", b"/v1/realtime?model=m"])
@pytest.mark.parametrize("kind", [Kind.PATH_UNKNOWN, Kind.METHOD_NOT_ALLOWED])
def test_a_websocket_is_declined_with_what_is_spoken(target, kind):
    """RFC 9110 asks for both headers."""
    exchange = asked(target=target, method="GET", headers=OFFER)
    assert Kind.UPGRADE_REQUIRED is declined(exchange, Fault(kind, "no")).kind
    assert [(b"upgrade", b"HTTP/1.1"), (b"connection", b"upgrade")] == exchange.extra


@pytest.mark.parametrize(
    ("target", "headers", "kind"),
    [
        (b"/v1/responses", {}, Kind.METHOD_NOT_ALLOWED),
        (b"/v1/responses", {b"upgrade": b"h2c"}, Kind.METHOD_NOT_ALLOWED),
        (b"/v1/models", OFFER, Kind.METHOD_NOT_ALLOWED),
        (b"/v1/responses", OFFER, Kind.KEY_UNKNOWN),
    ],
)
def test_any_other_refusal_stays(target, headers, kind):
    """A key that is missing, a path without sockets, an ordinary GET."""
    exchange, fault = asked(target=target, headers=headers), Fault(kind, "no")
    assert fault is declined(exchange, fault)
    assert [] == exchange.extra
