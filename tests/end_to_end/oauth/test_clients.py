"""Published Python clients go the whole way: authorize, token, userinfo, refresh, revoke."""

import asyncio

import httpx
import pytest
from authlib.integrations.httpx_client import OAuth2Client
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from httpx_oauth.oauth2 import OAuth2, RefreshTokenError
from requests_oauthlib import OAuth2Session

from end_to_end.oauth.browsing import CALLBACK

SCOPE = "profile balance"
RECORD = {
    "username": "ada",
    "email": "ada@example.org",
    "quota": 1_250_000,
    "used_quota": 0,
    "balance_formatted": "2.50",
    "status": 1,
}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:authlib")


def at(service, name):
    return f"{service.origin}/api/oauth2/{name}"


def revoked(service, token):
    """The application gives a token back (RFC 7009)."""
    auth = (service.app.client_id, service.secret)
    answer = httpx.post(at(service, "revoke"), data={"token": token}, auth=auth)
    assert 200 == answer.status_code


@pytest.mark.parametrize("client_class", [AuthlibSession, OAuth2Client])
@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_authlib(service, browser, client_class, method, monkeypatch):
    """With PKCE and state, over requests and httpx, by either authentication."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    with client_class(
        service.app.client_id,
        service.secret,
        scope=SCOPE,
        redirect_uri=CALLBACK,
        token_endpoint_auth_method=method,
        code_challenge_method="S256",
    ) as client:
        verifier = "v" * 64
        url, state = client.create_authorization_url(
            at(service, "authorize"), code_verifier=verifier
        )
        back = browser.authorized(url)
        token = client.fetch_token(
            at(service, "token"), authorization_response=back, state=state, code_verifier=verifier
        )
        assert (SCOPE, "Bearer", 7200) == (
            token["scope"], token["token_type"], token["expires_in"],
        )  # fmt: skip
        told = client.get(at(service, "userinfo")).json()
        assert RECORD.items() <= told.items()
        renewed = client.refresh_token(at(service, "token"), refresh_token=token["refresh_token"])
        assert renewed["refresh_token"] != token["refresh_token"]
        assert 200 == client.get(at(service, "userinfo")).status_code
        revoked(service, renewed["refresh_token"])
        assert 401 == client.get(at(service, "userinfo")).status_code


@pytest.mark.parametrize("include_client_id", [None, True])
def test_requests_oauthlib(service, browser, include_client_id, monkeypatch):
    """Which raises when the scope differs by anything."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    with OAuth2Session(service.app.client_id, redirect_uri=CALLBACK, scope=SCOPE.split()) as client:
        url, _ = client.authorization_url(at(service, "authorize"))
        token = client.fetch_token(
            at(service, "token"),
            authorization_response=browser.authorized(url),
            client_secret=service.secret,
            include_client_id=include_client_id,
        )
        assert SCOPE.split() == token["scope"]
        assert RECORD.items() <= client.get(at(service, "userinfo")).json().items()
        client.refresh_token(at(service, "token"), auth=(service.app.client_id, service.secret))
        assert "2.50" == client.get(at(service, "userinfo")).json()["balance_formatted"]


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_httpx_oauth(service, browser, method):
    """As FastAPI applications use it."""
    client = OAuth2(
        service.app.client_id,
        service.secret,
        at(service, "authorize"),
        at(service, "token"),
        refresh_token_endpoint=at(service, "token"),
        revoke_token_endpoint=at(service, "revoke"),
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
    )

    async def walk():
        url = await client.get_authorization_url(CALLBACK, "a state", SCOPE.split())
        back = httpx.URL(await asyncio.to_thread(browser.authorized, url))
        assert "a state" == back.params["state"]
        token = await client.get_access_token(back.params["code"], CALLBACK)
        renewed = await client.refresh_token(token["refresh_token"])
        await client.revoke_token(renewed["refresh_token"])
        with pytest.raises(RefreshTokenError):
            await client.refresh_token(renewed["refresh_token"])

    asyncio.run(walk())


def test_a_callback_may_bring_an_error(service, browser, monkeypatch):
    """Which libraries raise as such."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    app, secret = service.stranger
    with OAuth2Session(app.client_id, redirect_uri=CALLBACK, scope=SCOPE.split()) as client:
        url, _ = client.authorization_url(at(service, "authorize"))
        back = browser.authorized(url, answer="deny")
        with pytest.raises(Exception, match="access_denied") as raised:
            client.fetch_token(
                at(service, "token"), authorization_response=back, client_secret=secret
            )
        assert "access_denied" == raised.value.error
