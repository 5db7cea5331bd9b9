"""Where a caller is, and who may say so."""

from ipaddress import ip_address

import pytest

from trivium.admission.addresses import address, check, networks, origin, scheme
from trivium.faults import Fault, Kind

PROXIES = networks(["10.0.0.0/8", "2001:db8::/32"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("192.0.2.7", "192.0.2.7"),
        (" 192.0.2.7:4711 ", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("[::ffff:192.0.2.7]:80", "192.0.2.7"),
    ],
)
def test_an_address_is_read_however_it_is_written(text, found):
    """An IPv4 address in IPv6's clothes is the IPv4 address: a dual-stack socket shows those."""
    assert ip_address(found) == address(text)


@pytest.mark.parametrize(
    "text", ["", "unknown", "_hidden", "1.2.3", "010.0.0.1", "1.2.3.4.5", "x:1"]
)
def test_what_is_no_address_is_none(text):
    """Also octal numbers, which others read otherwise."""
    assert address(text) is None


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("192.0.2.7", [b"198.51.100.1"], "192.0.2.7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", [b"198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", [b"203.0.113.9, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", [b"198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", [b"203.0.113.9", b"198.51.100.1 , 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", [b"10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("::ffff:10.0.0.1", [b"198.51.100.1"], "198.51.100.1"),
        ("2001:db8::1", [b"[2001:db9::1]:99"], "2001:db9::1"),
        ("10.0.0.1", [b"198.51.100.1, unknown"], None),
        ("10.0.0.1", [b"198.51.100.1,"], None),
        ("", [b"198.51.100.1"], None),
    ],
)
def test_only_trusted_proxies_are_believed(peer, forwarded, found):
    """What the caller wrote itself stands before what the first trusted proxy added."""
    assert (None if found is None else ip_address(found)) == origin(peer, forwarded, PROXIES)


def test_without_trusted_proxies_nobody_is_believed():
    """The default."""
    assert ip_address("127.0.0.1") == origin("127.0.0.1", [b"198.51.100.1"], ())


@pytest.mark.parametrize(
    ("allowed", "peer", "is_let_in"),
    [
        ([], "203.0.113.9", True),
        ([], "", True),
        (["192.0.2.0/24"], "192.0.2.7", True),
        (["192.0.2.0/24"], "::ffff:192.0.2.7", True),
        (["192.0.2.0/24"], "203.0.113.9", False),
        (["192.0.2.0/24"], "2001:db9::1", False),
        (["192.0.2.0/24", "2001:db9::/32"], "2001:db9::1", True),
        (["192.0.2.0/24"], "", False),
    ],
)
def test_a_key_may_be_bound_to_networks(caller, allowed, peer, is_let_in):
    """A connection without an address (a socket file) is from nowhere."""
    who = caller(networks=networks(allowed))
    if is_let_in:
        check(who, peer, [], ())
        return
    with pytest.raises(Fault) as caught:
        check(who, peer, [], ())
    assert (Kind.NOT_PERMITTED, 403) == (caught.value.kind, caught.value.status)
    assert all(text not in caught.value.message for text in allowed)


@pytest.mark.parametrize(
    ("own", "peer", "forwarded", "found"),
    [
        ("http", "10.0.0.1", [b"https"], "https"),
        ("http", "10.0.0.1", [b"http, HTTPS"], "https"),
        ("http", "10.0.0.1", [b"https", b"http"], "http"),
        ("https", "10.0.0.1", [], "https"),
        ("http", "10.0.0.1", [b"gopher"], "http"),
        ("http", "203.0.113.9", [b"https"], "http"),
        ("https", "203.0.113.9", [b"http"], "https"),
        ("http", "", [b"https"], "http"),
    ],
)
def test_only_a_trusted_proxy_says_how_the_caller_speaks(own, peer, forwarded, found):
    """The nearest one's word; else it is as the port itself has it."""
    assert found == scheme(own, peer, forwarded, PROXIES)
