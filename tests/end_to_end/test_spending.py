"""An application spends on a running gateway: up to the cap, with any of its keys, until consent is
taken back.
"""

import asyncio
import time
from base64 import b64encode
from functools import partial
from urllib.parse import urlencode

import msgspec
import pytest

from end_to_end.running import ANSWER, VENDOR_KEY, database, listening, prepare, start
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.service import Identity
from trivium.ledger.entries import Entries
from trivium.ledger.model import NANOS, EntryKind
from trivium.oauth.consent import request
from trivium.oauth.consent.model import Decision
from trivium.oauth.tokens.model import CodeGrant
from trivium.settings.model import ServerSettings, Settings
from trivium.settings.section import OAuthSettings as Rules
from trivium.storage.root_key import RootKeys
from trivium.wiring.console import oauth_of
from waiting import within

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
CALLBACK = "https://shop.example/cb"
WITHIN_S = 2.0


def priced(vendor):
    """A model whose every request costs a dollar, and applications that may spend."""
    return (
        '[server]\nlisten = "127.0.0.1:0"\n[ledger]\nflush_s = 0.05\n[oauth]\nspend = true\n'
        f'[[channels]]\nname = "main"\nprovider = "openai"\napi_key = "{VENDOR_KEY}"\n'
        f'base_url = "http://127.0.0.1:{vendor.port}/v1"\n'
        '[[models]]\nname = "m"\nprice = { input = "0", output = "0", per_request = "1" }\n'
        '[[models.bindings]]\nchannel = "main"\n'
    )


class Shop:
    """An application with ada's consent, beside the running gateway."""

    def __init__(self, db):
        settings = Settings(
            server=ServerSettings(public_url="https://gateway.example"), oauth=Rules(spend=True)
        )
        self.oauth = oauth_of(settings, db, SystemClock(), RootKeys(b"k" * 32))
        self.people = Identity(db, SystemClock())
        self.entries = Entries(db, SystemClock())

    async def consented(self, cap_nanos):
        """Registered, let in, with an access token."""
        self.ada = await self.people.find_user("ada")
        owner = await self.people.create_user("owner", "owner@example.org")
        self.app, self.secret = await self.oauth.apps.create(owner.id, "Shop", "", CALLBACK)
        given = {
            "client_id": self.app.client_id.encode(),
            "redirect_uri": CALLBACK.encode(),
            "response_type": b"code",
            "scope": b"profile spend",
            "state": b"s",
        }
        asked = request.check(
            list(given.items()), self.app, strict_state=False, issuer="", spend=True
        )
        pending = await self.oauth.consents.begin(asked)
        await self.oauth.consents.weigh(pending, self.ada.id, is_framed=False)
        where = await self.oauth.consents.approve(
            pending, self.ada.id, Decision.ASK, cap_nanos=cap_nanos
        )
        code = dict(request.parameters(where.partition("?")[2].encode()))["code"].decode()
        grant = CodeGrant(code=code, redirect_uri=CALLBACK, verifier=None)
        self.token = (await self.oauth.tokens.exchange(self.app, grant)).access_token

    def exchange(self):
        """The bytes of a request for a key."""
        body = urlencode({"access_token": self.token}).encode()
        basic = b64encode(f"{self.app.client_id}:{self.secret}".encode()).decode()
        lines = [
            "POST /api/oauth2/spend_key HTTP/1.1",
            "Host: gateway",
            f"Authorization: Basic {basic}",
            "Content-Type: application/x-www-form-urlencoded",
            f"Content-Length: {len(body)}",
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def key_of(gateway, shop):
    """A key, as the application is given it, in force."""
    status, _, body = await gateway.send(shop.exchange())
    assert 200 == status, body
    key = msgspec.json.decode(body)["key"]
    # a key that is known asks for a model that is not
    await within(WITHIN_S, partial(gateway.answers, 404, gateway.chat(key=key, model="none")))
    return key


@pytest.mark.asyncio
async def test_an_application_spends_up_to_its_cap_and_no_longer_than_consent(tmp_path):
    """429 `insufficient_quota` at the cap, whichever of its keys asks, while the user's own key goes
    on; 401 within two seconds of the user's taking consent back.
    """
    async with Double([OK] * 40) as vendor, database(tmp_path) as db:
        own = await prepare(tmp_path, priced(vendor))
        shop = Shop(db)
        await shop.consented(3 * NANOS)
        await shop.entries.book(shop.ada.id, EntryKind.TOP_UP, 100 * NANOS)
        gateway = start(tmp_path, own)
        try:
            await listening(gateway)
            assert 401 == (await gateway.send(gateway.chat(key=shop.token)))[0]
            first, second = await key_of(gateway, shop), await key_of(gateway, shop)
            statuses = [
                (await gateway.send(gateway.chat(key=key)))[0]
                for key in (first, second, first, second, first)
            ]
            assert [200, 200, 200, 429, 429] == statuses
            third = await key_of(gateway, shop)
            status, headers, body = await gateway.send(gateway.chat(key=third))
            assert (429, "insufficient_quota") == (
                status,
                msgspec.json.decode(body)["error"]["code"],
            )
            assert b"false" == headers[b"x-should-retry"]
            assert 200 == (await gateway.send(gateway.chat(key=own)))[0]
            (consent,) = await shop.oauth.consents.authorized(shop.ada.id)
            await shop.oauth.spending.set_cap(shop.ada.id, consent.grant.id, 5 * NANOS)
            served = partial(gateway.answers, 200, gateway.chat(key=first))
            await within(2 * WITHIN_S, served, pause_s=0.05)
            assert {consent.grant.id: 4 * NANOS} == await booked(shop, 4)
            await shop.oauth.consents.revoke(shop.ada.id, consent.grant.id)

            async def all_refused():
                asked = [
                    gateway.answers(401, gateway.chat(key=key)) for key in (first, second, third)
                ]
                return all([await refused for refused in asked])

            await within(WITHIN_S, all_refused)
            assert 400 == (await gateway.send(shop.exchange()))[0]
        finally:
            gateway.process.terminate()
            await gateway.ended()
        assert [] == await shop.entries.verify()


async def booked(shop, dollars):
    """What is summed up for the consent, once everything is booked."""
    deadline = time.monotonic() + 5
    while True:
        spent = await shop.oauth.spending.spent(shop.ada.id)
        if sum(spent.values()) >= dollars * NANOS:
            return spent
        assert time.monotonic() < deadline, spent
        await asyncio.sleep(0.05)
