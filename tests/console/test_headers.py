"""The headers of every answer of the pages."""

import pytest

from console.visiting import console_over, visiting
from trivium.console.headers import policy

WANTED = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "strict-transport-security": "max-age=31536000",
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/login", "/account", "/account/none", "/api/none"])
async def test_every_answer_is_strict(database, method, path):
    """Pages, redirects and refusals alike."""
    async with visiting(database) as visitor:
        answer = await visitor.client.request(method, path)
        assert WANTED == {name: answer.headers.get(name) for name in WANTED}


@pytest.mark.asyncio
async def test_without_tls_nobody_is_bound_to_it(database):
    """A gateway on plain http must not lock its browsers out."""
    console = console_over(database, public_url="http://127.0.0.1:8080")
    async with visiting(database, console) as visitor:
        answer = await visitor.get("/account/none")
        assert "strict-transport-security" not in answer.headers


def test_a_form_may_lead_to_named_origins_only():
    """Consent redirects to the application after its form was sent."""
    assert "form-action 'self' https://app.example;" in policy(["https://app.example"])
    assert "form-action 'self';" in policy()
