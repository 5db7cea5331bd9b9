"""One channel called, as the vendor sees it."""

import pytest

from gateway import Gateway
from scripted_upstream import Double, Send, sized

JSON = b"Content-Type: application/json\r\n"
HELLO = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
MESSAGE = (
    b'{"id":"msg_1","type":"message","role":"assistant","model":"up","content":'
    b'[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","stop_sequence":null,'
    b'"usage":{"input_tokens":9,"output_tokens":2}}'
)
OK = [Send(sized(MESSAGE, headers=JSON))]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (["Vendor-User-Profile-Id: u1"], [b"u1"]),
        (["Anthropic-User-Profile-Id: u2"], [b"u2"]),
        (["Vendor-User-Profile-Id: u1", "Anthropic-User-Profile-Id: u2"], [b"u2"]),
        (["X-Other: u3"], []),
    ],
    ids=str,
)
async def test_neutral_header_names_travel_as_the_vendors_own(sent, expected):
    """Which wins where both are there; what a provider does not name stays here."""
    async with Double([OK, OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        for _ in range(2):  # on a connection of its own, and on the one that is left
            assert 200 == (await gateway.post("/v1/messages", HELLO, *sent))[0]
        for request in vendor.requests:
            headers = [(name.lower(), value) for name, value in request.headers]
            name = b"anthropic-user-profile-id"
            assert expected == [value for other, value in headers if other == name]
            assert not [
                value
                for other, value in headers
                if other in (b"x-other", b"vendor-user-profile-id")
            ]
