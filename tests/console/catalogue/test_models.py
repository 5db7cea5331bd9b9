"""Models in the browser: found, made at known prices, edited by two, copied."""

from types import SimpleNamespace

import msgspec
import pytest

from catalogue.pricing.world import offered
from console.catalogue.editing import CHANNEL, FILE, MODEL, editing, fields
from console.visiting import Seen, user_of, visiting
from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.pricing.origin import PriceSource, is_by_hand, origin_of
from trivium.catalogue.service import EntryEdit
from trivium.console.catalogue import models
from trivium.ledger.suggestions.model import bundled
from trivium.ledger.suggestions.starting import starting_models

pytestmark = pytest.mark.asyncio
NEW, EDIT = models.NEW, "/admin/models/edit?name=a%2Fb"


async def test_a_model_is_tried_and_made(database):
    """With its price and its channel."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        form = await editor.filled(
            NEW,
            name="a/b",
            **{"price.input": "1.25", "price.output": "$10", "bindings.0.channel": "main"},
        )
        tried = await editor.send(NEW, 200, **form, act="try")
        assert "main" in Seen(tried.text).text.partition("Models that are concerned")[2]
        assert await editor.document("model", "a/b") is None
        await editor.send(NEW, **form, act="save")
        assert {"name": "a/b", **MODEL} == await editor.document("model", "a/b")
        said = Seen((await editor.get(models.LIST)).text).text
        assert "a/b main $1.25 $10" in said


async def test_known_prices_are_offered(database):
    """Of the vendor of a channel; one of them fills the form in."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        page = await editor.get(f"{NEW}?channel=main&next=start")
        first = starting_models()["openai"][0]
        assert f"model={first}&amp;next=start" in page.text
        assert page.text.count('class="tiles"') == 1
        found = fields(await editor.get(f"{NEW}?channel=main&model={first}"))
        prices = bundled().find("openai", first)[1].lists[0].price
        assert (first, "main", prices["input"]) == (
            found["name"], found["bindings.0.channel"], found["price.input"]
        )  # fmt: skip
        await editor.send(NEW, **found)
        document = await editor.document("model", first)
        assert prices == document["price"]
        # whose price it is, as where suggestions are adopted, until somebody changes it
        origin = origin_of(document)
        assert (PriceSource.BUNDLED, bundled().date, f"openai/{first}") == (
            origin.source, origin.day, origin.place
        )  # fmt: skip
        assert not is_by_hand(document)
        await editor.send(NEW, **found | {"name": "mine", "price.input": "77"})
        mine = await editor.document("model", "mine")
        assert (None, True) == (origin_of(mine), is_by_hand(mine))
        again = fields(await editor.get(f"{NEW}?channel=main&model={first}"))
        assert (f"{first}-2", first) == (again["name"], again["bindings.0.model"])
        unknown = fields(await editor.get(f"{NEW}?channel=main&model=unknown"))
        assert ("unknown", "") == (unknown["name"], unknown["price.input"])
        assert 'class="tiles"' not in (await editor.get(f"{NEW}?channel=none")).text


async def test_what_the_vendor_lists_is_offered(database):
    """At its own prices; where it says nothing in time, the suggestions are."""
    asked = []
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        console = editor.console

        def beside(answer):
            async def listed(channel, wanted):
                asked.append((channel.name, wanted))
                return await answer()

            gateway = console.gateway
            return msgspec.structs.replace(
                console, gateway=msgspec.structs.replace(gateway, listed=listed)
            )

        async def told():
            return offered(dear=("7", "8"), unpriced=None)

        async def late():
            raise TimeoutError

        channels = [SimpleNamespace(name="main")]
        gateway = msgspec.structs.replace(console.gateway, channels=lambda: channels)
        console = msgspec.structs.replace(console, gateway=gateway)
        suggestions = bundled()
        heard = await models._listed(beside(told), "main", None)
        assert [("dear", "7", "8")] == models._offered(suggestions, "main", "openai", heard)
        assert [("main", None)] == asked
        assert None is await models._listed(beside(late), "main", None)
        assert None is await models._listed(beside(told), "other", None)
        first = models._offered(suggestions, "main", "openai", None)[0][0]
        assert starting_models()["openai"][0] == first


async def test_what_is_wrong_stands_beside_its_field(database):
    """Of the binding's own row, of a price, of what is JSON."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        form = await editor.filled(NEW, name="m")
        wrong = form | {
            "price.input": "cheap",
            "bindings.1.channel": "main",
            "bindings.1.weight": "x",
            "more": '{"tiers": [{"above": 0}]}',
        }
        answer = await editor.send(NEW, 422, **wrong)
        for field in ("price.input", "bindings.0.weight", "more"):
            assert f'id="{field}-error"' in answer.text, field
        assert "tiers.0.above" in answer.text
        answer = await editor.send(NEW, 422, **form | {"bindings.0.channel": "none"})
        assert 'id="bindings.0.channel-error"' in answer.text
        answer = await editor.send(NEW, 422, **form | {"price.output": "1"})
        assert "has output without input" in Seen(answer.text).text
        for more in ("{", "[]", '{"free": true}', '{"bindings": []}', "[" * 3_000):
            sent = form | {"more": more, "bindings.0.channel": "main"}
            assert 'id="more-error"' in (await editor.send(NEW, 422, **sent)).text, more
        sent = form | {
            "bindings.0.channel": "main",
            "bindings.0.more": '{"profile": {"thinks": "x"}}',
        }
        answer = await editor.send(NEW, 422, **sent)
        assert 'id="bindings.0.more-error"' in answer.text
        assert 'id="name-error"' in (await editor.send(NEW, 422, **form | {"name": ""})).text


async def test_rows_come_when_they_are_asked_for(database):
    """And nothing that was typed is lost."""
    async with editing(database) as editor:
        form = await editor.filled(NEW, name="m")
        assert "bindings.2.channel" not in form
        more = fields(
            await editor.send(NEW, 200, **form | {"bindings.1.channel": "x", "act": "rows"})
        )
        assert ("x", "m", True) == (
            more["bindings.0.channel"], more["name"], "bindings.5.channel" in more
        )  # fmt: skip


async def test_of_two_who_edit_the_second_is_told(database):
    """What is there now beside what was to be."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "a/b", MODEL)
        form = await editor.filled(EDIT, **{"price.input": "2"})
        await editor.send(EDIT, **await editor.filled(EDIT, title="Wise"))
        told = await editor.send(EDIT, 409, **form)
        said = Seen(told.text).text
        assert all(words in said for words in ("eve changed it", "price.input", "1.25", "title"))
        await editor.send(EDIT, **fields(told))
        found = await editor.document("model", "a/b")
        assert ("2", False) == (found["price"]["input"], "title" in found)
        form = await editor.filled(EDIT, title="Other")
        await editor.put("model", "a/b", None)
        told = await editor.send(EDIT, 409, **form)
        await editor.send(NEW, **fields(told))
        assert "Other" == (await editor.document("model", "a/b"))["title"]


async def test_the_list_is_sifted_and_paged(database, tmp_path):
    """By words and by channel, among thousands; of the file with their lines."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        at = {"bindings": [{"channel": "filed"}]}
        documents = {f"m{n:04}": {"free": True, **at} for n in range(2_000)}
        documents["many"] = {
            "price": {"input": "1", "output": "2", "cache_read": "1"}, "title": "A Wise One",
            "bindings": [{"channel": "filed", "model": f"x{n}"} for n in range(3)],
        }  # fmt: skip
        edits = [
            EntryEdit(at=EntryName("model", n), document=each) for n, each in documents.items()
        ]
        await editor.console.catalogue.change(edits, ChangeAuthor(), together=True)
        first = (await editor.get(models.LIST)).text
        assert "trivium.toml:9" in first
        assert ("edit?name=filed-model" in first, "copy=filed-model" in first) == (False, True)
        assert "2,002" in first
        assert ("m0048" in first, "m0049" in first) == (True, False)
        assert "m0049" in (await editor.get(f"{models.LIST}?from=50")).text
        found = Seen((await editor.get(f"{models.LIST}?q=wise+one")).text).text
        assert ("many filed $1 $2 1 price more" in found, "m0001" in found) == (True, False)
        assert "No model fits" in (await editor.get(f"{models.LIST}?channel=none")).text
        assert "2,002" in (await editor.get(f"{models.LIST}?channel=filed")).text
        copy = await editor.filled(f"{NEW}?copy=filed-model")
        assert ("filed-model-2", "1") == (copy["name"], copy["free"])
        await editor.send(NEW, **copy)
        for path in (f"{NEW}?copy=none", "/admin/models/edit?name=filed-model"):
            assert 404 == (await editor.visitor.get(path)).status_code


async def test_only_administrators_change_models(database):
    """And groups, and rules."""
    async with editing(database) as editor:
        pages = (models.LIST, NEW, EDIT, "/admin/groups", "/admin/groups/new", "/admin/routing")
        async with visiting(database, editor.console) as visitor:
            for path in pages:
                assert 303 == (await visitor.get(path)).status_code, path
            await visitor.log_in(await user_of(editor.console, "ada"))
            await visitor.get("/account/keys/new")
            for path in pages:
                assert 403 == (await visitor.get(path)).status_code, path
            for path in (
                NEW,
                EDIT,
                "/admin/groups/new",
                "/admin/groups/edit?name=g",
                "/admin/routing",
            ):
                assert 403 == (await visitor.post(path, name="m")).status_code, path


async def test_suggestions_that_are_broken_are_not_used(tmp_path):
    """Those that this version came with are."""
    journal = tmp_path / "journal"
    (tmp_path / "suggested-prices.json").write_text("{")
    assert bundled() == models.suggested(str(journal))
