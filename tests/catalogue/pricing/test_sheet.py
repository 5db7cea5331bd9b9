"""States of what is set, which the service's own tests do not reach."""

import pytest

from catalogue.pricing.world import NIGHT, PriceWorld, model, offered

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("document", "state", "kept"),
    [
        (model(price=None, free=True), "free", "it is free"),
        (model("own"), "unknown", "nobody says a price of it"),
        (model(price=("1.25", "10.0")), "same", ""),
        (model(), "differs", ""),
        (
            model(price_changes=[
                {"since": "2026-01-01", "price": {"input": "1.25", "output": "10"}}
            ]),
            "scheduled",
            "",
        ),
        (
            model(price_changes=[{"since": "2026-01-01", "price": {"input": "9", "output": "9"}}]),
            "differs",
            "",
        ),
    ],
)  # fmt: skip
async def test_how_what_is_set_stands(sqlite_database, tmp_path, document, state, kept):
    """To the best offer, now and with what is planned."""
    world = PriceWorld(sqlite_database, tmp_path)
    await world.put(m=document)
    found = await world.standing("m")
    assert (state, kept) == (found.state.value, found.kept)


async def test_a_model_that_is_changing_is_left_out(sqlite_database, tmp_path):
    """The worker's catalogue may be a moment older than the database."""
    world = PriceWorld(sqlite_database, tmp_path)
    await world.put(m=model(), n=model())
    world.models = {**world.models, "ghost": world.models["m"].__class__(name="ghost", bindings=())}
    sheet = await world.prices.sheet()
    assert ["m", "n"] == [each.name for each in sheet.standings]
    assert ("a list", "2026-11-10", None, 1) == (
        sheet.source, sheet.date, sheet.looked_at, sheet.revision
    )  # fmt: skip


async def test_when_somebody_looked_is_told(sqlite_database, tmp_path):
    world = PriceWorld(sqlite_database, tmp_path)
    await world.put(m=model())
    world.lists = {"main": offered(gpt_x=None)}
    await world.looks.look()
    assert NIGHT == (await world.prices.sheet()).looked_at
