"""A head whose credential comes late: what is written of it, and where its secret comes from."""

import pytest

from trivium.faults import Kind
from trivium.providers.credential import BEARER, Finder, Renewed
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Channel, TimeLimits
from trivium.upstream.held_body import HeldBody
from trivium.upstream.late_head import LateHead, ready, started, unusable
from trivium.upstream.request import Draft, DraftHead, Origin, Request
from trivium.upstream.tokens import VendorTokens

LIMITS = TimeLimits(connect=5, first_byte=5, idle=5, total=30)
ORIGIN = Origin("https", "h.example", 443)
KIND = Renewed(finder=Finder(find=lambda parts, around: None), header=BEARER)


def a_head(provider=None, named=(), *lines):
    channel = Channel(
        name="c", provider=provider, base_url="https://h.example", credentials=(), headers={},
        limits=LIMITS,
    )  # fmt: skip
    return DraftHead(
        channel=channel, credential=0, method=b"POST", target=b"/a?b",
        lines=((b"host", b"h.example"), *lines), named=frozenset(named),
    )  # fmt: skip


def test_a_head_is_written_up_to_the_bodys_length():
    """The credential's headers take the place of others, but never of the operator's own."""
    head = a_head(None, {b"x-mine"}, (b"x-mine", b"1"), (b"x-old", b"2"), (b"x-else", b"3"))
    assert (
        b"POST /a?b HTTP/1.1\r\nhost: h.example\r\nx-mine: 1\r\nx-else: 3\r\nx-old: new\r\n"
        b"content-length: "
    ) == started(head, {"X-Mine": "9", "X-Old": "new"})


@pytest.mark.parametrize(
    "added", [{"a b": "c"}, {"a": "b\r\nc: d"}, {"Content-Length": "1"}, {"host": "other"}]
)
def test_what_is_no_header_or_frames_a_request_is_refused(added):
    """A provider's code may be anybody's."""
    with pytest.raises(ValueError, match=r"cannot be written|may not set"):
        started(a_head(), added)


class Writes:
    """Only says which refusals it minds."""

    def __init__(self, refusals):
        self.refusals = refusals


@pytest.mark.parametrize("body", [b"", b"{}", HeldBody(b"abc")])
def test_a_request_is_its_head_its_length_and_what_is_held_of_its_body(body):
    """Limits, origin and pace are those of the draft."""
    head = a_head()
    size = len(body) if isinstance(body, bytes) else body.size
    held = body if isinstance(body, bytes) else b""
    asked = Request(
        origin=ORIGIN, payload=b"", limits=LIMITS, paced=True, draft=Draft(head=head, body=body),
        body=None if isinstance(body, bytes) else body,
    )  # fmt: skip
    found = ready(asked, asked.draft, b"HEAD: ")
    assert b"HEAD: %d\r\n\r\n%b" % (size, held) == found.payload
    assert (ORIGIN, LIMITS, True, asked.body) == (
        found.origin, found.limits, found.paced, found.body,
    )  # fmt: skip
    assert (None, None) == (found.draft, found.presenter)


def test_only_who_minds_refusals_is_asked_again():
    """Where none is looked at, an answer goes straight to its sink."""
    draft = Draft(head=a_head(), body=b"")
    asked = Request(origin=ORIGIN, payload=b"", limits=LIMITS, draft=draft)
    minds = Writes(KIND.refusals)
    assert minds is ready(asked, draft, b"", minds).presenter
    assert ready(asked, draft, b"", Writes(None)).presenter is None


def test_the_fault_of_a_credential_tells_nothing_of_it():
    assert Kind.UPSTREAM_CREDENTIAL is unusable(a_head(), ValueError("secret")).kind
    assert "secret" not in unusable(a_head(), ValueError("secret")).message


@pytest.mark.asyncio
async def test_an_accounts_source_is_asked_for_once_and_again_when_it_was_let_go():
    """It is found by the whole account, which takes longer than to look whether it is there."""
    tokens = VendorTokens(None, None)
    late = LateHead(a_head(PROVIDERS["openai"]), tokens)
    first = late.source(KIND)
    assert first is late.source(KIND) is LateHead(a_head(PROVIDERS["openai"]), tokens).source(KIND)
    tokens.close()
    assert first is not late.source(KIND)
    tokens.close()
