"""The page of prices: what is shown, and each of its forms."""

import msgspec
import pytest
import pytest_asyncio

from catalogue.pricing.world import PriceWorld, model, offered
from console.visiting import Seen, console_over, user_of, visiting
from trivium.clock import FixedClock
from trivium.identity.model import UserRole
from trivium.ledger.errors import LedgerError

pytestmark = pytest.mark.asyncio

AT = "/admin/prices"
FILE = """
[[channels]]
name = "filed"
provider = "openai"
api_key = "sk-vendor-0123456789"
[[models]]
name = "in-file"
price = { input = "3", output = "4" }
bindings = [{ channel = "filed", model = "gpt-y", cost = "3.5" }]
"""


@pytest_asyncio.fixture
async def world(sqlite_database, tmp_path):
    """A model made by hand, one that was adopted and differs since, and one of the file."""
    made = PriceWorld(sqlite_database, tmp_path, FILE, FixedClock())
    await made.put(m=model(), n=model())
    await made.adopt("n", replaces=True)
    made.lists = {"main": offered(gpt_x=("1", "9"))}
    return made


@pytest_asyncio.fixture
async def admin(world, sqlite_database):
    """An administrator's browser."""
    console = console_over(sqlite_database, world.clock)
    for name, value in {"prices": world.prices, "price_looks": world.looks}.items():
        msgspec.structs.force_setattr(console, name, value)
    async with visiting(sqlite_database, console) as visitor:
        await visitor.log_in(await user_of(console, "eve", UserRole.ADMIN))
        await visitor.get(AT)  # for the forms' token
        yield visitor


def fields(seen, action, model):
    """What the form of a model carries."""
    found, inside = [], False
    for tag, attrs in seen.elements:
        if tag == "form":
            inside = attrs.get("action") == action
            if inside:
                found.append({})
        elif tag == "input" and inside and attrs["name"] != "csrf":
            found[-1][attrs["name"]] = attrs["value"]
    return next(each for each in found if each.get("model") == model)


async def test_the_page_shows_everything_side_by_side(admin, world):
    await world.looks.look()
    page = await admin.get(AT)
    seen = Seen(page.text)
    assert 200 == page.status_code
    for words in ("in-file", "settings file", "made by hand", "adopted: openai/gpt-x",
                  "$1 / $10", "$1 / $9", "$1.25 / $10", "differs", "Output -10.0%",
                  "-16.7%", "by your cost"):  # fmt: skip
        assert words in seen.text, words
    few = Seen((await admin.get(f"{AT}?q=FILE&differing=1")).text)
    assert "$1 / $9" not in few.text.partition("Price group")[2]
    assert "There is nothing that fits" in Seen((await admin.get(f"{AT}?q=zzz")).text).text
    assert 404 == (await admin.get(f"{AT}?group=nobody")).status_code


async def test_an_adopted_price_is_adopted_again_with_one_click(admin, world):
    await admin.post(f"{AT}/look")
    seen = Seen((await admin.get(AT)).text)
    sent = fields(seen, f"{AT}/adopt", "n")
    done = await admin.post(f"{AT}/adopt", **sent)
    assert (303, AT) == (done.status_code, done.headers["location"])
    assert {"input": "1", "output": "9"} == (await world.document("n"))["price"]
    assert "Adopted for n" in (await admin.get(AT)).text
    await admin.post(f"{AT}/adopt", **sent)
    assert "Nothing was changed" in (await admin.get(AT)).text
    assert 3 == len(await world.catalogue.changes())


async def test_one_made_by_hand_only_after_a_question(admin, world):
    """The form of the question says so; without it nothing is replaced."""
    await admin.post(f"{AT}/look")
    sent = fields(Seen((await admin.get(AT)).text), f"{AT}/adopt", "m")
    assert "1" == sent["by_hand"]
    await admin.post(f"{AT}/adopt", **{name: sent[name] for name in sent if name != "by_hand"})
    assert {"input": "1", "output": "10"} == (await world.document("m"))["price"]
    await admin.post(f"{AT}/adopt", **sent)
    assert {"input": "1", "output": "9"} == (await world.document("m"))["price"]


async def test_all_is_adopted_at_once(admin, world):
    await admin.post(f"{AT}/look")
    await admin.get(AT)
    await admin.post(f"{AT}/adopt-all")
    assert {"input": "1", "output": "9"} == (await world.document("n"))["price"]
    assert {"input": "1", "output": "10"} == (await world.document("m"))["price"]
    await admin.post(f"{AT}/adopt-all")
    assert "Nothing to adopt" in (await admin.get(AT)).text


async def test_proposals_are_decided_on_the_page(admin, world):
    await admin.post(f"{AT}/look")
    page = await admin.get(AT)
    assert "New proposals: 3" in page.text
    ids = {each.model: each.id for each in await world.prices.proposals()}
    await admin.post(f"{AT}/proposals/dismiss", proposal=str(ids["in-file"]))
    await admin.post(f"{AT}/proposals/adopt", proposal=str(ids["n"]))
    await admin.post(f"{AT}/proposals/adopt", proposal=str(ids["m"]), by_hand="1")
    assert [] == await world.open()
    assert {"input": "1", "output": "9"} == (await world.document("m"))["price"]
    await admin.post(f"{AT}/proposals/dismiss", proposal=str(ids["m"]))
    assert "adopted already" in (await admin.get(AT)).text
    for path in ("adopt", "proposals/adopt", "proposals/dismiss"):
        assert 404 == (await admin.post(f"{AT}/{path}", proposal="x")).status_code


async def test_suggestions_that_are_none_are_told(admin, world, monkeypatch):
    def broken():
        raise LedgerError("suggested-prices.json is no price catalogue")

    monkeypatch.setattr(world.prices._bundled, "now", broken)
    page = await admin.get(AT)
    assert (200, True) == (page.status_code, "is no price catalogue" in page.text)
    await admin.post(f"{AT}/look")


async def test_only_administrators(admin, world):
    user = await user_of(admin.console, "ada")
    await admin.log_in(user)
    await admin.get("/account")
    assert 403 == (await admin.get(AT)).status_code
    assert 403 == (await admin.post(f"{AT}/look")).status_code
    assert [] == world.asked
