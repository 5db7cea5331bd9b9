"""Registered addresses."""

import pytest

from trivium.oauth import redirect

GOOD = [
    "https://app.example/callback",
    "https://app.example",
    "https://app.example/",
    "https://app.example:8443/callback?a=1&b=%20",
    "https://APP.example/Callback",
    "https://127.0.0.1/callback",
    "https://[2001:db8::1]:8443/callback",
    "https://xn--bcher-kva.example/a..b/...",
    "https://a.example/x?next=https://b.example/../y",
]

BAD = {
    "": "is missing",
    "https://app.example/" + "a" * 1981: "more than 2000 characters",
    "http://app.example/cb": "must begin with https://",
    "http://localhost:3000/cb": "must begin with https://",
    "HTTPS://app.example/cb": "begins with https://",
    "//app.example/cb": "begins with https://",
    "/callback": "begins with https://",
    "https:app.example": "begins with https://",
    "https:/app.example": "begins with https://",
    "javascript:alert(1)": "begins with https://",
    "com.example.app:/cb": "begins with https://",
    "data:text/html,x": "begins with https://",
    "https://": "names no host",
    "https:///callback": "names no host",
    "https://?x=1": "names no host",
    "https://*.example/cb": "names no host",
    "https://app..example/cb": "names no host",
    "https://.example/cb": "names no host",
    "https://app.example:0/cb": "names no host",
    "https://app.example:65536/cb": "names no host",
    "https://app.example:/cb": "names no host",
    "https://app.example:80a/cb": "names no host",
    "https://[::1/cb": "names no host",
    "https://[:::1]/cb": "names no host",
    "https://app_1.example/cb": "names no host",
    "https://app%2eexample/cb": "names no host",
    "https://user@app.example/cb": "user name or password",
    "https://user:pw@app.example/cb": "user name or password",
    "https://app.example@evil.example/cb": "user name or password",
    "https://app.example/cb#": "fragment",
    "https://app.example/cb#top": "fragment",
    "https://app.example/../cb": "segments",
    "https://app.example/a/..": "segments",
    "https://app.example/a/%2e%2e/cb": "segments",
    "https://app.example/a%2f..%2Fcb": "segments",
    "https://app.example/./cb": "segments",
    "https://app.example\\@evil.example/cb": "percent-encoded",
    "https://app.example/a b": "percent-encoded",
    "https://app.example/cb\r\nSet-Cookie: a=b": "percent-encoded",
    "https://app.example/cb\n": "percent-encoded",
    "https://app.example/\x00": "percent-encoded",
    "https://bücher.example/cb": "percent-encoded",
    "https://app.example/%zz": "percent-encoding",
    "https://app.example/%2": "percent-encoding",
    'https://app.example/"': "percent-encoded",
    "https://app.example/<x>": "percent-encoded",
}


@pytest.mark.parametrize("uri", GOOD)
def test_an_address_that_everybody_reads_alike_is_accepted(uri):
    """HTTPS, a host, a path and a query."""
    assert redirect.problem(uri) is None


@pytest.mark.parametrize(("uri", "said"), BAD.items())
def test_an_address_that_is_read_in_two_ways_is_refused(uri, said):
    """The message says what is wrong."""
    assert said in redirect.problem(uri)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
@pytest.mark.parametrize("port", ["", ":3000"])
def test_this_machine_may_do_without_https_where_the_operator_allows_it(host, port):
    """On any port."""
    assert redirect.problem(f"http://{host}{port}/cb", allow_insecure=True) is None


@pytest.mark.parametrize("host", ["app.example", "localhost.evil.example", "127.0.0.2", "0.0.0.0"])
def test_other_machines_may_not(host):
    """Whatever the operator allows."""
    assert "https://" in redirect.problem(f"http://{host}/cb", allow_insecure=True)


@pytest.mark.parametrize(
    ("uri", "origin", "host"),
    [
        ("https://app.example/cb", "https://app.example", "app.example"),
        ("https://app.example:443/cb", "https://app.example", "app.example:443"),
        ("https://APP.example:8443", "https://app.example:8443", "APP.example:8443"),
        ("https://[::1]:80/", "https://[::1]:80", "[::1]:80"),
        ("http://localhost:80/", "http://localhost", "localhost:80"),
    ],
)
def test_the_origin_is_written_as_browsers_write_it(uri, origin, host):
    """Without the scheme's usual port; people are shown the host as it was registered."""
    assert (origin, host) == (redirect.origin(uri), redirect.host(uri))


@pytest.mark.parametrize(
    ("uri", "location"),
    [
        ("https://a.example/cb", "https://a.example/cb?code=x&state=%2B%20%26%C3%BC"),
        ("https://a.example/cb?", "https://a.example/cb?code=x&state=%2B%20%26%C3%BC"),
        ("https://a.example/cb?q=1", "https://a.example/cb?q=1&code=x&state=%2B%20%26%C3%BC"),
        ("https://a.example/cb?q&", "https://a.example/cb?q&code=x&state=%2B%20%26%C3%BC"),
    ],
)
def test_parameters_are_added_and_none_is_lost(uri, location):
    """The registered query stays byte for byte."""
    assert location == redirect.location(uri, [("code", "x"), ("state", "+ &ü".encode())])


def test_no_parameter_can_end_the_header():
    """Control characters are escaped."""
    made = redirect.location("https://a.example/", [("state", b"\r\nSet-Cookie: a=b\x00\xff")])
    assert "https://a.example/?state=%0D%0ASet-Cookie%3A%20a%3Db%00%FF" == made


def test_a_description_holds_what_it_may():
    """No quotes, no backslashes, nothing beyond ASCII (RFC 6749 section 4.1.2.1)."""
    assert "ab c!" == redirect.description('a"b\\ cü\r\n!')
