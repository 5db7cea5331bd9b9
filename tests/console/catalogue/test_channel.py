"""Channels in the browser: made, tried, edited by two, copied; never with a credential shown."""

import re

import pytest

from console.catalogue.editing import CANARY, CHANNEL, FILE, MODEL, editing, fields
from console.visiting import Seen, user_of, visiting
from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.clock import FixedClock
from trivium.providers.registry import PROVIDERS
from trivium.settings.entries import ChannelEntry

pytestmark = pytest.mark.asyncio
NEW = "/admin/channels/new?provider=openai"
EDIT = "/admin/channels/edit?name=main"


async def test_vendors_are_found_and_ask_for_what_they_need(database):
    """A key alone, an address of the account's own, or parts of a cloud's identity."""
    async with editing(database) as editor:
        page = await editor.get("/admin/channels/new")
        assert all(each.title in page.text.replace("&#39;", "'") for each in PROVIDERS.values())
        found = Seen((await editor.get("/admin/channels/new?q=open+ai")).text).text
        assert ("OpenAI", False) == (
            "OpenAI" if "OpenAI" in found else "", "DeepSeek" in found
        )  # fmt: skip
        assert "No vendor fits" in (await editor.get("/admin/channels/new?q=nobody")).text
        plain = fields(await editor.get(NEW))
        assert ("openai", "openai") == (plain["name"], plain["provider"])
        assert not [name for name in plain if name.startswith("credential.")]
        azure = Seen((await editor.get("/admin/channels/new?provider=azure")).text)
        required = {at.get("name") for _, at in azure.elements if "required" in at}
        assert "base_url" in required
        bedrock = fields(await editor.get("/admin/channels/new?provider=bedrock"))
        assert {"credential.region", "credential.secret"} <= set(bedrock)
        assert 404 == (await editor.visitor.get("/admin/channels/new?provider=no")).status_code


async def test_every_vendor_has_a_form(database):
    """Whatever it needs."""
    async with editing(database) as editor:
        for name in PROVIDERS:
            found = fields(await editor.get(f"/admin/channels/new?provider={name}"))
            assert name == found["provider"]


async def test_a_channel_is_tried_and_made(database):
    """Trying says what would happen and makes nothing."""
    async with editing(database) as editor:
        form = await editor.filled(NEW, name="main", keys=CANARY, reason="a vendor")
        tried = await editor.send("/admin/channels/new", 200, **form, act="try")
        assert "What would happen" in tried.text
        assert await editor.document("channel", "main") is None
        await editor.send("/admin/channels/new", **form, act="save")
        assert (
            "sealed:channels/main/api_key" == (await editor.document("channel", "main"))["api_key"]
        )
        assert {"api_key": CANARY} == await editor.secrets("channel", "main")
        page = await editor.get(EDIT)
        assert CANARY not in page.text
        assert "…6789" in page.text
        [change] = await editor.console.catalogue.changes()
        assert ("a vendor", editor.user.id) == (change.reason, change.author.user_id)
        other = form | {"requests_per_minute": "9", "act": "save"}
        again = await editor.send("/admin/channels/new", 409, **other)
        assert "while you were editing" in Seen(again.text).text


async def test_what_is_wrong_stands_beside_its_field(database):
    """In the words of `trivium check`."""
    async with editing(database) as editor:
        form = await editor.filled(NEW, name="main")
        answer = await editor.send("/admin/channels/new", 422, **form)
        assert 'id="keys-error"' in answer.text
        assert "is missing: OpenAI asks for one" in Seen(answer.text).text
        wrong = form | {
            "keys": CANARY,
            "queue_max": "many",
            "timeouts.idle": "-1",
            "added_headers": "é: x",
        }
        answer = await editor.send("/admin/channels/new", 422, **wrong)
        for field in ("queue_max", "timeouts.idle", "added_headers"):
            assert f'id="{field}-error"' in answer.text, field
        assert 'not the text "many"' in Seen(answer.text).text.replace("&#34;", '"')
        answer = await editor.send(
            "/admin/channels/new", 422, **form | {"name": "a b", "keys": "x"}
        )
        assert 'id="name-error"' in answer.text
        file = form | {"keys": "file:/etc/passwd"}
        assert "names a file" in (await editor.send("/admin/channels/new", 422, **file)).text
        long = form | {"keys": CANARY, "reason": "x" * 501}
        assert "reason" in (await editor.send("/admin/channels/new", 422, **long)).text


async def test_several_keys_are_pasted_at_once_and_taken_away(database):
    """One a line; the others keep their day."""
    clock = FixedClock()
    async with editing(database, clock=clock) as editor:
        keys = [f"sk-canary-number-{n:04}" for n in range(40)]
        form = await editor.filled(NEW, name="main", keys="\n".join([*keys, keys[0], "  "]))
        await editor.send("/admin/channels/new", **form)
        assert keys == list((await editor.secrets("channel", "main")).values())
        clock.advance(9)
        ids = re.findall(r'value="(api_keys[^"]*)"', (await editor.get(EDIT)).text)
        assert 40 == len(ids)
        gone = await editor.filled(EDIT, remove=[ids[0], ids[7]], keys="sk-canary-another")
        await editor.send(EDIT, **gone)
        left = [*keys[1:7], *keys[8:], "sk-canary-another"]
        assert left == list((await editor.secrets("channel", "main")).values())
        _, entries = await editor.console.catalogue.everything()
        (entry,) = entries.values()
        assert 38 == sum(mark.set_ms == int(clock.now() - 9) * 1000 for mark in entry.body.marks)
        await editor.send(EDIT, **await editor.filled(EDIT, remove="keys", keys=CANARY))
        assert {"api_key": CANARY} == await editor.secrets("channel", "main")


async def test_of_two_who_edit_the_second_is_told(database):
    """What is there now beside what was to be; nothing is lost, and saving again is meant."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        form = await editor.filled(EDIT, requests_per_minute="5")
        await editor.send(EDIT, **await editor.filled(EDIT, queue_s="2.5", tokens_per_minute="3"))
        told = await editor.send(EDIT, 409, **form)
        said = Seen(told.text).text
        assert "eve changed it while you were editing" in said
        assert all(words in said for words in ("requests_per_minute", "tokens_per_minute", "2.5"))
        assert "requests_per_minute" not in await editor.document("channel", "main")
        await editor.send(EDIT, **fields(told))
        found = await editor.document("channel", "main")
        assert (5, True) == (found["requests_per_minute"], "queue_s" not in found)
        assert {"api_key": CANARY} == await editor.secrets("channel", "main")


async def test_what_two_have_changed_is_put_together(database):
    """Mine where I have changed something, else theirs; nobody's key is taken away for another's."""
    async with editing(database) as editor:
        await editor.put("channel", "main", {"provider": "openai", "api_keys": ["sk-1", "sk-2"]})
        ids = re.findall(r'value="(api_keys[^"]*)"', (await editor.get(EDIT)).text)
        form = await editor.filled(EDIT, requests_per_minute="5", remove=ids[0])
        theirs = await editor.filled(EDIT, queue_s="2.5", remove=["keys"], keys="sk-3\nsk-4")
        await editor.send(EDIT, **theirs)
        told = await editor.send(EDIT, 409, **form)
        assert "Keep theirs, save what I changed" in told.text
        both = fields(told) | {"act": "merge"}
        wrong = await editor.send(EDIT, 422, **both | {"requests_per_minute": "many"})
        assert "Keep theirs, save what I changed" in wrong.text
        await editor.send(EDIT, **fields(wrong) | {"act": "merge", "requests_per_minute": "6"})
        found = await editor.document("channel", "main")
        assert (6, 2.5) == (found["requests_per_minute"], found["queue_s"])
        assert ["sk-3", "sk-4"] == list((await editor.secrets("channel", "main")).values())
        lost = await editor.send(EDIT, 422, **both | {"base": "999"})
        assert "not known any more" in lost.text


async def test_a_channel_that_went_meanwhile_is_told(database):
    """Saving makes it again, with a key of its own."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        form = await editor.filled(EDIT, requests_per_minute="5")
        await editor.put("channel", "main", None)
        told = await editor.send(EDIT, 409, **form)
        assert "deleted while you were editing" in Seen(told.text).text
        again = fields(told)
        assert ("main", "") == (again["name"], again["version"])
        refused = await editor.send("/admin/channels/new", 422, **again)
        assert 'id="keys-error"' in refused.text
        await editor.send("/admin/channels/new", **again | {"keys": CANARY})
        assert 5 == (await editor.document("channel", "main"))["requests_per_minute"]


async def test_calls_that_would_go_elsewhere_need_the_key_again(database):
    """Else whoever may change an address could read it."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        form = await editor.filled(EDIT, base_url="https://elsewhere.example/v1")
        answer = await editor.send(EDIT, 422, **form)
        assert "give the credentials again" in Seen(answer.text).text
        assert 'id="base_url-error"' in answer.text


async def test_nothing_is_lost_by_saving_a_form_as_it_is(database):
    """Every member of a channel has its field."""
    whole = CHANNEL | {
        "base_url": "https://vendor.example/v1",
        "headers": {"x-a": "sk-canary-header", "x-b": "env:B_API_KEY"},
        "proxy": "http://u:canary-12@127.0.0.1:1",
        "requests_per_minute": 5, "tokens_per_minute": 6, "max_concurrency": 7, "queue_max": 8,
        "queue_s": 2.5, "disabled": True,
        "timeouts": {"connect": 1.5, "first_byte": 2, "idle": 3, "total": 4},
        "probe": {"every_s": 60, "kind": "answer", "model": "m", "path": "/v1/models"},
    }  # fmt: skip
    named = {"name", "provider", "api_key", "api_keys", "credential"}
    assert set(ChannelEntry.__struct_fields__) <= named | set(whole)
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "m", MODEL)
        await editor.put("channel", "main", whole)
        before = await editor.document("channel", "main"), await editor.secrets("channel", "main")
        page = await editor.get(EDIT)
        assert "canary" not in page.text.replace("sealed:", "")
        await editor.send(EDIT, **fields(page))
        assert 3 == len(await editor.console.catalogue.changes())
        assert before == (
            await editor.document("channel", "main"), await editor.secrets("channel", "main")
        )  # fmt: skip
        bedrock = {
            "provider": "bedrock",
            "base_url": "https://bedrock-runtime.eu-central-1.amazonaws.com",
            "credential": {
                "region": "eu-central-1",
                "key_id": "AKIA0123456789AB",
                "secret": "canary-of-aws-12345",
            },
        }
        await editor.put("channel", "cloud", bedrock)
        edit = "/admin/channels/edit?name=cloud"
        await editor.send(edit, **await editor.filled(edit))
        assert 4 == len(await editor.console.catalogue.changes())
        renamed = await editor.filled(edit, **{"credential.session_token": "t", "remove": ""})
        assert "give the credentials again" in (await editor.send(edit, 422, **renamed)).text


async def test_a_copy_has_everything_but_credentials(database, tmp_path):
    """Of the file's as well."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        await editor.put(
            "channel", "main", CHANNEL | {"requests_per_minute": 9, "headers": {"x-a": "canary"}}
        )
        for name in ("main", "filed"):
            page = await editor.get(f"/admin/channels/new?copy={name}")
            assert "canary" not in page.text
            form = fields(page)
            assert f"{name}-2" == form["name"]
            await editor.send("/admin/channels/new", **form | {"keys": "sk-canary-of-a-copy"})
        assert 9 == (await editor.document("channel", "main-2"))["requests_per_minute"]
        assert 404 == (await editor.visitor.get("/admin/channels/new?copy=none")).status_code


async def test_the_file_has_its_own(database, tmp_path):
    """Shown with their line; never edited here, and a name is in one place."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        await editor.put("channel", "main", CHANNEL)
        text = (await editor.get("/admin/channels")).text
        assert "trivium.toml:5" in text
        assert ("edit?name=main" in text, "edit?name=filed" in text) == (True, False)
        assert "canary" not in text
        path = "/admin/channels/edit?name=filed"
        assert 404 == (await editor.visitor.get(path)).status_code
        form = await editor.filled(NEW, name="filed", keys=CANARY)
        taken = await editor.send("/admin/channels/new", 422, **form)
        assert "is taken" in Seen(taken.text).text
        assert 'id="name-error"' in taken.text


async def test_only_administrators_change_channels(database):
    """And only by a form of ours."""
    async with editing(database) as editor:
        form = await editor.filled(NEW, name="main", keys=CANARY)
        await editor.send("/admin/channels/new", 403, **form, csrf="x")
        console = editor.console
        async with visiting(database, console) as visitor:
            for path in (NEW, EDIT, "/admin/changes", "/admin/catalogue/ask"):
                assert 303 == (await visitor.get(path)).status_code, path
            await visitor.log_in(await user_of(console, "ada"))
            await visitor.get("/account/keys/new")
            for path in (NEW, EDIT, "/admin/changes", "/admin/catalogue/ask"):
                assert 403 == (await visitor.get(path)).status_code, path
            for path in ("/admin/channels/new", EDIT, "/admin/catalogue/ask"):
                assert 403 == (await visitor.post(path, **form)).status_code, path
        assert await editor.document("channel", "main") is None


async def test_thousands_of_channels_are_found_by_name(database):
    """A page at a time."""
    async with editing(database) as editor:
        edits = [
            EntryEdit(at=EntryName("channel", f"c{n:04}"), document={"provider": "ollama"})
            for n in range(2_000)
        ]
        await editor.console.catalogue.change(edits, ChangeAuthor(), together=True)
        text = (await editor.get("/admin/channels")).text
        assert (True, False) == ("edit?name=c0024" in text, "edit?name=c0025" in text)
        assert "edit?name=c0025" in (await editor.get("/admin/channels?from=25")).text
        found = (await editor.get("/admin/channels?q=C1999")).text
        assert (True, False) == ("edit?name=c1999" in found, "edit?name=c0000" in found)
        assert "No channel fits" in (await editor.get("/admin/channels?q=zz")).text
