"""Callers in memory: at most so many, by every secret that is good and by none that is not."""

import msgspec
import pytest

from trivium.identity.caller_cache import CallerCache
from trivium.identity.model import Caller


def caller(key_id, **members):
    return Caller(
        **{"key_id": key_id, "user_id": 1, "payer_id": 1, "unlimited": False, "disabled": False}
        | {"expires_at": 9.0, "models": frozenset(), "prefixes": ()}
        | members
    )


def digest(n, former=0):
    return b"%030d%02d" % (n, former)


def test_who_came_first_goes_first():
    """A sixteenth at a time; one that is put again keeps its place."""
    cache = CallerCache(32)
    for n in range(32):
        cache.put(digest(n), caller(n))
        cache.put_former(digest(n, 1), caller(n))
    cache.trim()
    assert 64 == len(cache)
    cache.put(digest(0), caller(0))
    cache.put(digest(32), caller(32))
    get = cache.get
    cache.trim()
    assert [False] * 3 + [True] * 30 == [n in cache for n in range(33)]
    assert [False] * 3 + [True] * 30 == [get(digest(n)) is not None for n in range(33)]
    assert (None, 3) == (get(digest(2, 1)), get(digest(3, 1)).key_id)
    assert 59 == len(cache) == len(list(cache.callers()))


@pytest.mark.parametrize("rotations", [1, 2, 3])
def test_a_rotated_key_has_two_secrets(rotations):
    """However often it was rotated in between; without an overlap it has one."""
    cache = CallerCache(32)
    cache.put(digest(1), caller(1))
    for turn in range(1, rotations + 1):
        cache.put(digest(1, turn), caller(1))
        cache.put_former(digest(1, turn - 1), caller(1, expires_at=1.0))
    assert 2 == len(cache)
    assert (9.0, 1.0) == tuple(
        cache.get(digest(1, turn)).expires_at for turn in (rotations, rotations - 1)
    )
    cache.put(digest(1, 9), caller(1))
    assert [digest(1, 9)] == [each for each in map(digest, [1] * 10, range(10)) if cache.get(each)]


def test_a_secret_that_is_taken_back_is_the_current_one():
    """A database that was restored may say so: nothing of it is dropped with the former one."""
    cache = CallerCache(32)
    cache.put(digest(1, 1), caller(1))
    cache.put_former(digest(1), caller(1))
    cache.put(digest(1), caller(1))
    assert (1, 1) == (len(cache), cache.get(digest(1)).key_id)


def test_all_but_some_are_forgotten():
    """By their present digests, former ones too; whoever holds ``get`` sees it."""
    cache = CallerCache(32)
    get = cache.get
    for n in range(4):
        cache.put(digest(n), caller(n))
        cache.put_former(digest(n, 1), caller(n))
    kept = {digest(1), digest(1, 1), digest(2)}
    cache.keep(kept)
    assert kept == {each for n in range(4) for each in (digest(n), digest(n, 1)) if get(each)}
    assert [False, True, True, False] == [n in cache for n in range(4)]
    cache.put(digest(2), msgspec.structs.replace(caller(2), disabled=True))
    assert get(digest(2)).disabled
