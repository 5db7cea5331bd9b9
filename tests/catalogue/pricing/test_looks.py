"""Looks propose and tell, once for each thing that changed, and change no price themselves."""

import asyncio

import pytest
from structlog.testing import capture_logs

from catalogue.pricing.world import ADA, FILE, NIGHT, PriceWorld, model, offered
from trivium.catalogue.model import AbsentError, KeptApartError
from trivium.catalogue.pricing import looks as module
from trivium.catalogue.pricing import store
from trivium.catalogue.pricing.looks import NightlyLook, PriceLooks
from trivium.catalogue.pricing.model import ProposalState
from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.vendor import VendorList

pytestmark = pytest.mark.asyncio

TO_9 = [("output", "10", "9")]
TO_8 = [("output", "10", "8")]


async def world_of(database, folder, file=""):
    """A model whose price was made by hand, and a vendor that asks less."""
    world = PriceWorld(database, folder, file)
    await world.put(m=model())
    world.lists = {"main": offered(gpt_x=("1", "9"))}
    return world


async def test_what_differs_is_proposed_once_and_told(database, tmp_path):
    """The price stays as it is, also where nobody made it by hand."""
    world = await world_of(database, tmp_path)
    with capture_logs() as logs:
        done = await world.looks.look()
    assert (1, 1) == (done.proposed, done.open)
    told = [line for line in logs if line["event"].startswith("price")]
    assert ["price_proposed", "prices_looked"] == [each["event"] for each in told]
    assert ("output 10 -> 9", True) == (told[0]["changes"], told[0]["by_hand"])
    again = await world.looks.look()
    assert (0, 1) == (again.proposed, again.open)
    assert [("m", TO_9)] == await world.open()
    await world.adopt("m", replaces=True)
    assert [] == await world.open()
    (adopted,) = await world.prices.proposals(None)
    assert (ProposalState.ADOPTED, 3, NIGHT) == (
        adopted.state, adopted.decided_by, adopted.decided_at
    )  # fmt: skip
    world.lists = {"main": offered(gpt_x=("1", "8"))}
    await world.looks.look()
    assert [("m", [("output", "9", "8")])] == await world.open()
    assert {"input": "1", "output": "9"} == (await world.document("m"))["price"]
    assert 2 == len(await world.catalogue.changes())


async def test_what_was_dismissed_comes_again_only_when_it_changes(database, tmp_path):
    world = await world_of(database, tmp_path)
    await world.looks.look()
    (found,) = await world.prices.proposals()
    assert 1 == await world.prices.dismiss([found.id], 7)
    assert 0 == (await world.looks.look()).proposed
    world.lists = {"main": offered(gpt_x=("1", "8"))}
    await world.looks.look()
    assert [("m", TO_8)] == await world.open()
    with pytest.raises(KeptApartError, match="dismissed already"):
        await world.prices.dismiss([found.id], 7)
    with pytest.raises(AbsentError, match="no proposal 99"):
        await world.prices.dismiss([99], 7)


async def test_an_open_proposal_follows_what_is_offered(database, tmp_path):
    """Replaced by another, settled where nothing differs any more or the model is gone."""
    world = await world_of(database, tmp_path)
    await world.looks.look()
    world.lists = {"main": offered(gpt_x=("1", "8"))}
    await world.looks.look()
    assert [("m", TO_8)] == await world.open()
    world.lists = {"main": offered(gpt_x=("1", "10"))}
    await world.looks.look()
    assert [] == await world.open()
    assert ["settled", "replaced"] == [
        each.state.value for each in await world.prices.proposals(None)
    ]


async def test_a_proposal_is_adopted_as_it_was_made(database, tmp_path):
    """Whatever the vendor says meanwhile; by hand only where that is said."""
    world = await world_of(database, tmp_path, FILE)
    await world.looks.look()
    found = {each.model: each.id for each in await world.prices.proposals()}
    world.lists = {"main": offered(gpt_x=("1", "8"))}
    with pytest.raises(KeptApartError, match="made by hand"):
        await world.prices.adopt_proposals([found["m"]], ADA)
    with pytest.raises(KeptApartError, match="toml:6 has it"):
        await world.prices.adopt_proposals([found["in-file"]], ADA, replaces=True)
    await world.prices.adopt_proposals([found["m"]], ADA, replaces=True)
    assert {"input": "1", "output": "9"} == (await world.document("m"))["price"]
    with pytest.raises(KeptApartError, match="adopted already"):
        await world.prices.adopt_proposals([found["m"]], ADA, replaces=True)


async def test_two_looks_at_once_propose_once(database, tmp_path):
    world = await world_of(database, tmp_path)
    other = PriceLooks(database, world.clock, world.prices, world.served, world.listed)
    done = await asyncio.gather(
        world.looks.look(), other.look(), world.looks.look(), return_exceptions=True
    )
    assert [KeptApartError] == [type(each) for each in done if isinstance(each, Exception)]
    assert [("m", TO_9)] == await world.open()


async def test_a_list_that_cannot_be_read_keeps_what_was_known(database, tmp_path):
    """With why; what was never read says so; a channel that is gone is forgotten."""
    world = await world_of(database, tmp_path, FILE)
    await world.looks.look()
    world.lists = {"main": VendorList(at=NIGHT + 9, is_whole=False, why="no answer")}
    done = await world.looks.look()
    assert "no answer" == done.lists["main"].why
    word = (await world.standing("m")).words[0]
    assert (NIGHT, True, "no answer") == (word.read_at, word.is_listed, word.why)
    assert [("m", TO_9)] == [each for each in await world.open() if each[0] == "m"]
    async with database.write() as conn:
        await store.drop_lists(conn, ["filed"])
    assert (await world.standing("m")).words[0].read_at is None


async def test_a_look_ends_in_its_time(database, tmp_path):
    """Whose turn did not come is named."""
    world = await world_of(database, tmp_path, FILE)

    async def never(channel, wanted):
        del wanted
        if channel.name == "main":
            await asyncio.sleep(60)
        return offered(gpt_y=("9", "9"))

    world.looks._read = never
    done = await world.looks.look(0.2)
    assert (("main",), ["filed"]) == (done.unreached, list(done.lists))
    assert ["in-file", "m"] == [name for name, _ in await world.open()]


async def test_each_channel_is_asked_for_its_own_names(database, tmp_path):
    world = await world_of(database, tmp_path)
    await world.put(a=model("models/g"), b=model("gpt-x"), c=model("x", "router"))
    await world.looks.look()
    assert [("main", {"g", "gpt-x"}), ("router", {"x"})] == sorted(world.asked)


async def test_of_all_nodes_one_looks_a_night(database, tmp_path):
    """From two o'clock on; the next night again."""
    world = await world_of(database, tmp_path)
    nodes = [NightlyLook(database, world.looks, world.clock) for _ in range(3)]

    async def all_at(moment):
        before = len(world.asked)
        await asyncio.gather(*(each.round(moment) for each in nodes))
        return len(world.asked) - before

    midnight = NIGHT // 86_400 * 86_400
    assert 0 == await all_at(midnight + 600)
    assert 1 == await all_at(midnight + 7_200)
    assert 0 == await all_at(midnight + 80_000)
    assert 1 == await all_at(midnight + 86_400 + 7_200)


async def test_a_look_that_never_ended_is_taken_over(database, tmp_path):
    """After half an hour, by whoever comes first."""
    world = await world_of(database, tmp_path)
    node = NightlyLook(database, world.looks, world.clock)

    def broken():
        raise LedgerError("its suggestions are none")

    world.lists = {"main": broken}
    with pytest.raises(LedgerError):
        await node.round(NIGHT)
    world.lists = {"main": offered(gpt_x=("1", "9"))}
    await node.round(NIGHT + module.PATIENCE_S - 60)
    assert [] == await world.open()
    await node.round(NIGHT + module.PATIENCE_S + 60)
    assert [("m", TO_9)] == await world.open()


async def test_old_decisions_are_forgotten_but_for_the_last(database, tmp_path):
    """Which tells that it was dismissed."""
    world = await world_of(database, tmp_path)
    for output in ("9", "8", "7"):
        world.lists = {"main": offered(gpt_x=("1", output))}
        await world.looks.look()
        await world.prices.dismiss([each.id for each in await world.prices.proposals()], None)
    world.clock.advance(module.KEPT_S + 60)
    assert 0 == (await world.looks.look()).proposed
    assert 1 == len(await world.prices.proposals(None))


async def test_what_waits_and_what_was_found_is_counted(database, tmp_path):
    """By every node what waits, also by day; by the one that looked what it found."""
    world = await world_of(database, tmp_path)
    looked, other = [NightlyLook(database, world.looks, world.clock) for _ in range(2)]
    assert (None, {}) == (looked.waiting, looked.found)
    midnight = NIGHT // 86_400 * 86_400
    await other.round(midnight + 600)
    assert 0 == other.waiting
    await looked.round(midnight + 7_200)
    assert (1, {"vendor": 1}) == (looked.waiting, looked.found)
    await other.round(midnight + 7_900)
    assert (1, {}) == (other.waiting, other.found)
    ((_, _),) = await world.open()
