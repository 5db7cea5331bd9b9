"""``POST /api/oauth2/token``, ``/revoke``, ``/spend_key``: what an application's server asks."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from trivium.console import context
from trivium.console.api import answer
from trivium.console.api.answer import Endpoint
from trivium.oauth.apps.model import App
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens import request as asking
from trivium.oauth.tokens.model import CodeGrant

CHALLENGE: Final = {"www-authenticate": 'Basic realm="oauth2"'}


@answer.endpoint("auth")
async def token(request: Request) -> Response:
    """Tokens for a code or a refresh token."""
    tokens = context.of(request).oauth.tokens
    sender = answer.sender(request)
    try:
        app, fields = await client(request)
        grant = asking.grant(fields)
        if isinstance(grant, CodeGrant):
            issued = await tokens.exchange(app, grant, sender)
        else:
            issued = await tokens.refresh(app, grant, sender)
    except OAuthError as error:
        return refused(error)
    return answer.json(issued.body())


@answer.endpoint("auth")
async def revoke(request: Request) -> Response:
    """Nothing, whatever the token was (RFC 7009 section 2.2)."""
    tokens = context.of(request).oauth.tokens
    try:
        app, fields = await client(request)
        await tokens.revoke(app, asking.token(fields), answer.sender(request))
    except OAuthError as error:
        return refused(error)
    # nobody reads it, but simple-oauth2 fails on an answer that does not call itself JSON
    return Response(b"", headers={**answer.NOT_STORED, "content-type": answer.JSON})


@answer.endpoint("auth")
async def spend_key(request: Request) -> Response:
    """A key that ends with the token. The application proves who it is as at the token endpoint:
    a token that somebody found is not enough to spend with.
    """
    console = context.of(request)
    try:
        app, fields = await client(request)
        key = await console.oauth.spending.issue(
            app, asking.access_token(fields), answer.sender(request)
        )
    except OAuthError as error:
        return refused(error)
    return answer.json(key.body(int(console.clock.now()), console.api_origin))


async def client(request: Request) -> tuple[App, Mapping[str, str]]:
    """The application that asks, and what it sent.

    Who fails too often waits, by address; who knows its secret is counted by application, so that
    nobody who knows only its public id can use its share up. Raises OAuthError.
    """
    oauth = context.of(request).oauth
    where = answer.network(request)
    _check_rate(await oauth.failures.wait(where))
    fields = asking.form(
        request.headers.get("content-type", ""), request.scope["query_string"], await request.body()
    )
    try:
        given = asking.credentials(request.headers.getlist("authorization"), fields)
        app = await oauth.apps.authenticate(given.client_id, given.client_secret)
    except OAuthError as error:
        if error.code == "invalid_client":
            await oauth.failures.count(where)
        raise
    _check_rate(await oauth.exchanges.take(app.client_id))
    return app, fields


def _check_rate(wait: int | None) -> None:
    if wait is not None:
        raise OAuthError("temporarily_unavailable", "too many requests", 429, retry_after=wait)


def refused(error: OAuthError) -> Response:
    """Return an error response that says how a client should authenticate, if it failed to."""
    return answer.refused(error, CHALLENGE if error.status == 401 else None)


ENDPOINTS: Final = (
    Endpoint("/api/oauth2/token", token, methods=["POST"]),
    Endpoint("/api/oauth2/revoke", revoke, methods=["POST"]),
    Endpoint("/api/oauth2/spend_key", spend_key, methods=["POST"]),
)
