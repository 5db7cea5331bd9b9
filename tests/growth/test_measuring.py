"""A quadratic pass is told from a linear one, however busy the machine is."""

import subprocess
import sys

import pytest

from growth.measuring import FACTOR, growth, least, unswept

BUSY = """
import time
data = bytearray(range(256)) * 65536
ends = time.monotonic() + 60
while time.monotonic() < ends:
    data = bytearray(data)
"""
"""Keeps a core busy, and the caches that all of them share."""


@pytest.fixture(scope="module")
def _busy():
    """Three neighbours who take all they can get, a minute at the most."""
    made = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(3)]
    yield
    for one in made:
        one.kill()
        one.wait()


def _dicts(n):
    return lambda: [{"a": at, "b": str(at)} for at in range(n)]


def _texts(n):
    return lambda: b",".join([b"%d" % at for at in range(8 * n)]).split(b",")


def _tuples(n):
    def work():
        out = ()
        for at in range(n):
            out += (at,) * 8
        return out

    return work


def _looked_for(n):
    def work():
        seen = []
        for at in range(n):
            if at not in seen:
                seen.append(at)

    return work


@pytest.mark.usefixtures("_busy")
@pytest.mark.parametrize("make", [_dicts, _texts])
def test_what_is_linear_passes_beside_busy_neighbours(make):
    """Again and again: a run of all tests measures hundreds of rows."""
    with unswept():
        found = [growth(make, 400, 3) for _ in range(4)]
    assert FACTOR >= max(factor for _, _, factor in found)


@pytest.mark.usefixtures("_busy")
@pytest.mark.parametrize("make", [_tuples, _looked_for])
def test_what_is_quadratic_fails(make):
    """However it is made: by copying, by looking."""
    with unswept():
        _, _, factor = growth(make, 400, 3, longest_s=0.01)
    assert factor > FACTOR


@pytest.mark.usefixtures("_busy")
def test_the_least_of_several_is_found():
    """It ends as soon as one is below the limit, and does not find one where there is none."""
    calls = []
    assert least(lambda: calls.append(sum(range(1000))), 1.0) < 1.0
    assert 1 == len(calls)
    assert least(lambda: sum(range(400_000)), 0.001) > 0.001


def _outgrowing(n):
    """What takes many times as long for each item of a list that a cache does not hold."""
    return lambda: [sum(range(50 if n < 3_000 else 600)) for _ in range(n)]


@pytest.mark.usefixtures("_busy")
def test_what_outgrows_a_cache_passes():
    """It is slower from some size on, and no slower from then on."""
    with unswept():
        size, _, factor = growth(_outgrowing, 400, 3, longest_s=5.0)
    assert FACTOR >= factor
    assert size > 3_200


def _quadratic_from(size):
    def make(n):
        return lambda: (
            [sum(range(40)) for _ in range(n)]
            + [sum(range(n)) for _ in range(n // 16 if n > size else 0)]
        )

    return make


@pytest.mark.usefixtures("_busy")
def test_what_is_quadratic_beside_much_that_is_linear_fails():
    """However large it has to be for the square to show."""
    with unswept():
        _, _, factor = growth(_quadratic_from(1_000), 400, 3, longest_s=0.01)
    assert factor > FACTOR
