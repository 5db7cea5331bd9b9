"""Content codings undone in any cut, and bombs that stay small."""

import gzip
import tracemalloc
import zlib
from random import Random

import pytest

from codings import PACK, brotli, zstd
from trivium.upstream.coding import CodingError, Inflater
from trivium.upstream.slices import SLICE_BYTES

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
    """A few slices of 256 MiB; the decoders' own windows, bounded by format or limit, apart."""
    inflater = Inflater(coding)
    bomb = PACK[coding](b" " * (256 << 20))
    tracemalloc.start()
    try:
        inflater.feed(bomb)
        assert 256 << 20 == sum(map(len, slices(inflater)))
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
