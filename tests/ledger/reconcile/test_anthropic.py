"""Anthropic's counts are disjoint already, its reported costs are in cents."""

from fractions import Fraction

import msgspec
import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile.anthropic import Bucket, rows_of_bucket, rows_of_line


def rows(*results):
    data = {"starting_at": "2027-01-01T00:00:00Z", "ending_at": "2027-01-02T00:00:00Z"}
    bucket = msgspec.convert({**data, "results": results}, Bucket)
    return list(rows_of_bucket(bucket))


def test_both_lives_of_cache_writes_are_one_sum():
    """As the export of usage tells them."""
    written = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}
    (row,) = rows({"uncached_input_tokens": 1, "cache_creation": written, "output_tokens": 2})
    assert {"input": 1, "cache_read": 0, "cache_write": 7, "output": 2} == row.amounts


def test_an_amount_is_in_cents():
    """``123.45`` is a dollar and some, exactly."""
    (row,) = rows({"amount": "123.45", "currency": "USD", "model": None})
    assert ({"cost": Fraction("1.2345")}, "2027-01-01") == (row.amounts, str(row.span))


def test_a_result_of_neither_is_passed_over():
    """Such as a count of searches alone."""
    assert [] == rows({"model": "m"})


@pytest.mark.parametrize("wrong", [{"amount": "1", "currency": "EUR"}, {"amount": "x"}])
def test_what_cannot_be_compared_is_refused(wrong):
    """Another currency, or no number."""
    with pytest.raises(LedgerError, match=r"'EUR'|no number"):
        rows(wrong)


def test_a_line_of_costs_has_its_model_by_title():
    """In dollars."""
    line = {"usage_date_utc": "2027-01-01", "model": "Claude Opus 4.5", "cost_usd": "1.50"}
    (row,) = rows_of_line(line)
    assert ("Claude Opus 4.5", {"cost": Fraction("1.5")}) == (row.model, row.amounts)
