"""Tables of good and bad values for every check."""

import math

import pytest

from trivium.settings import syntax


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("127.0.0.1:8080", ("127.0.0.1", 8080)),
        ("[::1]:80", ("::1", 80)),
        ("localhost:0", ("localhost", 0)),
        ("gateway.example:65535", ("gateway.example", 65535)),
    ],
)
def test_host_and_port_are_taken_apart(text, parsed):
    """Brackets belong to the notation, not to the host."""
    assert parsed == syntax.host_port(text)
    assert syntax.listen_address(text) is None


@pytest.mark.parametrize(
    "text",
    ["8080", ":8080", "127.0.0.1", "127.0.0.1:", "a:65536", "a:-1", "::1:80", "a b:1", "a:1x", ""],
)
def test_other_addresses_are_refused(text):
    """The message shows what was written."""
    assert "must be HOST:PORT" in syntax.listen_address(text)
    with pytest.raises(ValueError, match=r"port|HOST"):
        syntax.host_port(text)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (
            syntax.web_url,
            ["https://a.example", "http://127.0.0.1:1/v1", "http://[::1]:1"],
            ["a.example", "ftp://a", "https://", "https://u:p@a", "https://a?b", "https://a b",
             "https://a:x", "https://a#b", "https://[::1"],
        ),
        (
            syntax.outside_url,
            ["https://a.example", "https://a.example:8443/", "http://localhost:8080",
             "http://trivium.localhost", "http://127.0.0.1:1", "http://127.1.2.3", "http://[::1]:1"],
            ["http://a.example", "HTTP://a.example", "http://192.168.1.5:8080", "http://0.0.0.0:8080", "http://[::]:1",
             "http://localhost.example", "http://127.0.0.1.example", "ftp://localhost", "https://"],
        ),
        (
            syntax.browser_origin,
            ["*", "https://a.example", "http://localhost:3000"],
            ["a.example", "https://a.example/", "https://a.example/path", "null", ""],
        ),
        (
            syntax.proxy_url,
            ["http://a:1", "socks5://u:p@a:1", "http://a/"],
            ["a:1", "https://a", "socks4://a", "http://a/path"],
        ),
        (
            syntax.storage_url,
            ["sqlite:///t.db", "sqlite:////var/t.db", "postgresql://u:p@h/db",
             "postgresql:///db?host=/run/postgresql", "postgresql://u@/db?port=1&host=/tmp",
             "postgresql://h/db?sslmode=verify-full", "postgresql://h/db?pgbouncer=1"],
            ["sqlite://", "sqlite:///", "postgres://h/db", "mysql://h/db", "t.db", "postgresql://",
             "postgresql:///db", "postgresql:///db?host=h", "postgresql://?host=/tmp",
             "postgresql://h", "postgresql://u:p@h/", "postgresql://h/db?application_name=x",
             "postgresql://h/db?sslmode=on"],
        ),
        (
            syntax.shared_url,
            ["", "redis://h:6379/0", "rediss://:p@h", "valkey://h", "valkeys://h/", "redis://h/15"],
            ["h:6379", "http://h", "redis://", "redis://h/abc", "redis://h/-1", "redis://h/0/1",
             "redis://h?db=1", "redis://h/0?ssl_cert_reqs=none", "redis://h/0#a"],
        ),
        (
            syntax.assets_url,
            ["", "file:///srv/assets", "file:///srv/a%20b/", "s3://bucket", "s3://bucket/a/b"],
            ["assets", "file://srv", "file:///", "file:srv", "s3://", "gs://b", "s3://b/../c",
             "s3://k:s@b", "s3://b:1", "s3://b?x", "file:///a#b", "file:///a/.."],
        ),
        (syntax.between(1), [1, 10.5], [0, -1, math.inf, math.nan]),
        (syntax.between(0, 5), [0, 5], [-1, 6, 10**400]),
        (syntax.above_zero, [0.1, 1], [0, -1, math.inf, math.nan, 10**400]),
        (syntax.one_of("a", "b"), ["a", "b"], ["", "A", "c"]),
        (syntax.filled, ["a"], ["", " "]),
        (syntax.url_path, ["/", "/a?b=c"], ["", "a", "/a b", "/a#b", "http://x/"]),
        (syntax.channel_name, ["a", "openai-main", "a/b:c@d.e_f"],
         ["", "-a", "a b", "ä", "a\n", "a" * 65]),
        (syntax.model_name, ["gpt-5", "meta/llama:free", "größe"],
         ["", "a b", "a*", "a\n", "a" * 201]),
        (syntax.header_name, ["x-team", "Authorization"],
         ["", "a b", "a:", "ä", "Host", "content-length", "Transfer-Encoding", "Content-Type",
          "accept-encoding"]),
        (syntax.header_value, ["a", "a b", "Bearer x"], ["", "a\r\nb: c", "ä", " a", "a "]),
        (syntax.price_kind, ["input", "per_second"], ["inputs", "Input", ""]),
        (syntax.price, ["0", "1.25"], ["-1", "1,5", "free"]),
        (syntax.since, ["2027-01-01"], ["2027-13-01", "soon"]),
        (syntax.factor, ["0.8", "4/5", "2"], ["0", "0/5", "1/0", "-1", "half"]),
        (syntax.group_name, ["students", "a-1"], ["", " a", "a b"]),
    ],
)  # fmt: skip
def test_checks_tell_good_from_bad(check, good, bad):
    """``None`` for good values, a phrase that follows the setting's name for bad ones."""
    assert [None] * len(good) == [check(value) for value in good]
    assert [value for value in bad if check(value) is None] == []


@pytest.mark.parametrize(
    "check", [syntax.web_url, syntax.proxy_url, syntax.storage_url, syntax.shared_url,
              syntax.assets_url, syntax.header_value]
)  # fmt: skip
def test_values_that_may_hold_a_password_are_not_quoted_back(check):
    """A password in a wrong address does not reach a log."""
    assert "hunter2" not in check("ftp://u:hunter2@h/\x00")


def test_a_misspelt_kind_of_price_is_recognised():
    """Few people read a list of fourteen names."""
    assert "did you mean output?" in syntax.price_kind("outptu")


@pytest.mark.parametrize("value", ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1"])
def test_networks_pass(value):
    """Addresses and networks of both families."""
    assert syntax.network(value) is None


@pytest.mark.parametrize("value", ["", "10.0.0.1/8", "10.0.0.0/33", "example.com", "*"])
def test_what_is_no_network_is_named(value):
    """Host bits beside a mask are a slip, most likely."""
    assert "must be an address or a network" in syntax.network(value)
