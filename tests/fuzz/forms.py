"""Forms and parameters that browsers and applications send, as targets of the fuzzer.

An input is a line for the `Authorization` header, one for the query, and the body.
"""

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request

from trivium.console import forms
from trivium.console.account.key_terms import Bounds
from trivium.console.admin.users import UserChangeForm
from trivium.console.audit.acts import Filter
from trivium.console.developer.apps import NewApp
from trivium.console.topup.topup import TopUp
from trivium.oauth.apps.model import App, GrantType
from trivium.oauth.consent import request as consent
from trivium.oauth.errors import AuthorizationRefused, OAuthError, SentBack
from trivium.oauth.tokens import request as tokens
from trivium.oauth.tokens import service

ANSWERS = (HTTPException, OAuthError, AuthorizationRefused, SentBack, service.NoToken)
"""What is said to whoever sent it."""
PAGES = (Bounds, UserChangeForm, Filter, NewApp, TopUp)
APP = App(
    id=1, user_id=1, name="A", description="", client_id="a", redirect_uri="https://a.example/b?c=d"
)  # fmt: skip
LIMITED = App(
    **{name: getattr(APP, name) for name in ("id", "user_id", "name", "description", "client_id")},
    redirect_uri="http://127.0.0.1/",
    grants=frozenset({GrantType.REFRESH}),
    send_iss=True,
)


def _parts(data):
    authorization, _, rest = data.partition(b"\n")
    query, _, body = rest.partition(b"\n")
    return [authorization.decode("latin-1")] if authorization else [], query, body


def _said(work, *given, **more):
    """What comes of it; ``None``: an answer."""
    try:
        return work(*given, **more)
    except ANSWERS:
        return None


def token(data):
    """What an application's server asks of the endpoints for tokens."""
    authorization, query, body = _parts(data)
    _said(service.presented, authorization, query, body)
    fields = _said(tokens.form, f"{tokens.FORM}; charset=utf-8", query, body)
    if fields is not None:
        _said(tokens.credentials, authorization, fields)
        for reader in (tokens.grant, tokens.token, tokens.access_token):
            _said(reader, fields)


def authorization(data):
    """An authorization request, in the query and in the body; what goes back is a URL."""
    _, query, body = _parts(data)
    given = [*(_said(consent.parameters, query) or ()), *(_said(consent.parameters, body) or ())]
    _said(consent.client_id, given)
    for app in (APP, LIMITED):
        for strict in (False, True):
            where = _sent_back(given, app, strict)
            assert where.isascii()
            assert where.isprintable()
            assert not where or where.startswith(app.redirect_uri)


def _sent_back(given, app, strict):
    """Where a wrong request goes back to; empty when it is right, or goes nowhere."""
    try:
        consent.check(given, app, strict_state=strict, issuer="https://g", spend=strict)
    except SentBack as back:
        return back.location
    except AuthorizationRefused:
        return ""
    return ""


def page(data):
    """A form of a page of ours."""
    _, query, body = _parts(data)

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/x-www-form-urlencoded")]
    scope = {"type": "http", "method": "POST", "headers": headers, "query_string": query}
    try:
        given = asyncio.run(forms._read(Request(scope, receive)))
    except HTTPException:
        return
    for kind in PAGES:
        filled = forms.Filled(kind, given)
        assert (filled.value is None) == bool(filled.errors)


TARGETS = {"form-token": token, "form-authorization": authorization, "form-page": page}
SEEDS = {
    "form-token": (
        b"Basic YTpi\n\ngrant_type=authorization_code&code=c&redirect_uri=https%3A%2F%2Fa&code_verifier=v",
        b"\n\nclient_id=a&client_secret=b&grant_type=refresh_token&refresh_token=r&scope=profile+balance",
        b"Bearer abc\naccess_token=a\ntoken=t&access_token=b",
    ),
    "form-authorization": (
        b"\nclient_id=a&redirect_uri=https%3A%2F%2Fa.example%2Fb%3Fc%3Dd&response_type=code&state=%ff%0a&scope=spend\n",
        b"\n\nclient_id=a&redirect_uri=http%3A%2F%2F127.0.0.1%2F&response_type=code&code_challenge="
        + b"a" * 43
        + b"&code_challenge_method=S256&auto_authorize=true",
    ),
    "form-page": (
        b"\n\ncsrf=t&user=1&role=admin&disabled=on&amount=10&name=a%0d%0ab&redirect_uri=https%3A%2F%2Fa",
        b"\n\nsince=2027-01-31&until=x&kind=a&kind=b&page=%31&limit=1e3&expires=2027-02-30",
    ),
}
