"""A film within an answer is handed over in slices, at the pace of whoever takes it."""

import asyncio
import base64

import pytest

from trivium.faults import Fault, Kind
from trivium.jobs.inline_video import hand_over
from trivium.jobs.video_archive import Pipe
from trivium.providers.videos.protocol import InlineVideo


def _refused(status, headers, body):
    return Fault(Kind.UPSTREAM_BROKE, f"{status} {body[:20]!r}")


def film(data, mime="video/mp4", cut=1 << 20):
    text = base64.b64encode(data)
    return InlineVideo(mime=mime, pieces=[text[at : at + cut] for at in range(0, len(text), cut)])


async def taken(found, pipe, pause_s=0.0):
    """The file as a store reads it."""
    task = asyncio.ensure_future(hand_over(found, pipe))
    task.add_done_callback(pipe.over)
    kind, pieces = await pipe.begun(), []
    async for piece in pipe.pieces():
        pieces.append(piece)
        await asyncio.sleep(pause_s)
    await task
    return kind, b"".join(pieces), len(pieces)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1, 2, 3, 786_432, 5_000_001])
async def test_all_of_it_arrives(size):
    """Whatever its padding and however slow its taker; in more than one piece when it is large."""
    data = bytes(at % 251 for at in range(256)) * (size // 256 + 1)
    data = data[:size]
    kind, got, pieces = await taken(film(data), Pipe(10_000_000).again(_refused), 0.001)
    assert ("video/mp4", data, -(-size // 786_432)) == (kind, got, pieces)


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [1, 3, 5, 65_537, 3_000_000])
async def test_all_of_it_arrives_however_it_was_cut(cut):
    """Also with characters that JSON need not escape, as some vendors do."""
    data = bytes(range(256)) * (40 if cut < 6 else 9_000) + b"ab"
    text = base64.b64encode(data).replace(b"/", b"\\/").replace(b"=", b"\\u003d")
    found = film(b"")
    found.pieces[:] = [text[at : at + cut] for at in range(0, len(text), cut)]
    _, got, _ = await taken(found, Pipe(10_000_000).again(_refused))
    assert data == got


@pytest.mark.asyncio
@pytest.mark.parametrize("pieces", [
    [b"AAAA====AAAA"], [b"AA==", b"AAAA"], [b"A"], [b"AAAA", b"AAA"], [b"AAAA\\n"], [b"AAAA\\"], [b"\\u00e9AAA"], [b"\xe9AAA"],
])  # fmt: skip
async def test_what_is_no_base64_is_a_broken_answer(pieces):
    """Nobody is given the half of it for the whole."""
    pipe = Pipe(10_000_000).again(_refused)
    with pytest.raises(Fault) as caught:
        await taken(InlineVideo(mime="video/mp4", pieces=list(pieces)), pipe)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.asyncio
async def test_one_that_is_too_large_is_left():
    """The taker hangs up, and no more slices are decoded."""
    with pytest.raises(Fault) as caught:
        await taken(film(bytes(3_000_000)), Pipe(1_000_000).again(_refused))
    assert Kind.BODY_TOO_LARGE is caught.value.kind


@pytest.mark.asyncio
@pytest.mark.parametrize("said", ["", "text/html", "video/mp4\r\nset-cookie: a=b", "video/é"])
async def test_a_type_that_is_none_of_a_video_is_not_told(said):
    """It would become a line of a head."""
    kind, got, _ = await taken(film(b"abc", said), Pipe(100).again(_refused))
    assert ("video/mp4", b"abc") == (kind, got)
