"""Content codings undone in any cut, and bombs that stay small."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections import Counter
from random import Random

import msgspec
import pytest
from tests.scripted_upstream import (
    Close,
    Double,
    Recorder,
    Send,
    Stall,
    chunked,
    sized,
    until_close,
)
from tests.upstream.conftest import ask

from content_codings import PACK, brotli, zstd
from trivium.upstream.content_coding import SLICE_BYTES, CodingError, Inflater, Slices


@pytest.mark.parametrize("sizes", [[1], [SLICE_BYTES], [SLICE_BYTES + 1], [9 * SLICE_BYTES, 5]])
def test_slices_joined_are_what_was_fed(sizes):
    """None longer than a slice, and nothing waits in the end."""
    slices = Slices()
    reads = [bytes([at % 256]) * size for at, size in enumerate(sizes)]
    taken = []
    for data in reads:
        slices.feed(data)
        taken.append(slices.step())
    while slices.waiting:
        taken.append(slices.step())
    slices.finish()
    assert b"".join(reads) == b"".join(taken)
    assert max(map(len, taken)) <= SLICE_BYTES


def test_nothing_waits_before_anything_came():
    """So that nobody asks for a step."""
    assert not Slices().waiting


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def paced(double, **asked):
    """A request whose answer is taken apart as it comes."""
    return msgspec.structs.replace(ask(double, **asked), paced=True)


FRAMES = b"".join(b"data: %06d\n\n" % at for at in range(40_000))
PACED_ENDS = {
    "sized": ([Send(sized(FRAMES))], "done"),
    "chunked": ([Send(chunked(FRAMES[:99], FRAMES[99:]))], "done"),
    "until close": ([Send(until_close(FRAMES)), Close()], "done"),
    "gzip": ([Send(sized(gzip.compress(FRAMES), headers=b"Content-Encoding: gzip\r\n"))], "done"),
    "cut": ([Send(sized(FRAMES + b"x")[:-1]), Close()], "broke"),
    "garbage": ([Send(CHUNKED + b"%x\r\n%b\r\nzz" % (len(FRAMES), FRAMES))], "broke"),
}


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", PACED_ENDS)
@pytest.mark.asyncio
async def test_a_large_read_is_handed_on_in_turns_of_the_loop(make_client, authority, name, secure):
    """Slice by slice, others in between; in order, and the end behind the last of them."""
    script, ending = PACED_ENDS[name]
    context = authority.server("localhost") if secure else None
    turns = [0]

    async def others():
        while True:
            turns[0] += 1
            await asyncio.sleep(0)

    taken = []
    sink = Recorder(on_data=lambda data: taken.append((turns[0], len(data))))
    client = make_client(ca_file=str(authority.ca_file))
    async with Double([script], tls=context) as double:
        aside = asyncio.create_task(others())
        named = {"scheme": "https", "host": "localhost"} if secure else {}
        await client.open(paced(double, **named), sink)
        await sink.end()
        aside.cancel()
    assert (FRAMES, ending) == (sink.body[: len(FRAMES)], sink.log[-1])
    assert len(sink.body) <= len(FRAMES) + 1
    assert max(size for _, size in taken) <= SLICE_BYTES
    # two where one read ends and the next begins
    assert max(Counter(turn for turn, _ in taken).values()) <= 2


@pytest.mark.asyncio
async def test_what_was_read_before_a_connection_was_lost_is_handed_on(client):
    """And then that it was lost."""
    calls = []
    sink = Recorder(on_data=lambda _: calls[0]._connection.connection_lost(None))
    async with Double([[Send(sized(FRAMES + b"x")[:-1]), Stall()]]) as double:
        calls.append(await client.open(paced(double), sink))
        await sink.end()
        assert "in the middle" in sink.fault.message
        assert len(sink.body) > SLICE_BYTES
        assert FRAMES.startswith(sink.body)


@pytest.mark.asyncio
async def test_a_paced_call_may_be_paused_and_left_between_two_slices(client, standing):
    """It goes on where it stood, and once left nothing more comes."""
    calls = []
    sink = Recorder(on_data=lambda _: calls[0].pause())
    async with Double([[Send(sized(FRAMES))]]) as double:
        calls.append(await client.open(paced(double), sink))
        while len(sink.parts) < 3:
            before = len(sink.parts)
            await asyncio.sleep(0.005)
            assert len(sink.parts) <= before + 1
            calls[0].resume()
            calls[0].pause()
            calls[0].resume()
        calls[0].abort()
        heard = len(sink.parts)
        await asyncio.sleep(0.01)
        assert heard == len(sink.parts)
        assert FRAMES.startswith(sink.body)
        assert 0 == standing(client).open


TEXT = b'{"text":"' + bytes(range(32, 127)) * 30 + b'"}'


def raw_deflate(data):
    """Deflate without the zlib wrapper, as some servers send it."""
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


CODED = {
    "gzip": (b"gzip", gzip.compress(TEXT, mtime=0)),
    "x-gzip": (b"x-gzip", gzip.compress(TEXT, mtime=0)),
    "two members": (b"gzip", gzip.compress(TEXT[:99], mtime=0) + gzip.compress(TEXT[99:], mtime=0)),
    "deflate": (b"deflate", zlib.compress(TEXT)),
    "bare deflate": (b"deflate", raw_deflate(TEXT)),
    "brotli": (b"br", brotli.compress(TEXT)),
    "zstd": (b"zstd", zstd.compress(TEXT)),
    "two frames": (b"zstd", zstd.compress(TEXT[:99]) + zstd.compress(TEXT[99:])),
}


def far(data):
    """A frame that refers to what lies 128 MiB back."""
    return zstd.compress(data, options={zstd.CompressionParameter.window_log: 27})


def stretches():
    """Half a mebibyte of what packs well and what does not, in turns."""
    draw = Random(7)
    return b"".join(draw.randbytes(20_000) + b"a" * 60_000 for _ in range(7))


def slices(inflater):
    """What is left, slice by slice."""
    while inflater.waiting:
        yield inflater.step()


def expand(coding, *reads):
    """Everything the reads expand to."""
    inflater = Inflater(coding)
    out = []
    for data in reads:
        inflater.feed(data)
        out.extend(slices(inflater))
    inflater.finish()
    return b"".join(out)


@pytest.mark.parametrize("name", CODED)
def test_a_body_is_the_same_however_it_is_cut(name):
    """Whole, byte by byte, and in two reads at every offset."""
    coding, data = CODED[name]
    assert TEXT == expand(coding, data)
    assert TEXT == expand(coding, *(data[at : at + 1] for at in range(len(data))))
    for at in range(1, len(data)):
        assert TEXT == expand(coding, data[:at], data[at:])


@pytest.mark.parametrize("size", [SLICE_BYTES - 1, SLICE_BYTES, SLICE_BYTES + 1, 5 * SLICE_BYTES])
@pytest.mark.parametrize("coding", PACK)
def test_a_body_around_the_size_of_a_slice_is_whole(size, coding):
    """What a decoder holds back behind a full slice is asked for."""
    assert b"a" * size == expand(coding, PACK[coding](b"a" * size))


@pytest.mark.parametrize("read", [700, 5_000, 1 << 20])
@pytest.mark.parametrize("coding", [*PACK, b"two"])
def test_what_packs_badly_and_well_is_whole(coding, read):
    """With the decoder full and empty in turns, and a second member that begins anywhere."""
    text = stretches()
    if coding == b"two":
        coding, packed = b"zstd", zstd.compress(text) * 2
        text *= 2
    else:
        packed = PACK[coding](text)
    assert text == expand(coding, *(packed[at : at + read] for at in range(0, len(packed), read)))


@pytest.mark.parametrize("coding", PACK)
def test_of_a_bomb_little_is_held_at_any_time(coding):
    """A few slices of 64 MiB; the decoders' own windows, bounded by format or limit, apart."""
    inflater = Inflater(coding)
    bomb = PACK[coding](b" " * (64 << 20))
    tracemalloc.start()
    try:
        inflater.feed(bomb)
        assert 64 << 20 == sum(map(len, slices(inflater)))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("coding", PACK)
def test_a_bomb_comes_in_slices(coding):
    """64 MiB out of 64 KiB or less, never more than a slice at a time, and it may be left."""
    bomb = PACK[coding](b"\0" * (64 << 20))
    inflater = Inflater(coding)
    inflater.feed(bomb)
    taken = 0
    for piece in slices(inflater):
        assert len(piece) <= SLICE_BYTES
        taken += len(piece)
        if taken >= 1 << 20:
            break
    assert inflater.waiting
    assert 64 << 20 == taken + sum(len(piece) for piece in slices(inflater))
    assert not inflater.waiting


@pytest.mark.parametrize("coding", PACK)
def test_a_bomb_is_known_when_it_has_expanded_to_8_mib(coding):
    """And what packs as well as answers do is not taken for one."""
    letters = b"".join(Random(at).randbytes(20) + b"a" * 1_000 for at in range(16_000))
    for body, limit in ((b" " * (64 << 20), 8 << 20), (letters, len(letters))):
        inflater = Inflater(coding)
        inflater.feed(PACK[coding](body))
        taken = 0
        for piece in slices(inflater):
            taken += len(piece)
            if taken > limit:
                break
            inflater.bound()
        if limit < len(body):
            with pytest.raises(CodingError, match="128 times"):
                inflater.bound()
        else:
            assert taken == limit


@pytest.mark.parametrize("coding", [b"gzip", b"zstd"])
def test_a_step_over_members_that_hold_nothing_ends(coding):
    """Twenty thousand of them are many short steps, not one long one."""
    inflater = Inflater(coding)
    inflater.feed(PACK[coding](b"") * 20_000)
    steps = list(slices(inflater))
    inflater.finish()
    assert {b""} == set(steps)
    assert len(steps) > 100


@pytest.mark.parametrize("name", CODED)
def test_a_body_cut_short_is_noticed(name):
    """Fewer bytes than the coding promises are no answer."""
    coding, data = CODED[name]
    with pytest.raises(CodingError, match="cut short"):
        expand(coding, data[:-1])


def test_nothing_expands_to_nothing():
    """Servers put the header on empty bodies too."""
    for coding in PACK:
        assert b"" == expand(coding, b"")


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        (b"gzip", b'{"plain":true}'),
        (b"gzip", gzip.compress(TEXT, mtime=0) + b"more"),
        (b"gzip", gzip.compress(TEXT, mtime=0)[:-8] + b"\0" * 8),
        (b"deflate", b"\x78\x9c" + b"\xff" * 9),
        (b"deflate", zlib.compress(TEXT) + b"x"),
        (b"br", b"\xff" * 99),
        (b"br", brotli.compress(TEXT) + b"x"),
        (b"zstd", b'{"plain":true}'),
        (b"zstd", zstd.compress(TEXT) + b"more"),
        (b"zstd", far(TEXT * 40_000)),
    ],
    ids=[
        *("not gzip", "more", "checksum", "damaged", "after its end"),
        *("not brotli", "after brotli's end", "not zstd", "after a frame", "too far back"),
    ],
)
def test_damage_is_noticed(coding, data):
    """Rather than handed on."""
    with pytest.raises(CodingError):
        expand(coding, data)


@pytest.mark.parametrize("coding", [b"compress", b"br, gzip", b"gzip, gzip", b"x\xff"])
def test_other_codings_are_refused_by_name(coding):
    """We asked for none."""
    with pytest.raises(CodingError, match="identity was asked for"):
        Inflater(coding)
