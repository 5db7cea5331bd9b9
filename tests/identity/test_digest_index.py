"""Which keys there are: the same answers as a set's, in eight bytes a key."""

import random
import tracemalloc

import pytest

from trivium.identity.digest_index import PREFIX_BYTES, DigestIndex, numbers


def ordered(digests):
    """As the database gives them, though in no order."""
    return numbers(b"".join(digest[:PREFIX_BYTES] for digest in digests))


@pytest.mark.parametrize("seed", range(5))
def test_it_answers_as_a_set_does(seed):
    """Whatever is put in, one by one and many at once, in whichever order, and taken out."""
    chance = random.Random(seed)
    some = [chance.randbytes(32) for _ in range(3_000)]
    # those that share a bucket, and the ends of the first and the last
    some += [bytes([7, 7]) + chance.randbytes(30) for _ in range(300)]
    some += [bytes(32), b"\xff" * 32, bytes(8) + b"\xff" * 24]
    index, known = DigestIndex(), set()
    for _ in range(60):
        page = chance.sample(some, chance.choice((0, 1, 2, 200)))
        act = chance.choice(("add", "extend", "discard"))
        if act == "extend":
            index.extend(ordered(page))
        else:
            for digest in page:
                getattr(index, act)(digest)
        begins = {digest[:PREFIX_BYTES] for digest in page}
        known = known - begins if act == "discard" else known | begins
        assert len(known) == len(index)
    assert [digest[:PREFIX_BYTES] in known for digest in some] == [each in index for each in some]


def test_numbers_are_in_order():
    """By the value of the bytes, which is the order that databases have."""
    assert [1, 256, 2**63] == numbers(b"\x80" + bytes(7) + bytes(6) + b"\1\0" + bytes(7) + b"\1")
    assert [] == numbers(b"")


def test_a_key_takes_ten_bytes_at_most():
    """And an index of none little."""
    chance = random.Random(1)
    tracemalloc.start()
    try:
        index = DigestIndex()
        empty, _ = tracemalloc.get_traced_memory()
        for _ in range(20):
            index.extend(sorted(chance.getrandbits(64) for _ in range(5_000)))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (100_000, True) == (len(index), empty < 150_000)
    assert (taken - empty) / len(index) < 10
