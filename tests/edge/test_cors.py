"""Browsers are let in from the listed origins only, and may send what their SDK sends."""

import pytest

from edge.wires import asked
from trivium.edge.cors import Cors

APP = b"https://app.example"


@pytest.mark.parametrize(
    ("origins", "origin", "let_in"),
    [
        ((), APP, False),
        (("https://app.example",), APP, True),
        (("https://app.example/",), APP, True),
        (("https://app.example",), b"https://app.example.evil", False),
        (("https://app.example",), b"http://app.example", False),
        (("https://app.example",), b"https://app.example:8443", False),
        (("https://app.example",), b"null", False),
        (("https://app.example",), None, False),
        (("*",), b"https://any.example", True),
        (("*",), b"null", True),
        (("*",), None, False),
    ],
)
def test_an_origin_is_let_in_when_it_is_listed(origins, origin, let_in):
    """Byte for byte, but for the slash people copy with it."""
    cors = Cors(origins)
    exchange = asked(headers={} if origin is None else {b"origin": origin})
    lines = cors.lines(exchange)
    assert let_in == (b"access-control-allow-origin: %b\r\n" % (origin or b"") in lines)
    assert let_in == (b"access-control" in lines) == bool(cors.preflight(exchange))


@pytest.mark.parametrize("origins", [("https://app.example",), ("*",)])
@pytest.mark.parametrize("origin", [None, b"https://other.example", APP])
def test_caches_are_told_that_the_origin_decides(origins, origin):
    """Also where none was sent or let in: what is stored then must not be given to who is."""
    exchange = asked(headers={} if origin is None else {b"origin": origin})
    assert b"vary: origin\r\n" in Cors(origins).lines(exchange)


def test_nothing_is_said_where_no_origin_is_listed():
    """Every answer is the same then."""
    assert b"" == Cors(()).lines(asked(headers={b"origin": APP}))


def test_scripts_may_read_what_they_need():
    """Request ids, retry hints and what the gateway says of the answer; caches are told why."""
    lines = Cors(("*",)).lines(asked(headers={b"origin": APP}))
    exposed = lines.partition(b"access-control-expose-headers: ")[2].partition(b"\r\n")[0]
    assert {
        b"x-request-id", b"request-id", b"retry-after", b"retry-after-ms", b"x-should-retry",
        b"trivium-channel", b"trivium-attempts", b"trivium-dropped",
        b"trivium-repaired", b"trivium-estimated", b"trivium-cost",
        b"trivium-budget", b"trivium-budget-reset",
        b"trivium-route", b"trivium-model", b"openai-poll-after-ms", b"content-range",
        b"trivium-idempotency", b"trivium-idempotent-replay",
        *(
            b"x-ratelimit-%b-%b" % (what, of)
            for what in (b"limit", b"remaining", b"reset") for of in (b"requests", b"tokens")
        ),
        *(
            b"anthropic-ratelimit-%b-%b" % (of, what)
            for what in (b"limit", b"remaining", b"reset") for of in (b"requests", b"tokens")
        ),
    } == set(exposed.split(b", "))  # fmt: skip
    assert b"vary: origin\r\n" in lines
    assert b"credentials" not in lines


@pytest.mark.parametrize(
    "wanted",
    [
        (
            b"authorization,content-type,x-stainless-arch,x-stainless-lang,x-stainless-os,"
            b"x-stainless-package-version,x-stainless-retry-count,x-stainless-runtime,"
            b"x-stainless-runtime-version,x-stainless-timeout"
        ),
        b"x-api-key,anthropic-version,anthropic-dangerous-direct-browser-access",
        b"x-goog-api-client,x-goog-api-key",
    ],
)
def test_any_header_an_sdk_asks_for_may_be_sent(wanted):
    """The list changes with each release of an SDK; the key decides, not the header names."""
    exchange = asked(headers={b"origin": APP, b"access-control-request-headers": wanted})
    answer = dict(Cors(("*",)).preflight(exchange))
    assert wanted == answer[b"access-control-allow-headers"]
    assert {b"GET", b"HEAD", b"POST", b"DELETE", b"OPTIONS"} == set(
        answer[b"access-control-allow-methods"].split(b", ")
    )
    assert 0 < int(answer[b"access-control-max-age"])


def test_a_preflight_that_asks_for_nothing_gets_the_usual():
    """The key and JSON."""
    answer = dict(Cors(("*",)).preflight(asked(headers={b"origin": APP})))
    assert b"authorization, content-type" == answer[b"access-control-allow-headers"]


@pytest.mark.parametrize(
    "path", [b"/api/oauth2/token", b"/api/oauth2/userinfo", b"/api/oauth_apps", b"/api/admin/users"]
)
def test_what_servers_ask_is_closed_to_browsers(path):
    """A client secret has no place there, whatever origins are listed."""
    exchange = asked(path=path, headers={b"origin": APP})
    assert (b"", []) == (Cors(("*",)).lines(exchange), Cors(("*",)).preflight(exchange))
