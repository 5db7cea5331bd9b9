"""Prices are compared and adopted, and nobody's own is ever replaced unasked."""

import asyncio

import pytest

from catalogue.pricing.world import ADA, FILE, NIGHT, PriceWorld, model, offered
from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import AbsentError, KeptApartError, StaleError, UnfitError
from trivium.catalogue.pricing.origin import PriceSource
from trivium.catalogue.pricing.service import PriceChoice
from trivium.clock import FixedClock
from trivium.ledger.quote import Quoting
from trivium.ledger.suggestions.model import PriceList, Suggestion
from trivium.ledger.suggestions.vendor import VendorList, VendorOffer
from trivium.settings.prices import day

pytestmark = pytest.mark.asyncio


def told(standing):
    """Of the best offer: (kind, adopted, suggested)."""
    return [(x.kind, str(x.adopted), str(x.suggested)) for x in standing.best.lines]


async def test_what_is_set_stands_beside_what_others_say(database, tmp_path):
    """Of the file and of the database; a vendor's own word before the catalogue's."""
    world = PriceWorld(database, tmp_path, FILE)
    await world.put(priced=model(), routed=model("gpt-y", "router"), none=model("own", "main"))
    world.lists = {"main": offered(gpt_x=("1", "9"), own=None), "router": offered(other=None)}
    await world.looks.look()
    sheet = await world.prices.sheet()
    assert [
        ("in-file", None, "differs"), ("none", 1, "unknown"), ("priced", 1, "differs"),
        ("routed", 1, "unknown"),
    ] == [(each.name, each.version, each.state.value) for each in sheet.standings]  # fmt: skip
    filed, none, priced, routed = sheet.standings
    assert filed.place.endswith("trivium.toml:6")
    assert [("input", "3", "1"), ("output", "4", "2")] == told(filed)
    assert [("input", "1", "1"), ("output", "10", "9")] == told(priced)
    assert [PriceSource.VENDOR, PriceSource.BUNDLED] == [
        each.offer.origin.source for each in priced.offers
    ]
    assert [(True, NIGHT), (False, NIGHT)] == [
        (each.words[0].is_listed, each.words[0].read_at) for each in (none, routed)
    ]
    assert "no list" == filed.words[0].why
    assert (True, None) == (priced.is_by_hand, priced.origin)


async def test_a_price_made_by_hand_is_replaced_only_by_name(database, tmp_path):
    """And says afterwards whose it is, until somebody changes it by hand again."""
    world = PriceWorld(database, tmp_path)
    await world.put(m=model())
    with pytest.raises(KeptApartError, match="was made by hand"):
        await world.adopt("m")
    done = await world.adopt("m", replaces=True, reason="as they say")
    assert ("m",) == done.models
    document = await world.document("m")
    assert {"input": "1.25", "output": "10"} == document["price"]
    assert [{"since": "2027-01-01", "price": {"input": "2", "output": "20"}}] == document[
        "price_changes"
    ]
    standing = await world.standing("m")
    assert (False, "same", "openai/gpt-x", "2026-11-10") == (
        standing.is_by_hand, standing.state.value, standing.origin.place, standing.origin.day
    )  # fmt: skip
    await world.put(m={**document, "price": {"input": "1.3", "output": "10"}})
    standing = await world.standing("m")
    assert (True, None) == (standing.is_by_hand, standing.origin)
    with pytest.raises(KeptApartError, match="was made by hand"):
        await world.adopt("m")


async def test_adopting_is_a_change_that_is_undone(database, tmp_path):
    """With its reason, and with whose price it was before."""
    world = PriceWorld(database, tmp_path)
    await world.put(m=model())
    before = await world.document("m")
    done = await world.adopt("m", replaces=True, reason="as they say")
    (change, _) = await world.catalogue.changes()
    assert (done.done.change_id, "as they say", 3) == (
        change.id, change.reason, change.author.user_id
    )  # fmt: skip
    await world.catalogue.undo(change.id, ADA)
    assert before == await world.document("m")
    assert (await world.standing("m")).is_by_hand


async def test_all_is_what_nobody_made_by_hand(database, tmp_path):
    """What stays is named with why."""
    world = PriceWorld(database, tmp_path, FILE)
    await world.put(
        adopted=model(), by_hand=model(), none=model("own"), free=model(price=None, free=True)
    )
    await world.adopt("adopted", replaces=True)
    world.lists = {"main": offered(gpt_x=("7", "8"))}
    await world.looks.look()
    tried = await world.adopt(dry_run=True)
    assert ("adopted",) == tried.models
    assert {"input": "1.25", "output": "10"} == (await world.document("adopted"))["price"]
    done = await world.adopt()
    assert ("adopted",) == done.models
    assert ["by-hand", "in-file"] == [name for name, _ in done.skipped]
    assert {"input": "7", "output": "8"} == (await world.document("adopted"))["price"]
    assert {"input": "1", "output": "10"} == (await world.document("by-hand"))["price"]
    again = await world.adopt()
    assert ((), None) == (again.models, again.done)


async def test_who_saw_something_else_is_told(database, tmp_path):
    """Another version of the model, another offer; or what there is not."""
    world = PriceWorld(database, tmp_path, FILE)
    await world.put(m=model())
    seen = await world.standing("m")

    async def adopt(name="m", **more):
        choice = PriceChoice(model=name, replaces=True, **more)
        return await world.prices.adopt([choice], ADA)

    with pytest.raises(StaleError, match="has version 1"):
        await adopt(version=7)
    with pytest.raises(StaleError, match="look again"):
        await adopt(digest="0" * 16)
    for wrong in ({"channel": "router"}, {"source": PriceSource.VENDOR}):
        with pytest.raises(AbsentError, match="no such offer"):
            await adopt(**wrong)
    with pytest.raises(AbsentError, match="there is no"):
        await adopt("gone")
    with pytest.raises(KeptApartError, match=r"trivium.toml:6 has it"):
        await adopt("in-file")
    with pytest.raises(DocumentError, match="twice"):
        await world.prices.adopt([PriceChoice(model="m")] * 2, ADA)
    assert ("m",) == (await adopt(digest=seen.best.digest, version=1)).models


async def test_of_two_who_adopt_at_once_both_end_with_one_price(database, tmp_path):
    """The second is told, or finds that nothing differs."""
    world = PriceWorld(database, tmp_path)
    await world.put(m=model())
    done = await asyncio.gather(
        *(world.adopt("m", replaces=True) for _ in range(4)), return_exceptions=True
    )
    assert all(not isinstance(each, Exception) or isinstance(each, StaleError) for each in done)
    assert 1 == sum(
        not isinstance(each, Exception) and each.done.change_id is not None for each in done
    )
    assert 2 == len(await world.catalogue.changes())


async def test_a_price_may_begin_on_a_later_day(database, tmp_path):
    """Everything stays until then, at each worker by its own clock; earlier changes stay."""
    world = PriceWorld(database, tmp_path)
    planned = [{"since": "2024-12-01", "price": {"input": "5", "output": "5"}},
               {"since": "2026-01-01", "price": {"input": "6", "output": "6"}}]  # fmt: skip
    await world.put(m=model(price_changes=planned))
    for wrong in ("tomorrow", "2024-10-04", "2024-13-01"):
        with pytest.raises(DocumentError, match="since: must be"):
            await world.adopt("m", replaces=True, since=wrong)
    await world.adopt("m", replaces=True, since="2025-06-01")
    document = await world.document("m")
    assert {"input": "1", "output": "10"} == document["price"]
    assert ["2024-12-01", "2025-06-01", "2027-01-01"] == [
        each["since"] for each in document["price_changes"]
    ]
    clock = FixedClock(NIGHT)
    worker = Quoting(clock)
    asked = []
    for moment in ("2024-11-30", "2024-12-01", "2025-05-31", "2025-06-01", "2027-01-01"):
        clock.at = day(moment)
        (_, _, tariff) = worker._made_ready(world.models["m"], "")
        asked.append(tariff.tiers[0].fresh // 10**12)
    assert [1, 5, 5, 1, 2] == asked
    standing = await world.standing("m")
    assert 3 == len(standing.changes)


async def test_pictures_keep_their_prices(database, tmp_path):
    """No suggestion prices them; those of later days have them as well."""
    world = PriceWorld(database, tmp_path)
    images = [{"size": "1024x1024", "price": "0.04"}]
    await world.put(m=model(images=images))
    await world.adopt("m", replaces=True)
    document = await world.document("m")
    assert images == document["images"] == document["price_changes"][0]["images"]


async def test_what_would_not_fit_is_refused_whole(database, tmp_path):
    """As any change of the catalogue."""
    world = PriceWorld(database, tmp_path)
    await world.put(m=model(), n=model())
    lists = (PriceList(price={"output": "9"}),)
    said = VendorOffer(suggestion=Suggestion(lists=lists))
    world.lists = {"main": VendorList(at=NIGHT, models={"gpt-x": said})}
    await world.looks.look()
    with pytest.raises(UnfitError, match="has output without input"):
        await world.adopt("m", "n", replaces=True)
    assert {"input": "1", "output": "10"} == (await world.document("m"))["price"]
