"""Margins are told by the dearest channel, and by sums of what was billed."""

from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest

from catalogue.pricing.test_offers import CATALOGUE
from catalogue.pricing.world import NIGHT, offered
from trivium.catalogue.pricing.margins import (
    EarnedMargin,
    costs_of,
    earned,
    said_costs,
    set_margins,
    together,
)
from trivium.catalogue.pricing.offers import offers_of
from trivium.ledger.spending.model import SpendRow, SpendSums
from trivium.routing.model import PriceRow


def binding(channel, model, cost=None, priority=0):
    named = SimpleNamespace(name=channel, provider=SimpleNamespace(name="openai"))
    cost = None if cost is None else Decimal(cost)
    return SimpleNamespace(channel=named, model=model, priority=priority, cost=cost)


def model(*bindings, price=None):
    rows = () if price is None else (PriceRow(price={k: Decimal(v) for k, v in price.items()}),)
    return SimpleNamespace(name="m", bindings=bindings, prices=rows)


def costs(of, lists=None):
    return costs_of(of, list(offers_of(of, CATALOGUE, lists or {})), NIGHT)


def test_who_says_what_it_costs():
    """The binding itself, else the vendor's list, else the catalogue; else nobody."""
    of = model(
        binding("set", "gpt-x", "2.5"), binding("listed", "gpt-x"), binding("known", "gpt-y"),
        binding("own", "own"),
    )  # fmt: skip
    found = costs(of, {"listed": offered(gpt_x=("1", "9"))})
    assert [
        ("set", "set", "2.5", "2.5"), ("listed", "vendor", "1", "9"), ("known", "bundled", "1", "2")
    ] == [(each.channel, each.basis, str(each.input), str(each.output)) for each in found]  # fmt: skip


@pytest.mark.parametrize(
    ("multiplier", "shares"),
    [(Fraction(1), [0.5, 0.8]), (Fraction(1, 2), [0.0, 0.6]), (Fraction(2, 5), [-0.25, 0.5])],
)
def test_a_group_that_pays_less_leaves_less(multiplier, shares):
    """Also less than nothing; the dearest of the channels counts."""
    of = model(
        binding("a", "gpt-x", "0.5"), binding("b", "gpt-y", "1"),
        price={"input": "2", "output": "5"},
    )  # fmt: skip
    found = set_margins(of, costs(of), multiplier, NIGHT)
    assert shares == [each.share for each in found]
    assert {"b"} == {each.channel for each in found}


def test_where_nothing_is_known_nothing_is_told():
    """Free, without a cost, without a price by the token; a price of 0 has no share."""
    known, unknown = binding("b", "gpt-y", "1"), binding("b", "own")
    price = {"input": "1", "output": "1"}
    assert [] == set_margins(model(known), costs(model(known)), Fraction(1), NIGHT)
    assert [] == set_margins(model(unknown, price=price), (), Fraction(1), NIGHT)
    by_piece = model(known, price={"per_request": "1"})
    assert [] == set_margins(by_piece, costs(by_piece), Fraction(1), NIGHT)
    zero = model(known, price={"input": "0", "output": "1"})
    assert None is set_margins(zero, costs(zero), Fraction(1), NIGHT)[0].share


def test_what_was_earned_is_income_less_about_what_it_cost():
    """Of what went by a channel whose cost nobody knows the income alone is told."""
    of = model(binding("a", "gpt-y"), binding("own", "own"))
    rows = [
        SpendRow(("m", "a"), SpendSums(5_000_000_000, 3, 1_000_000, 500_000)),
        SpendRow(("m", "own"), SpendSums(1_000_000_000, 1, 10, 10)),
        SpendRow(("gone", "a"), SpendSums(7, 1, 1, 1)),
    ]
    found = earned(rows, {"m": costs(of)})
    mine = found["m"]
    assert (4, 6_000_000_000, 5_000_000_000, 2_000_000_000, 3_000_000_000, 0.6) == (
        mine.requests, mine.income_nanos, mine.known_nanos, mine.cost_nanos, mine.margin_nanos,
        mine.share,
    )  # fmt: skip
    assert (0, None) == (found["gone"].known_nanos, found["gone"].share)


def test_what_bindings_say_they_cost():
    """At channels where all of a model's bindings say the same."""
    of = model(
        binding("a", "gpt-x", "1"), binding("a", "gpt-y", "2"),
        binding("b", "gpt-x", "3"), binding("b", "gpt-y", "3"), binding("own", "own"),
    )  # fmt: skip
    (known,) = said_costs([of])[of.name]
    assert ("b", Decimal(3), Decimal(3)) == (known.channel, known.input, known.output)


def test_what_several_models_brought_in_together():
    """Whole where the cost of everything is known; of none it is."""
    one = EarnedMargin(requests=1, income_nanos=5, known_nanos=5, cost_nanos=2)
    other = EarnedMargin(requests=2, income_nanos=7, known_nanos=0, cost_nanos=0)
    found = together([one, other])
    assert (3, 12, 5, 3, False) == (
        found.requests, found.income_nanos, found.known_nanos, found.margin_nanos, found.is_whole,
    )  # fmt: skip
    assert together([one]).is_whole
    assert together([]).is_whole
