"""What clients send to the token endpoint: every way of saying it wrong."""

from base64 import b64encode

import pytest

from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens import request
from trivium.oauth.tokens.model import ClientCredentials, CodeGrant, RefreshGrant

FORM = "application/x-www-form-urlencoded"
ADA = ClientCredentials(client_id="gwc_a", client_secret="gws_s")


def basic(text):
    return "Basic " + b64encode(text.encode()).decode()


def refused(call, *args):
    """Status and code of a refusal."""
    with pytest.raises(OAuthError) as raised:
        call(*args)
    return raised.value.status, raised.value.code


@pytest.mark.parametrize("kind", [FORM, FORM + ";charset=UTF-8", FORM.upper() + " ; charset=utf-8"])
def test_a_form_is_read_whatever_its_charset(kind):
    """Parameters without a value count as left out."""
    assert {"a": "1", "c": "x y"} == request.form(kind, b"", b"a=1&b=&c=x+y")


@pytest.mark.parametrize(
    ("kind", "query", "body"),
    [
        ("application/json", b"", b'{"grant_type":"refresh_token"}'),
        ("", b"", b"a=1"),
        ("multipart/form-data", b"", b"a=1"),
        (FORM, b"", b"a=1&a=1"),
        (FORM, b"", b"a=1&a="),
        (FORM, b"client_secret=gws_s", b"a=1"),
        (FORM, b"x=1&code=gwac_x", b"a=1"),
        (FORM, b"client_id=gwc_a", b"a=1"),
        (FORM, b"refresh_token=", b"a=1"),
        (FORM, b"token=gwat_x", b"a=1"),
        (FORM, b"", b"a=" + b"x" * 16_384),
        (FORM, b"", b"a=\xff"),
        (FORM, b"", b"a=%FF"),
        (FORM, b"", b"&".join(b"a%d=1" % n for n in range(51))),
    ],
)
def test_anything_else_is_an_invalid_request(kind, query, body):
    """Also whatever would stand in logs."""
    assert (400, "invalid_request") == refused(request.form, kind, query, body)


def test_a_harmless_query_is_ignored():
    """Somebody's version parameter."""
    assert {"a": "1"} == request.form(FORM, b"v=2", b"a=1")


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ([], {"client_id": "gwc_a", "client_secret": "gws_s"}),
        ([basic("gwc_a:gws_s")], {}),
        ([basic("gwc%5Fa:gws%5Fs")], {}),
        ([basic("gwc_a:gws_s").replace("Basic", "basic")], {}),
        ([basic("gwc_a:gws_s")], {"client_id": "gwc_a"}),
    ],
)
def test_a_client_says_who_it_is_in_either_way(headers, fields):
    """In a Basic header, form-encoded or not, or in the form."""
    assert ADA == request.credentials(headers, fields)


def test_a_secret_may_hold_a_colon_in_the_header():
    """Only the first one separates."""
    assert "a:b" == request.credentials([basic("x:a:b")], {}).client_secret


@pytest.mark.parametrize(
    ("headers", "fields", "answer"),
    [
        ([], {}, (401, "invalid_client")),
        ([], {"client_id": "gwc_a"}, (401, "invalid_client")),
        ([], {"client_secret": "gws_s"}, (401, "invalid_client")),
        (["Bearer x"], {}, (401, "invalid_client")),
        (["Basic"], {}, (401, "invalid_client")),
        (["Basic !!!"], {}, (401, "invalid_client")),
        (["Basic " + b64encode(b"\xff:x").decode()], {}, (401, "invalid_client")),
        ([basic("no colon")], {}, (401, "invalid_client")),
        (
            [basic("gwc_a:gws_s")],
            {"client_id": "gwc_a", "client_secret": "gws_s"},
            (400, "invalid_request"),
        ),
        ([basic("gwc_a:gws_s")], {"client_secret": "gws_s"}, (400, "invalid_request")),
        ([basic("gwc_a:gws_s")], {"client_id": "gwc_b"}, (400, "invalid_request")),
        ([basic("gwc_a:gws_s")] * 2, {}, (400, "invalid_request")),
    ],
)
def test_a_client_that_says_nothing_or_twice_is_refused(headers, fields, answer):
    """At most one method (RFC 6749 section 2.3)."""
    assert answer == refused(request.credentials, headers, fields)


CODE = {"grant_type": "authorization_code", "code": "c", "redirect_uri": "https://a.example/"}
REFRESH = {"grant_type": "refresh_token", "refresh_token": "r"}


def test_both_grants_are_read():
    """With what is optional of them."""
    assert CodeGrant(code="c", redirect_uri="https://a.example/", verifier=None) == request.grant(
        CODE
    )
    assert "v" == request.grant(CODE | {"code_verifier": "v"}).verifier
    assert RefreshGrant(refresh_token="r", scopes=None) == request.grant(REFRESH)
    assert {"profile"} == request.grant(REFRESH | {"scope": "profile"}).scopes


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "invalid_request"),
        *(({k: v for k, v in CODE.items() if k != name}, "invalid_request") for name in CODE),
        ({"grant_type": "refresh_token"}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "Authorization_Code"}, "unsupported_grant_type"),
        (REFRESH | {"scope": "openid"}, "invalid_scope"),
    ],
)
def test_what_is_missing_or_unknown_is_named(fields, code):
    """400 each."""
    assert (400, code) == refused(request.grant, fields)


def test_a_revocation_needs_a_token():
    """And nothing else."""
    assert "t" == request.token({"token": "t"})
    assert (400, "invalid_request") == refused(request.token, {})
