"""The pages plane on its port."""

import asyncio
import re

import httpx
import msgspec
import pytest

from end_to_end.running import ANSWER, settings
from ports import free_port
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.accounts.model import Visitor, Way
from trivium.identity.accounts.sessions import Sessions
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.storage.database import Database
from trivium.wiring import pages
from wiring.serving import Nobody, serving, sqlite

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


@pytest.mark.asyncio
async def test_pages_may_have_a_port_of_their_own(tmp_path):
    """Models are refused there; the relay's port keeps its health for whoever balances load."""
    async with (
        Double([OK]) as vendor,
        serving(
            tmp_path, settings(vendor, server=f'admin_listen = "127.0.0.1:{free_port()}"')
        ) as gateway,
    ):
        assert 2 == len(gateway.origins)
        for number in (0, 1):
            assert [200] * 3 == [(await gateway.get(path, number=number))[0] for path in PAGES]
        assert (200, 200) == ((await gateway.chat())[0], (await gateway.get("/v1/models"))[0])
        for answer in (await gateway.chat(number=1), await gateway.get("/v1/models", number=1)):
            status, headers, body = answer
            assert (404, "unknown_url") == (status, msgspec.json.decode(body)["error"]["code"])
            assert headers[b"x-request-id"] == headers[b"request-id"]
        assert 1 == len(vendor.requests)


@pytest.mark.asyncio
async def test_the_pages_for_people_are_there_when_somebody_asks(tmp_path):
    """On the port that has pages; several who ask first wait for one building."""
    own = f'admin_listen = "127.0.0.1:{free_port()}"'
    async with (
        Double([OK]) as vendor,
        serving(tmp_path, settings(vendor, server=own)) as gateway,
    ):
        asking = [gateway.get("/login", number=1) for _ in range(3)]
        for status, headers, body in await asyncio.gather(*asking):
            assert (200, b"no-store") == (status, headers[b"cache-control"])
            assert b"<h1>" in body
        status, _, body = await gateway.get("/login")
        assert (404, "unknown_url") == (status, msgspec.json.decode(body)["error"]["code"])


@pytest.mark.asyncio
async def test_pages_that_could_not_be_built_are_built_when_they_can_be(tmp_path, monkeypatch):
    """What was missing then, a key's file say, may be there by now; models are served meanwhile."""
    real, built = pages._import_console, []

    def fails_at_first():
        built.append(True)
        if len(built) == 1:
            raise PermissionError(13, "Permission denied", "trivium.key")
        return real()

    monkeypatch.setattr(pages, "_import_console", fails_at_first)
    async with Double([OK]) as vendor, serving(tmp_path, settings(vendor)) as gateway:
        assert 500 == (await gateway.get("/login"))[0]
        assert 200 == (await gateway.chat())[0]
        assert [200] * 2 == [(await gateway.get("/login"))[0] for _ in range(2)]
    assert 2 == len(built)


@pytest.mark.asyncio
async def test_the_catalogue_is_edited_while_the_shared_state_is_away(tmp_path):
    """Pages ask the database alone: a channel is made, and what the workers share is not missed."""
    rest = '[shared]\nurl = "redis://127.0.0.1:9/0"\n'
    async with serving(tmp_path, settings(Nobody(), rest=rest)) as gateway:
        database = Database(sqlite(tmp_path))
        boss = await Identity(database, SystemClock()).create_user(
            "eve", "eve@example.com", UserRole.ADMIN
        )
        async with database.write() as conn:
            sessions = Sessions(database, SystemClock(), idle_s=3600, lifetime_s=3600)
            token = await sessions.begin(conn, boss.id, Way.PASSWORD, Visitor(address="::1"))
        await database.close()
        async with httpx.AsyncClient(
            base_url=gateway.origins[0], cookies={"gw_session": token},
            headers={"accept": "text/html"}, timeout=30,
        ) as browser:  # fmt: skip
            for page in ("/admin", "/admin/channels", "/admin/models", "/admin/prices"):
                assert 200 == (await browser.get(page)).status_code, page
            form = await browser.get("/admin/channels/new?provider=openai")
            csrf = re.search(r'name="csrf" value="([^"]+)"', form.text)[1]
            sent = {"csrf": csrf, "provider": "openai", "name": "spare", "keys": "sk-spare"}
            made = await browser.post("/admin/channels/new", data=sent | {"act": "save"})
            assert 303 == made.status_code, made.text[-2000:]
            assert "spare" in (await browser.get("/admin/channels")).text
