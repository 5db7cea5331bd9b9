"""The reader of one answer: fed whole, byte by byte and cut anywhere; what it refuses."""

import contextlib

import pytest
from httptools import HttpParserError, HttpResponseParser
from hypothesis import given
from hypothesis import strategies as st
from tests.scripted_upstream import chunked, sized, until_close

from trivium.upstream.answer import AnswerParser

HEAD_MAX = 4096


def read(*reads, head_only=False, end=False):
    """An answer fed these reads, and its body."""
    answer = AnswerParser(head_only, HEAD_MAX)
    body = b""
    for data in reads:
        answer.feed(data)
        body += b"".join(answer.pieces)
        answer.pieces.clear()
        if answer.refusal or answer.complete:
            break
    if end:
        answer.end()
    return answer, body


ANSWERS = {
    "sized": (sized(b"hello"), 200, b"hello", True),
    "empty": (sized(b""), 200, b"", True),
    "chunked": (chunked(b"he", b"l" * 300, b"lo"), 200, b"he" + b"l" * 300 + b"lo", True),
    "trailers": (chunked(b"hi", trailers=b"X-T: 1\r\nX-Empty:\r\n"), 200, b"hi", True),
    "chunk extension": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\n\r\n",
        200,
        b"hi",
        True,
    ),
    "no reason": (b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", 200, b"x", True),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
    "204 with length": (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, b"", True),
    "304": (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, b"", True),
    "100": (b"HTTP/1.1 100 Continue\r\n\r\n" + sized(b"x"), 200, b"x", True),
    "102 and 103": (
        b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + sized(b"x"),
        200,
        b"x",
        True,
    ),
    "close": (sized(b"x", headers=b"Connection: close\r\n"), 200, b"x", False),
    "HTTP/1.0": (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, b"x", False),
    "error": (sized(b"no", status=b"529 Overloaded"), 529, b"no", True),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_the_same_however_it_is_cut(name):
    """Whole, byte by byte, and in two reads at every offset."""
    raw, status, body, reusable = ANSWERS[name]
    cuts = [[raw], [raw[at : at + 1] for at in range(len(raw))]]
    cuts += [[raw[:at], raw[at:]] for at in range(1, len(raw))]
    for reads in cuts:
        answer, got = read(*reads)
        assert answer.refusal is None
        assert (status, body, True, reusable) == (
            answer.status,
            got,
            answer.complete,
            answer.reusable,
        )


def test_interim_headers_do_not_reach_the_final_answer():
    """Nor do trailers."""
    raw = b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + chunked(b"x", trailers=b"X-Late: 1\r\n")
    answer, _ = read(raw)
    assert [(b"transfer-encoding", b"chunked")] == list(answer.headers)


def test_repeated_headers_are_kept():
    """Cookies and warnings come more than once."""
    answer, _ = read(sized(b"", headers=b"Set-Cookie: a\r\nSet-Cookie: b\r\nX-Empty:\r\n"))
    assert [
        (b"set-cookie", b"a"),
        (b"set-cookie", b"b"),
        (b"x-empty", b""),
        (b"content-length", b"0"),
    ] == list(answer.headers)


class Heard:
    """What the parser itself makes of header lines."""

    def __init__(self):
        self.lines = []
        self.begun = False

    def on_header(self, name, value):
        if not self.begun:
            self.lines.append((name.lower(), value.strip(b" \t")))

    def on_headers_complete(self):
        self.begun = True


_PIECES = st.sampled_from(
    [b"\r\n", b"\r", b"\n", b" ", b"\t", b":", b"A", b"b-c", b"\xff", b"\x00", b"Content-Length: 0",
     b"Keep-Alive", b"timeout=5", b"X: y"]
)  # fmt: skip


@given(before=st.lists(_PIECES, max_size=3), pieces=st.lists(_PIECES, max_size=14))
def test_header_lines_are_what_the_parser_takes_them_for(before, pieces):
    """However they are spelled: what is read by us is what was checked, and nothing else passes."""
    raw = b"".join([*before, b"HTTP/1.1 200 OK\r\n", *pieces, b"\r\n\r\n"])
    heard = Heard()
    with contextlib.suppress(HttpParserError):
        HttpResponseParser(heard).feed_data(raw)
    answer, _ = read(raw)
    assert heard.begun == bool(answer.status)
    assert not heard.begun or heard.lines == list(answer.headers)


@pytest.mark.parametrize("more", [b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n"])
def test_the_answer_to_a_head_request_has_no_body(more):
    """Whatever length it announces."""
    answer, body = read(b"HTTP/1.1 200 OK\r\n" + more + b"\r\n", head_only=True)
    assert (True, b"", True) == (answer.complete, body, answer.reusable)


def test_a_body_after_a_head_request_is_surplus():
    """A vendor that sends one is not asked again on this connection."""
    answer, body = read(sized(b"hello"), head_only=True)
    assert (True, b"", False) == (answer.complete, body, answer.reusable)


def test_only_the_end_completes_an_answer_without_length():
    """And the connection has then ended."""
    answer, body = read(until_close(b"hello"))
    assert (b"hello", False, True) == (body, answer.complete, answer.until_close)
    assert answer.end()
    assert (True, False) == (answer.complete, answer.reusable)


@pytest.mark.parametrize(
    "raw",
    [
        sized(b"hello")[:-1],
        chunked(b"hello")[:-1],
        chunked(b"hello")[:-5],
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
        b"",
    ],
)
def test_the_end_does_not_complete_what_is_cut_short(raw):
    """A length or chunks say how much there should be."""
    answer, _ = read(raw) if raw else (AnswerParser(False, HEAD_MAX), b"")
    assert not answer.end()
    assert not answer.complete


@pytest.mark.parametrize(
    "surplus", [b"H", b"garbage", b"HTTP/1.1 200 OK\r\n\r\n", sized(b"bad"), b"\x00"]
)
def test_bytes_after_the_end_are_dropped_and_noted(surplus):
    """The answer stands; the connection does not."""
    for raw in (sized(b"good"), chunked(b"good"), b"HTTP/1.1 204 No\r\n\r\n"):
        answer, body = read(raw + surplus)
        assert answer.complete
        assert body in (b"good", b"")
        assert answer.status in (200, 204)
        assert not answer.reusable


REFUSED = {
    "garbage": b"<html>no</html>\r\n\r\n",
    "other protocol": b"ICY 200 OK\r\n\r\n",
    "HTTP/2": b"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/0.9": b"HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "equal lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
    "length and chunks": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    ),
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "gzip transfer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "identity transfer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nx",
    "chunks in 1.0": b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bad chunk size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "bare LF": b"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
    "folded header": b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n",
    "NUL in header": b"HTTP/1.1 200 OK\r\nA: b\x00c\r\n\r\n",
    "space in name": b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
    "status 99": b"HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n",
    "status 2000": b"HTTP/1.1 2000 OK\r\n\r\n",
    "101": b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nx",
    "bare 101": b"HTTP/1.1 101 Switching\r\n\r\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_an_answer_is_refused(name):
    """Whole and byte by byte; the text names nobody."""
    raw = REFUSED[name]
    for reads in ([raw], [raw[at : at + 1] for at in range(len(raw))]):
        answer, _ = read(*reads)
        assert answer.refusal is not None
        assert not answer.end()
        assert answer.refusal.startswith("The upstream")


def test_an_upgrade_offer_is_no_upgrade():
    """A server may offer HTTP/2 in any answer; it changes nothing."""
    raw = sized(b"x", headers=b"Connection: upgrade\r\nUpgrade: h2c\r\n")
    answer, body = read(raw)
    assert (None, b"x", True) == (answer.refusal, body, answer.complete)


ENDLESS = {
    "header": (b"HTTP/1.1 200 OK\r\nA: ", b"a" * 512),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 100),
    "interim": (b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 20),
    "trailers": (chunked()[:-2], b"A: b\r\n" * 100),
    "chunk extension": (chunked()[:-5] + b"5;", b"a" * 512),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_refused(name):
    """Within the header limit, or a read beyond it."""
    start, more = ENDLESS[name]
    answer, _ = read(start or more, *[more] * 20)
    assert answer.refusal is not None
    assert f"{HEAD_MAX} bytes of headers" in answer.refusal


def test_a_large_head_in_one_read_is_refused():
    """The limit holds for what arrives at once as well."""
    assert read(sized(b"", headers=b"A: %s\r\n" % (b"a" * HEAD_MAX)))[0].refusal is not None


def test_a_large_body_behind_a_small_head_is_not():
    """Only the head counts."""
    answer, body = read(sized(b"a" * 10 * HEAD_MAX))
    assert (None, 10 * HEAD_MAX) == (answer.refusal, len(body))


@pytest.mark.parametrize(
    ("value", "coding"),
    [
        (b"gzip", b"gzip"),
        (b"GZIP", b"gzip"),
        (b"identity", b""),
        (b"", b""),
        (b"br", b"br"),
        (b"gzip, br", b"gzip, br"),
        (b"identity, gzip", b"gzip"),
    ],
)
def test_the_content_coding_is_read(value, coding):
    """Nothing is done about it here."""
    answer, _ = read(sized(b"x", headers=b"Content-Encoding: %s\r\n" % value))
    assert coding == answer.coding


def test_an_answer_without_body_has_no_coding():
    """A header that describes what is not there."""
    answer, _ = read(b"HTTP/1.1 304 No\r\nContent-Encoding: gzip\r\n\r\n")
    assert b"" == answer.coding


@pytest.mark.parametrize(
    ("value", "seconds"), [(b"timeout=5, max=100", 5), (b"Timeout=30", 30), (b"max=3", None)]
)
def test_the_vendors_keepalive_is_read(value, seconds):
    """In seconds."""
    answer, _ = read(sized(b"", headers=b"Keep-Alive: %s\r\n" % value))
    assert seconds == answer.keepalive_s
