"""What was earned, as far as it is known what it cost."""

from decimal import Decimal

from console.admin.test_channels import IDLE, MAIN, MODELS, SPARE
from trivium.console.admin.margin import costs, margin
from trivium.ledger.spending.model import SpendRow, SpendSums
from trivium.routing.model import Binding, Model


def row(model, channel, nanos, tokens):
    return SpendRow((model, channel), SpendSums(nanos, 1, tokens, tokens))


def test_what_is_known_of_costs():
    """Of a model and channel whose bindings all say the same."""
    twice = Model(
        name="twice",
        bindings=(
            Binding(channel=MAIN, model="a", cost=Decimal(1)),
            Binding(channel=MAIN, model="b", cost=Decimal(2)),
            Binding(channel=SPARE, model="a", cost=Decimal(3)),
            Binding(channel=SPARE, model="b", cost=Decimal(3)),
            Binding(channel=IDLE, model="a"),
        ),
    )
    wanted = {("wise", "main"): Decimal("2.5"), ("twice", "spare"): Decimal(3)}
    assert wanted == costs((*MODELS, twice))


def test_a_margin_is_of_what_is_known():
    """The rest is income all the same."""
    rows = [row("wise", "main", 9_000_000, 1_000), row("wise", "spare", 500, 10)]
    found = margin(rows, costs(MODELS))
    assert (9_000_500, 9_000_000, 5_000_000) == (
        found.income_nanos,
        found.known_nanos,
        found.cost_nanos,
    )
    assert (4_000_000, False) == (found.margin_nanos, found.is_whole)
    assert margin(rows[:1], costs(MODELS)).is_whole
    assert margin([], {}).is_whole
