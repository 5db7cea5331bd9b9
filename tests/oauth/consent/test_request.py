"""The checks of an authorization request: every row of the table, in its order."""

from urllib.parse import quote, quote_from_bytes

import pytest

from oauth.world import CHALLENGE
from trivium.oauth.apps.model import App, AppStatus, GrantType
from trivium.oauth.consent import request
from trivium.oauth.errors import AuthorizationRefused, Reason, SentBack

URI = "https://app.example/cb?tenant=7"
APP = App(id=1, user_id=1, name="App", description="", client_id="gwc_app", redirect_uri=URI)
SUSPENDED = App(
    id=2,
    user_id=1,
    name="App",
    description="",
    client_id="gwc_app",
    redirect_uri=URI,
    status=AppStatus.SUSPENDED,
)
NO_CODE = App(
    id=3,
    user_id=1,
    name="App",
    description="",
    client_id="gwc_app",
    redirect_uri=URI,
    grants=frozenset({GrantType.REFRESH}),
)
PROFILE_ONLY = App(
    id=4,
    user_id=1,
    name="App",
    description="",
    client_id="gwc_app",
    redirect_uri=URI,
    scopes=frozenset({"profile"}),
)
WITH_ISS = App(
    id=5,
    user_id=1,
    name="App",
    description="",
    client_id="gwc_app",
    redirect_uri=URI,
    send_iss=True,
)
ISSUER = "https://login.example"
GOOD = {
    "client_id": "gwc_app",
    "redirect_uri": URI,
    "response_type": "code",
    "scope": "profile balance",
    "state": "s-1",
}
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


def query(changes=None, extra=""):
    """A query: the good one with changes; ``None`` leaves a parameter out."""
    values = {**GOOD, **(changes or {})}
    pairs = [f"{n}={quote(v, safe='')}" for n, v in values.items() if v is not None]
    return ("&".join(pairs) + extra).encode()


def checked(changes=None, extra="", app=APP, *, strict=False):
    """Check a query."""
    given = request.parameters(query(changes, extra))
    known = app if request.client_id(given) == "gwc_app" else None
    return request.check(given, known, strict_state=strict, issuer=ISSUER)


def sent_back(*args, **kwargs):
    """Parameters of a refusal that goes back, and its code."""
    with pytest.raises(SentBack) as raised:
        checked(*args, **kwargs)
    where, _, answer = raised.value.location.partition("&")
    assert URI == where
    pairs = dict(request.parameters(answer.encode()))
    assert raised.value.code.encode() == pairs["error"]
    return {name: value.decode() for name, value in pairs.items()}


def test_a_good_request_passes():
    """With everything that it asked for."""
    asked = checked(PKCE)
    assert (APP, URI, {"profile", "balance"}, b"s-1", CHALLENGE, False) == (
        asked.app,
        asked.redirect_uri,
        asked.scopes,
        asked.state,
        asked.code_challenge,
        asked.auto_authorize,
    )


PAGES = {
    "no client": ({"client_id": None}, "", APP, Reason.APP_MISSING),
    "empty client": ({"client_id": ""}, "", APP, Reason.APP_MISSING),
    "unknown client": ({"client_id": "gwc_other"}, "", APP, Reason.APP_UNKNOWN),
    "suspended": ({}, "", SUSPENDED, Reason.APP_SUSPENDED),
    "client twice": ({}, "&client_id=gwc_app", APP, Reason.REPEATED),
    "no redirect": ({"redirect_uri": None}, "", APP, Reason.REDIRECT_MISSING),
    "empty redirect": ({"redirect_uri": ""}, "", APP, Reason.REDIRECT_MISSING),
    "redirect twice": ({}, f"&redirect_uri={quote(URI, safe='')}", APP, Reason.REPEATED),
    "unknown client, much wrong": (
        {"client_id": "gwc_other", "response_type": None},
        "&a=1&a=2",
        APP,
        Reason.APP_UNKNOWN,
    ),
}


@pytest.mark.parametrize(("changes", "extra", "app", "reason"), PAGES.values(), ids=PAGES)
def test_what_must_not_be_redirected_is_refused(changes, extra, app, reason):
    """Rows 1 to 3: a page, never a redirect."""
    with pytest.raises(AuthorizationRefused) as raised:
        checked(changes, extra, app)
    assert reason is raised.value.reason


OTHERS = [
    "https://app.example/cb",
    "https://app.example/cb/?tenant=7",
    "https://app.example/cb?tenant=7&",
    "https://app.example/cb?tenant=7&x=1",
    "https://app.example/cb?tenant=7#",
    "https://app.example/cb?tenant=7#top",
    "https://APP.example/cb?tenant=7",
    "https://app.example/CB?tenant=7",
    "HTTPS://app.example/cb?tenant=7",
    "http://app.example/cb?tenant=7",
    "https://app.example:443/cb?tenant=7",
    "https://app.example:8443/cb?tenant=7",
    "https://app.example//cb?tenant=7",
    "https://app.example/%63b?tenant=7",
    "https://app.example/x/../cb?tenant=7",
    "https://app.example/%2e/cb?tenant=7",
    "https://app.example%2Fcb?tenant=7",
    "https://app.example.evil.example/cb?tenant=7",
    "https://evil.example/https://app.example/cb?tenant=7",
    "https://sub.app.example/cb?tenant=7",
    "https://app.example@evil.example/cb?tenant=7",
    "https://user@app.example/cb?tenant=7",
    "https://xn--app-example/cb?tenant=7",
    "https://äpp.example/cb?tenant=7",
    "https:app.example/cb?tenant=7",
    "//app.example/cb?tenant=7",
    "/cb?tenant=7",
    " https://app.example/cb?tenant=7",
    "https://app.example/cb?tenant=7 ",
    "https://app.example/cb?tenant=7\x00",
    "https://app.example/cb?tenant=7\r\nX: y",
    "javascript:alert(1)//app.example/cb?tenant=7",
]


@pytest.mark.parametrize("uri", OTHERS)
def test_an_address_that_is_not_the_registered_one_to_the_byte_is_refused(uri):
    """Row 3: nothing is normalised, and nobody is sent there."""
    with pytest.raises(AuthorizationRefused) as raised:
        checked({"redirect_uri": uri})
    assert Reason.REDIRECT_UNKNOWN is raised.value.reason


BACK = {
    "1 repeated scope": ({}, "&scope=profile", APP, "invalid_request"),
    "1 repeated unknown": ({}, "&a=1&a=1", APP, "invalid_request"),
    "1 repeated, once empty": ({}, "&scope=", APP, "invalid_request"),
    "4 no response type": ({"response_type": None}, "", APP, "invalid_request"),
    "4 empty response type": ({"response_type": ""}, "", APP, "invalid_request"),
    "5 token": ({"response_type": "token"}, "", APP, "unsupported_response_type"),
    "5 hybrid": ({"response_type": "code id_token"}, "", APP, "unsupported_response_type"),
    "5 case": ({"response_type": "CODE"}, "", APP, "unsupported_response_type"),
    "6 unknown scope": ({"scope": "profile openid"}, "", APP, "invalid_scope"),
    "6 scope case": ({"scope": "Profile"}, "", APP, "invalid_scope"),
    "6 not the app's": ({"scope": "balance"}, "", PROFILE_ONLY, "invalid_scope"),
    "7 long state": ({"state": "x" * 4097}, "", APP, "invalid_request"),
    "8 short challenge": (PKCE | {"code_challenge": "x" * 42}, "", APP, "invalid_request"),
    "8 long challenge": (PKCE | {"code_challenge": "x" * 129}, "", APP, "invalid_request"),
    "8 odd challenge": (PKCE | {"code_challenge": "=" * 43}, "", APP, "invalid_request"),
    "8 plain": (PKCE | {"code_challenge_method": "plain"}, "", APP, "invalid_request"),
    "8 no method": ({"code_challenge": CHALLENGE}, "", APP, "invalid_request"),
    "8 method case": (PKCE | {"code_challenge_method": "s256"}, "", APP, "invalid_request"),
    "8 method alone": ({"code_challenge_method": "S256"}, "", APP, "invalid_request"),
    "9 not allowed": ({}, "", NO_CODE, "unauthorized_client"),
}


@pytest.mark.parametrize(("changes", "extra", "app", "code"), BACK.values(), ids=BACK)
def test_what_is_wrong_otherwise_goes_back(changes, extra, app, code):
    """Rows 4 to 9, with the state as it came."""
    said = sent_back(changes, extra, app)
    assert (code, changes.get("state", "s-1")) == (said["error"], said["state"])
    assert set(said) == {"error", "error_description", "state"}


@pytest.mark.parametrize(
    ("changes", "strict"),
    [
        ({"state": None}, False),
        ({"state": ""}, False),
        ({"state": None} | PKCE, True),
        ({"state": None} | PKCE | {"code_challenge_method": "plain"}, False),
        ({"state": None} | PKCE | {"code_challenge": "short"}, False),
    ],
)
def test_without_state_there_must_be_pkce(changes, strict):
    """Row 7; and by the strict setting PKCE does not do."""
    said = sent_back(changes, strict=strict)
    assert "invalid_request" == said["error"]
    assert "state" not in said


def test_pkce_stands_in_for_state():
    """Auth.js sends none by default."""
    assert None is checked({"state": None} | PKCE).state


def test_a_repeated_state_is_nobodys():
    """None goes back."""
    said = sent_back(extra="&state=s-2")
    assert ("invalid_request", False) == (said["error"], "state" in said)


def test_the_earlier_row_wins():
    """Everything is wrong at once."""
    wrong = {"response_type": "token", "scope": "openid", "state": None}
    assert "invalid_request" == sent_back(wrong, "&x=1&x=2")["error"]
    assert "unsupported_response_type" == sent_back(wrong)["error"]
    del wrong["response_type"]
    assert "invalid_scope" == sent_back(wrong)["error"]
    assert "state is missing" in sent_back({"state": None}, app=NO_CODE)["error_description"]


def test_a_missing_scope_means_profile():
    """And nothing more."""
    assert {"profile"} == checked({"scope": None}).scopes
    assert {"profile"} == checked({"scope": ""}).scopes


def test_unknown_parameters_are_ignored():
    """OpenID libraries send some."""
    assert checked({}, "&nonce=1&prompt=consent&response_mode=query") == checked()


@pytest.mark.parametrize(
    ("value", "auto"),
    [
        ("true", True),
        ("True", False),
        ("1", False),
        ("yes", False),
        ("false", False),
        (None, False),
    ],
)
def test_only_true_means_true(value, auto):
    """The flag's value is compared to the byte."""
    assert auto is checked({"auto_authorize": value}).auto_authorize


STATES = [
    b"plain",
    b"a+b",
    b"a b",
    b"%20",
    b"a&b=c#d?e",
    "ünïcödé 世界 👋".encode(),
    b"\xff\xfe\x00\r\nSet-Cookie: a=b",
    b"x" * 2048,
    bytes(range(256)),
]


@pytest.mark.parametrize("state", STATES)
def test_state_comes_back_byte_for_byte(state):
    """Whatever it holds; and no byte of it can end a header."""
    raw = query({"state": None}) + b"&state=" + quote_from_bytes(state, safe="").encode()
    given = request.parameters(raw)
    asked = request.check(given, APP, strict_state=False, issuer=ISSUER)
    assert state == asked.state
    location = request.answer(APP, URI, asked.state, ISSUER, [("code", "c")])
    assert location.isascii()
    assert location.isprintable()
    back = dict(request.parameters(location.partition("?")[2].encode()))
    assert {"tenant": b"7", "code": b"c", "state": state} == back


def test_a_plus_is_a_space_as_in_forms():
    """Clients encode it either way."""
    raw = query({"scope": None}) + b"&scope=profile+balance"
    given = request.parameters(raw)
    assert {"profile", "balance"} == request.check(
        given, APP, strict_state=False, issuer=ISSUER
    ).scopes


def test_the_issuer_is_named_where_the_application_wants_it():
    """Off by default: libraries that do not expect it fail (RFC 9207)."""
    assert "iss" not in request.answer(APP, URI, None, ISSUER, [("code", "c")])
    said = request.answer(WITH_ISS, URI, b"s", ISSUER, [("code", "c")])
    assert f"{URI}&code=c&state=s&iss=https%3A%2F%2Flogin.example" == said
    assert ISSUER == sent_back({"response_type": None}, app=WITH_ISS)["iss"]


def test_far_too_many_parameters_are_refused():
    """A page: nothing has been checked."""
    with pytest.raises(AuthorizationRefused):
        request.parameters(b"&".join(b"a%d=1" % n for n in range(101)))


def test_no_parameters_are_none():
    """An empty query is one."""
    assert [] == list(request.parameters(b""))
