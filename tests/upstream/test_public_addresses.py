"""Which addresses of strangers may be connected to."""

from ipaddress import ip_network

import pytest

from trivium.faults import Fault, Kind
from trivium.upstream.public_addresses import NotPublicError, guarded, is_public, place

HIDDEN = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
    "172.16.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1", "64:ff9b:1::1", "192.168.1.1", "198.18.0.1", "203.0.113.5", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
    "64:ff9b::a00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::1", "fc00::1", "fd12::1",
    "fe80::1", "fe80::1%eth0", "ff02::1", "2001:db8::1", "2001:0:a00:1::",
    "not an address", "",
]  # fmt: skip


@pytest.mark.parametrize("address", HIDDEN)
def test_what_is_not_the_public_internet_is_not_connected_to(address):
    """Neither directly nor wrapped into an IPv6 address."""
    assert is_public(address) is False


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::808:808"])
def test_the_public_internet_is(address):
    """Also through the address translation of an IPv6-only network."""
    assert is_public(address) is True


@pytest.mark.parametrize("address", ["10.20.3.4", "::ffff:10.20.3.4"])
def test_a_range_that_the_operator_allows_is(address):
    """However the address is written, and no other range with it."""
    allowed = (ip_network("10.20.0.0/16"),)
    assert is_public(address, allowed)
    assert not is_public("10.21.0.1", allowed)


async def looked(*addresses):
    async def lookup(host, port):
        del host
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    return await guarded(lookup)("name.example", 80)


@pytest.mark.asyncio
async def test_of_a_name_only_public_addresses_are_left():
    """A name may have both; what is connected to is what was looked at."""
    assert [("8.8.8.8", 80)] == [one[4] for one in await looked("10.0.0.1", "8.8.8.8", "::1")]


@pytest.mark.asyncio
async def test_a_name_without_any_is_refused():
    """As an error of the look-up, so nothing is connected to."""
    with pytest.raises(NotPublicError):
        await looked("127.0.0.1", "::1")


@pytest.mark.parametrize(
    ("url", "authority", "target"),
    [
        ("https://a.example/p/q.png?x=1&y=%20#part", "a.example", "/p/q.png?x=1&y=%20"),
        ("http://a.example", "a.example", "/"),
        ("https://a.example:8443/x", "a.example:8443", "/x"),
        ("https://a.example:443/x", "a.example", "/x"),
        ("http://[2606:4700::1111]/x", "[2606:4700::1111]", "/x"),
        ("HTTPS://A.Example/x", "a.example", "/x"),
    ],
)
def test_a_url_says_where_to_go(url, authority, target):
    """A fragment never travels; the default port is not named."""
    found = place(url)
    assert (authority, target) == (found.authority, found.target)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("gopher://a.example/x", "only http and https"),
        ("ftp://a.example/x", "only http and https"),
        ("//a.example/x", "only http and https"),
        ("https://user:pass@a.example/x", "user name"),
        ("https:///x", "host"),
        ("https://a.example:99999/x", "no URL"),
        ("https://a.example/a b", "percent-encoded"),
        ("https://a.example/x\r\nhost: b", "host|percent-encoded|no URL"),
        ("https://a.exa\u0131mple/x", "host"),
        ("https://a.example/" + "x" * 9000, "characters"),
    ],
)
def test_what_is_not_fetched_is_refused_before_any_look_up(url, why):
    """And the caller is told why."""
    with pytest.raises(Fault, match=why) as refused:
        place(url)
    assert Kind.INVALID_VALUE is refused.value.kind


def test_a_redirect_is_read_against_its_page():
    """A path alone stays on the host, and https never becomes http."""
    first = place("https://a.example/x/y")
    assert ("a.example", "/z") == (
        place("/z", before=first).authority,
        place("/z", before=first).target,
    )
    assert "b.example" == place("https://b.example/q", before=first).authority
    with pytest.raises(Fault, match="https to http"):
        place("http://a.example/x", before=first)
