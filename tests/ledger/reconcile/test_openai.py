"""OpenAI's counts include caches, its costs name models in their items."""

from fractions import Fraction

import msgspec
import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.openai import Bucket, rows_of_bucket, rows_of_line

TIMES = {"start_time": "0", "end_time": "86400"}


def bucket(**result):
    data = {"start_time": 0, "end_time": 86_400, "results": [{"object": "x", **result}]}
    (row,) = rows_of_bucket(msgspec.convert(data, Bucket))
    return row


def test_caches_are_taken_out_of_the_input():
    """Read and written; the classes are disjoint."""
    row = bucket(
        input_tokens=100, input_cached_tokens=60, input_cache_write_tokens=10, output_tokens=5
    )
    assert {"input": 30, "cache_read": 60, "cache_write": 10, "output": 5} == row.amounts


def test_what_is_not_told_is_absent():
    """Neither requests nor cache writes are zero because nobody counted them."""
    row = bucket(input_tokens=1, output_tokens=2, model=None)
    assert ({"input": 1, "cache_read": 0, "output": 2}, "") == (row.amounts, row.model)


def test_a_cost_is_exact():
    """Though it is written as a number in JSON."""
    row = bucket(amount={"value": 0.1, "currency": "usd"}, line_item="gpt-5, cached input")
    assert ({"cost": Fraction(1, 10)}, "gpt-5") == (row.amounts, row.model)


def test_a_day_without_use_has_no_rows():
    """Its cells are empty."""
    usage = {**TIMES, "input_tokens": "", "output_tokens": ""}
    cost = {**TIMES, "amount_value": "", "amount_currency": ""}
    assert [[], []] == [list(rows_of_line(line)) for line in (usage, cost)]


@pytest.mark.parametrize(
    "line",
    [
        {**TIMES, "amount_value": "1", "amount_currency": "eur"},
        {**TIMES, "amount_value": "x", "amount_currency": "usd"},
        {**TIMES, "input_tokens": "x", "output_tokens": "1"},
        {**TIMES, "start_time": "x", "input_tokens": "1", "output_tokens": "1"},
    ],
)
def test_what_cannot_be_compared_is_refused(line):
    """Another currency, or no number."""
    with pytest.raises(LedgerError, match=r"'eur'|no number"):
        list(rows_of_line(line))
