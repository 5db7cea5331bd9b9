"""What a head must be beyond the parser; the same over sockets is in ``test_connection.py``."""

import pytest

from trivium.edge import head
from trivium.faults import Fault, Kind

HOST = (b"host", b"x")


def check(*headers, version="1.1"):
    return head.check(version, list(headers), dict(headers))


@pytest.mark.parametrize(
    "host",
    [
        b"x", b"gateway.example", b"gateway.example:8080", b"127.0.0.1:80", b"[::1]", b"[::1]:8080",
        b"a_b.example", b"xn--bcher-kva.example", b"x:", b"a%20b",
    ],
)  # fmt: skip
def test_a_host_is_a_name_or_an_address(host):
    """RFC 3986's reg-name, an IPv4 or a bracketed IPv6 address, a port."""
    assert not check((b"host", host))


@pytest.mark.parametrize(
    "host",
    [
        b"", b" ", b"x y", b"x:4000/#@evil", b"user@x", b"x/y", b"x?y", b"x#y", b"x:port",
        b"x:123456", b"x:80:80", b"::1", b"[::1", b"[x]", b"x\\y", b"http://x", b"x\xff", b"[::1]x",
    ],
)  # fmt: skip
def test_anything_else_is_refused(host):
    """What an intermediary could take for another host, a path or a user."""
    with pytest.raises(Fault, match="not a host name") as caught:
        check((b"host", host))
    assert Kind.MALFORMED_HTTP is caught.value.kind


@pytest.mark.parametrize("name", [b"host", b"content-length", b"transfer-encoding"])
def test_framing_headers_occur_once(name):
    """Even with equal values; other headers may repeat."""
    with pytest.raises(Fault, match=f"`{name.decode()}` header occurs more than once"):
        check(HOST, (name, b"1"), (name, b"1"))
    assert not check(HOST, (b"accept", b"a"), (b"accept", b"b"))


@pytest.mark.parametrize("version", ["0.9", "1.2", "2.0", "3.0", ""])
def test_other_versions_are_refused(version):
    """A request line without a version reads as 0.9."""
    with pytest.raises(Fault, match="Only HTTP"):
        check(HOST, version=version)


def test_http_1_0_needs_no_host_and_has_no_transfer_coding():
    """RFC 9112, 6.1: a 1.0 message with a coding has faulty framing."""
    assert check(version="1.0")
    with pytest.raises(Fault, match="`Host` header"):
        check()
    with pytest.raises(Fault, match="Transfer-Encoding"):
        check((b"transfer-encoding", b"chunked"), version="1.0")


@pytest.mark.parametrize("coding", [b"chunked", b"Chunked", b"CHUNKED"])
def test_chunked_is_the_only_transfer_coding(coding):
    """In any case."""
    assert not check(HOST, (b"transfer-encoding", coding))


@pytest.mark.parametrize(
    "coding", [b"gzip", b"gzip, chunked", b"chunked, chunked", b"identity", b"", b"x chunked"]
)
def test_other_transfer_codings_are_refused(coding):
    """Two servers in a row could disagree on where the body ends."""
    with pytest.raises(Fault, match="Transfer-Encoding: chunked"):
        check(HOST, (b"transfer-encoding", coding))


@pytest.mark.parametrize("coding", [b"gzip", b"br", b"zstd", b"deflate", b"gzip, identity"])
def test_a_compressed_body_is_a_415(coding):
    """It would have to be expanded before a limit could be held against it."""
    with pytest.raises(Fault, match="Compressed request bodies") as caught:
        check(HOST, (b"content-encoding", coding))
    assert (Kind.MEDIA_TYPE, 415) == (caught.value.kind, caught.value.status)
    assert not check(HOST, (b"content-encoding", b"Identity"))


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (b"*", b"/*"),
        (b"http://h/v1/models?x=1", b"/v1/models?x=1"),
        (b"HTTPS://h:443/a", b"/a"),
        (b"http://h", b"/"),
        (b"http://h?x", b"/?x"),
    ],
)
def test_other_forms_of_a_target_become_a_path(target, path):
    """As a proxy would be asked; the host in it decides nothing."""
    assert path == head.origin_form(target)


@pytest.mark.parametrize("target", [b"x:80", b"ftp://h/a", b"a/b", b"", b"http:/h/a"])
def test_a_target_that_is_no_path_is_refused(target):
    """CONNECT's authority form too: this is no tunnel."""
    with pytest.raises(Fault, match="not a path"):
        head.origin_form(target)


def test_an_offer_is_told_from_a_websocket():
    """Only the latter ends the connection's HTTP."""
    assert head.is_websocket([(b"upgrade", b"WebSocket")])
    assert not head.is_websocket([(b"upgrade", b"h2c"), (b"x", b"websocket")])


def test_a_head_is_written_again_without_the_offer():
    """Everything else keeps its order and value."""
    lines = [
        HOST, (b"connection", b"Upgrade, HTTP2-Settings"), (b"upgrade", b"h2c"),
        (b"http2-settings", b"AAMAAABk"), (b"content-length", b"3"),
    ]  # fmt: skip
    assert b"POST /a?b HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n" == head.without_upgrade(
        b"POST", b"/a?b", "1.1", lines
    )


@pytest.mark.parametrize(
    ("expect", "expected"),
    [(None, False), (b"100-continue", True), (b"100-Continue", True), (b"gold", None)],
)
def test_who_waits_for_a_word_is_told_from_who_does_not(expect, expected):
    """Any other expectation cannot be met."""
    headers = {} if expect is None else {b"expect": expect}
    if expected is not None:
        assert expected is head.waits(headers, http10=False)
        assert head.waits(headers, http10=True) is False
        return
    with pytest.raises(Fault) as caught:
        head.waits(headers, http10=False)
    assert Kind.MALFORMED_HTTP is caught.value.kind


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, False),
        ({b"content-length": b"65536"}, False),
        ({b"content-length": b"65537"}, True),
        ({b"transfer-encoding": b"chunked"}, True),
        ({b"content-length": b"1", b"expect": b"100-continue"}, True),
    ],
)
def test_the_body_of_a_refused_request_is_worth_its_connection_or_not(headers, expected):
    """A small one that is on its way is taken in."""
    assert expected is head.is_large(headers)
