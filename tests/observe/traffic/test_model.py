"""Quantiles out of histograms, and what counts as a failure."""

import random

import pytest

from trivium.observe import store
from trivium.observe.record import Record
from trivium.observe.traffic.model import (
    BOUNDS_US,
    BUCKETS,
    TrafficBatch,
    TrafficSums,
    quantile_ms,
)
from trivium.storage.schema.traffic import BUCKETS as COLUMNS


def batch(*records):
    """The sums of some records."""
    found = TrafficBatch(lambda _: True)
    found.add([store.row_of(each) for each in records], plain=store.PLAIN)
    return found


def test_the_table_has_a_column_for_each_bucket():
    """Both say how many there are."""
    assert COLUMNS == BUCKETS == len(BOUNDS_US) + 1


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_a_quantile_is_near_the_true_one(share):
    """Within a fifth, whatever the times are like."""
    chance = random.Random(2)
    for middle in (4, 6, 8):
        times = sorted(chance.lognormvariate(middle, 0.8) for _ in range(2_000))
        times = [min(max(each, 21.0), 150_000.0) for each in times]
        [sums] = batch(
            *(
                Record(f"r{n}", at=1.0, status=200, first_byte_ms=each, total_ms=each)
                for n, each in enumerate(times)
            )
        ).traffic.values()
        true = times[int(share * len(times))]
        assert abs(quantile_ms(sums[4 : 4 + BUCKETS], share) - true) < 0.2 * true


def test_a_quantile_of_nothing_is_none_and_one_beyond_all_bounds_is_the_last():
    """No number is made up."""
    none, slow = [0] * BUCKETS, [0] * (BUCKETS - 1) + [3]
    assert quantile_ms(none, 0.5) is None
    assert quantile_ms((), 0.5) is None
    assert BOUNDS_US[-1] / 1000 == quantile_ms(slow, 0.5)


def test_what_broke_off_failed_and_who_left_did_not():
    """A stream that broke had the status 200; an error without a fault failed as well."""
    at = {"at": 1.0, "key_id": 1, "user_id": 2}
    made = batch(
        Record("a", status=200, **at),
        Record("b", status=200, fault="upstream_broke", **at),
        Record("c", status=499, fault="caller_left", **at),
        Record("d", status=200, fault="caller_left", **at),
        Record("e", status=404, **at),
    )
    assert {(0, 1, 2): [5, 2]} == made.keys


def test_sums_of_nothing():
    """No rate is a division by zero."""
    none = TrafficSums()
    assert (0.0, None, None, None) == (
        none.error_rate,
        none.first_p50_ms,
        none.first_p95_ms,
        none.total_p95_ms,
    )
    assert 0.25 == TrafficSums(8, 2).error_rate
