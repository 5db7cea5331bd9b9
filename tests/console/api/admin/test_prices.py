"""Prices over the API: looked at, adopted, proposed, dismissed."""

import msgspec
import pytest
import pytest_asyncio

from catalogue.pricing.world import PriceWorld, model, offered
from console.api.admin.calling import Script
from trivium.ledger.spending import store as spending
from trivium.ledger.spending.model import BookedUsage
from trivium.settings.prices import multiplier as factor

pytestmark = pytest.mark.asyncio

ROOT = "/api/admin/catalogue/prices"
FILE = """
[groups]
students = "0.5"
[[channels]]
name = "filed"
provider = "openai"
api_key = "sk-vendor-0123456789"
[[models]]
name = "in-file"
price = { input = "3", output = "4" }
bindings = [{ channel = "filed", model = "gpt-y", cost = "2" }]
"""


@pytest_asyncio.fixture
async def world(sqlite_database, tmp_path):
    """Prices of a file and of the database."""
    made = PriceWorld(sqlite_database, tmp_path, FILE)
    await made.put(m=model(), n=model("gpt-y", price=("1", "2")))
    made.lists = {"main": offered(gpt_x=("1", "9"), gpt_y=None)}
    return made


@pytest_asyncio.fixture
async def script(world, sqlite_database):
    """An administrator's, at a console with these prices."""
    async with Script.over(sqlite_database) as made:
        console = made.console
        multiplier = {"students": world.parts.reader.loaded[0].groups["students"]}
        for name, value in {
            "prices": world.prices,
            "price_looks": world.looks,
            "catalogue": world.catalogue,
        }.items():
            msgspec.structs.force_setattr(console, name, value)
        gateway = msgspec.structs.replace(
            console.gateway, settings=lambda: world.parts.reader.loaded
        )
        msgspec.structs.force_setattr(console, "gateway", gateway)
        msgspec.structs.force_setattr(
            console, "multiplier", lambda group: factor(multiplier.get(group, "1"))
        )
        yield made


async def test_everything_side_by_side(script):
    """With its origin, and pages by name."""
    found = await script.done("GET", ROOT)
    assert ["in-file", "m", "n"] == [each["model"] for each in found["models"]]
    assert ({"source": "a list", "date": "2026-11-10"}, None, None) == (
        found["suggestions"], found["looked_at"], found["after"]
    )  # fmt: skip
    filed, mine, _ = found["models"]
    assert "file" == filed["origin"]["source"]
    assert filed["kept"].endswith("toml:8 has it, which is yours to change")
    assert ({"source": "database", "version": 1}, True, None, "differs", None) == (
        mine["origin"], mine["by_hand"], mine["adopted"], mine["state"], mine["kept"]
    )  # fmt: skip
    assert {"kind": "input", "above": 0, "set": "1", "offered": "1.25", "difference": "0.25"} == (
        mine["offers"][0]["lines"][0]
    )
    first = await script.done("GET", f"{ROOT}?limit=2")
    assert "m" == first["after"]
    rest = await script.done("GET", f"{ROOT}?limit=2&after=m")
    assert (["n"], None) == ([each["model"] for each in rest["models"]], rest["after"])
    found = await script.done("GET", f"{ROOT}?differing=true&model=M")
    assert ["m"] == [each["model"] for each in found["models"]]


async def test_margins_of_a_group(script, world):
    """Set: by the group's factor. Earned: of whoever is in the group."""
    student = await script.console.identity.create_user("s", "s@example.org", group="students")
    other = await script.console.identity.create_user("o", "o@example.org")
    at = int(script.console.clock.now())
    detail = b'{"model":"in-file","channel":"filed","usage":{"fresh":1000000,"output":0}}'
    async with world.db.write() as conn:
        await spending.add(
            conn,
            [
                BookedUsage(student.id, at, 3_000_000_000, detail.decode(), "r1"),
                BookedUsage(other.id, at, 6_000_000_000, detail.decode(), "r2"),
            ],
        )
    all_, few = [
        (await script.done("GET", f"{ROOT}?model=in-file{more}"))["models"][0]
        for more in ("", "&group=students")
    ]
    assert [("3", "2", "1"), ("4", "2", "2")] == [
        (each["income"], each["cost"], each["margin"]) for each in all_["margins"]
    ]
    assert [("1.5", "-0.5"), ("2", "0")] == [
        (each["income"], each["margin"]) for each in few["margins"]
    ]
    assert ("set", "filed") == (few["margins"][0]["basis"], few["margins"][0]["channel"])
    assert ("9.00", "4.00", 2) == (
        all_["earned"]["income"], all_["earned"]["cost"], all_["earned"]["requests"]
    )  # fmt: skip
    assert ("3.00", "1.00") == (few["earned"]["income"], few["earned"]["margin"])


async def test_prices_are_adopted_by_name_or_all(script):
    """As a change that can be undone; what was made by hand only where that is said."""
    adopt = f"{ROOT}/adopt"
    status, why = await script.refused("POST", adopt, {"models": [{"model": "m"}]})
    assert (409, True) == (status, "made by hand" in why)
    wanted = {"model": "m", "replace_by_hand": True, "source": "bundled"}
    tried = await script.done("POST", f"{adopt}?dry_run=true", {"models": [wanted]})
    assert (True, None, ["m"]) == (tried["dry_run"], tried["change_id"], tried["models"])
    done = await script.done("POST", adopt, {"models": [wanted], "reason": "why not"})
    assert (["price", "price_changes", "price_origin"], 2) == (
        done["entries"][0]["members"], done["change_id"]
    )  # fmt: skip
    shown = (await script.done("GET", f"{ROOT}?model=m"))["models"][0]
    assert (False, "openai/gpt-x") == (shown["by_hand"], shown["adopted"]["place"])
    await script.done("POST", f"{ROOT}/look", {})
    done = await script.done("POST", adopt, {"all": True})
    assert (["m"], ["in-file"]) == (done["models"], [each["model"] for each in done["skipped"]])
    again = await script.done("POST", adopt, {"all": True})
    assert ([], None, []) == (again["models"], again["change_id"], again["entries"])


async def test_proposals_are_listed_adopted_and_dismissed(script, world):
    looked = await script.done("POST", f"{ROOT}/look", {})
    assert (2, 2) == (looked["proposed"], looked["open"])
    assert [("filed", "no list"), ("main", None)] == [
        (each["channel"], each["why"]) for each in looked["channels"]
    ]
    found = (await script.done("GET", f"{ROOT}/proposals"))["proposals"]
    assert [("m", True), ("in-file", True)] == [(x["model"], x["by_hand"]) for x in found]
    assert [{"kind": "output", "above": 0, "set": "10", "offered": "9"}] == found[0]["lines"]
    ids = [each["id"] for each in found]
    status, why = await script.refused("POST", f"{ROOT}/proposals/adopt", {"proposals": [ids[0]]})
    assert (409, True) == (status, "made by hand" in why)
    body = {"proposals": [ids[0]], "replace_by_hand": True}
    assert ["m"] == (await script.done("POST", f"{ROOT}/proposals/adopt", body))["models"]
    done = await script.done("POST", f"{ROOT}/proposals/dismiss", {"proposals": [ids[1]]})
    assert {"dismissed": 1} == done
    assert [] == (await script.done("GET", f"{ROOT}/proposals"))["proposals"]
    all_ = await script.done("GET", f"{ROOT}/proposals?state=all&limit=1")
    assert (1, ids[0]) == (len(all_["proposals"]), all_["before"])
    rest = await script.done("GET", f"{ROOT}/proposals?state=all&before={ids[0]}")
    assert [("dismissed", script.root.id)] == [
        (each["state"], each["decided_by"]) for each in rest["proposals"]
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "why"),
    [
        ("GET", "?group=nobody", None, 400, "group: there is no price group"),
        ("GET", "?limit=0", None, 400, "limit: must be 1 to 500"),
        ("GET", "?days=401", None, 400, "days: must be 1 to 400"),
        ("GET", "?differing=1", None, 400, "differing: must be"),
        ("GET", "/proposals?state=x", None, 400, "state: must be open"),
        ("GET", "/proposals?before=x", None, 400, "before: must be"),
        ("POST", "/adopt", {}, 400, "give models, or all: true"),
        ("POST", "/adopt", {"all": True, "models": [{"model": "m"}]}, 400, "give models"),
        ("POST", "/adopt", {"models": [{"model": "m", "source": "x"}]}, 400, "source"),
        ("POST", "/adopt", {"all": True, "since": "1999-01-01"}, 400, "since: must be a later"),
        ("POST", "/adopt", {"models": [{"model": "gone"}]}, 404, "there is no"),
        ("POST", "/adopt", {"models": [{"model": "in-file"}]}, 409, "has it"),
        ("POST", "/adopt", {"models": [{"model": "m", "replace_by_hand": True, "version": 9}]},
         412, "has version 1"),
        ("POST", "/proposals/dismiss", {"proposals": [9]}, 404, "no proposal 9"),
        ("POST", "/proposals/dismiss", {"proposals": [9, 9]}, 400, "occurs twice"),
        ("POST", "/proposals/dismiss", {"proposals": []}, 400, "proposals"),
        ("POST", "/proposals/adopt", {"proposals": [9]}, 404, "no proposal 9"),
        ("POST", "/look", {"x": 1}, 400, "x"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_named(script, method, path, body, status, why):
    found, said = await script.refused(method, ROOT + path, body)
    assert (status, True) == (found, why in said), said
