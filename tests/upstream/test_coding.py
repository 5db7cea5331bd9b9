"""Content codings undone in any cut, and bombs that stay small."""

import gzip
import zlib

import pytest

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
}


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
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_body_around_the_size_of_a_slice_is_whole(size, pack):
    """What zlib holds back behind a full slice is asked for."""
    coding = b"gzip" if pack is gzip.compress else b"deflate"
    assert b"a" * size == expand(coding, pack(b"a" * size))


def test_a_bomb_comes_in_slices():
    """64 MiB out of 64 KiB, never more than a slice at a time, and it may be left."""
    bomb = gzip.compress(b"\0" * (64 << 20))
    inflater = Inflater(b"gzip")
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


def test_a_step_over_members_that_hold_nothing_ends():
    """A hundred thousand of them are many short steps, not one long one."""
    inflater = Inflater(b"gzip")
    inflater.feed(gzip.compress(b"", mtime=0) * 100_000)
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
    assert b"" == expand(b"gzip", b"")


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        (b"gzip", b'{"plain":true}'),
        (b"gzip", gzip.compress(TEXT, mtime=0) + b"more"),
        (b"gzip", gzip.compress(TEXT, mtime=0)[:-8] + b"\0" * 8),
        (b"deflate", b"\x78\x9c" + b"\xff" * 9),
        (b"deflate", zlib.compress(TEXT) + b"x"),
    ],
    ids=["not gzip", "more", "checksum", "damaged", "after its end"],
)
def test_damage_is_noticed(coding, data):
    """Rather than handed on."""
    with pytest.raises(CodingError):
        expand(coding, data)


@pytest.mark.parametrize("coding", [b"br", b"zstd", b"gzip, gzip", b"x\xff"])
def test_other_codings_are_refused_by_name(coding):
    """We asked for none."""
    with pytest.raises(CodingError, match="identity was asked for"):
        Inflater(coding)
