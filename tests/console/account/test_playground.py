"""The playground: who may ask, and what is handed over."""

import msgspec
import pytest

from console.account.test_models import DRAWING, PRICED, over
from console.visiting import user_of, visiting
from trivium.console import app
from trivium.console.account.playground import BILL, CALL
from trivium.conversation.usage import Usage
from trivium.identity.keys import digest
from trivium.observe import store
from trivium.observe.record import Record
from trivium.pipeline.hand_over import MESSAGE

BODY = b'{"model":"gpt-x"}'


async def made(visitor, name="ada"):
    """Somebody who is logged in, with a key: its id and secret."""
    user = await user_of(visitor.console, name)
    await visitor.log_in(user)
    key, secret = await visitor.console.identity.create_key(name, "laptop")
    await visitor.get("/account/playground")
    return user, key, secret


async def handed(visitor, path="/v1/chat/completions", query=b"", **headers):
    """What the application sends for a call of the page: to the relay, or as an answer."""
    sent = []
    told = {
        "content-type": "application/json", "x-csrf-token": visitor.token,
        "sec-fetch-site": "same-origin", "trivium-playground-key": "1",
    }  # fmt: skip
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    cookie = "; ".join(f"{c.name}={c.value}" for c in visitor.client.cookies.jar)
    if cookie:
        told.setdefault("cookie", cookie)
    scope = {
        "type": "http", "method": "POST", "path": CALL + path, "raw_path": (CALL + path).encode(),
        "query_string": query, "root_path": "", "scheme": "https", "http_version": "1.1",
        "headers": [(n.encode(), v.encode("latin-1")) for n, v in told.items() if v is not None],
        "client": ("198.51.100.7", 1), "server": None, "state": {"request_id": "req_test"},
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": BODY, "more_body": False}

    async def send(message):
        sent.append(message)

    await app.build(visitor.console)(scope, receive, send)
    return sent


@pytest.mark.asyncio
async def test_a_call_goes_to_the_relay_with_the_key_that_was_picked(database):
    """By its digest: the page never has its secret."""
    async with visiting(database, over(database, PRICED)) as visitor:
        _, key, secret = await made(visitor)
        (message,) = await handed(
            visitor, "/v1beta/models/a%2Fb:streamGenerateContent", b"alt=sse",
            trivium_playground_key=str(key.id),
        )  # fmt: skip
        assert MESSAGE == message["type"]
        assert (
            b"/v1beta/models/a%2Fb:streamGenerateContent", b"alt=sse", digest(secret),
        ) == tuple(message["to"])  # fmt: skip
        page = (await visitor.get("/account/playground")).text
        assert secret not in page


def answered(sent):
    start, body = sent
    return start["status"], msgspec.json.decode(body["body"])["error"]["message"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("headers", "status", "told"),
    [
        ({"cookie": None}, 401, "not logged in"),
        ({"x_csrf_token": "x"}, 403, "x-csrf-token"),
        ({"x_csrf_token": None}, 403, "x-csrf-token"),
        ({"sec_fetch_site": "cross-site"}, 403, ""),
        ({"sec_fetch_site": "same-site"}, 403, ""),
        ({"sec_fetch_site": None, "origin": "https://evil.example"}, 403, ""),
        ({"trivium_playground_key": "2"}, 400, "key: is not one of yours"),
        ({"trivium_playground_key": "x"}, 400, "the id of one of your keys"),
        ({"trivium_playground_key": None}, 400, "the id of one of your keys"),
        ({"trivium_playground_key": "9" * 400}, 400, "the id of one of your keys"),
        ({"trivium_playground_key": "\u00b2"}, 400, "the id of one of your keys"),
    ],
)
async def test_nobody_spends_what_is_not_theirs(database, headers, status, told):
    """Not another site's page, not another's key, not without a session; each is told why."""
    async with visiting(database, over(database, PRICED)) as visitor:
        await made(visitor)
        await visitor.console.identity.create_user("eve", "eve@example.com")
        await visitor.console.identity.create_key("eve", "hers")
        found = answered(await handed(visitor, **headers))
        assert status == found[0]
        assert told in found[1]


@pytest.mark.asyncio
async def test_a_revoked_key_asks_nothing(database):
    """And is not offered."""
    async with visiting(database, over(database, PRICED)) as visitor:
        user, key, _ = await made(visitor)
        await visitor.console.own_keys.revoke(user.id, key.id)
        assert 400 == answered(await handed(visitor))[0]
        assert "Make a key first" in (await visitor.get("/account/playground")).text


@pytest.mark.asyncio
async def test_only_models_that_talk_are_offered(database):
    """The one that was asked for is chosen, if there is one of that name."""
    async with visiting(database, over(database, DRAWING, PRICED, {"name": "open"})) as visitor:
        await made(visitor)
        page = (await visitor.get("/account/playground?model=open")).text
        assert ('value="open" autocomplete' in page, "dall-e-3" in page) == (True, False)
        page = (await visitor.get('/account/playground?model="><b>')).text
        assert 'value="gpt-x" autocomplete' in page
        assert "<b>" not in page
    async with visiting(database, over(database)) as visitor:
        await visitor.log_in(await visitor.console.identity.find_user("ada"))
        assert "No models yet" in (await visitor.get("/account/playground")).text


@pytest.mark.asyncio
async def test_a_bill_is_told_once_it_is_written(database):
    """To whoever made the request, and to nobody else."""
    async with visiting(database, over(database, PRICED)) as visitor:
        user, key, _ = await made(visitor)
        assert 404 == (await visitor.get(f"{BILL}/req_1")).status_code
        row = Record(
            request_id="req_1", at=visitor.console.clock.now(), user_id=user.id, key_id=key.id,
            operation="chat", model="gpt-x", status=200, total_ms=1530.0,
            usage=Usage(fresh=12_345, output=678),
        )  # fmt: skip
        async with visitor.console.database.write() as conn:
            await store.insert(conn, [store.row_of(row, int)])
        told = (await visitor.get(f"{BILL}/req_1")).json()
        assert {
            "cost": None, "input_tokens": "12,345", "output_tokens": "678",
            "duration": "1.5 s", "path": "/account/usage/req_1",
        } == told  # fmt: skip
        await visitor.log_in(await user_of(visitor.console, "eve"))
        assert 404 == (await visitor.get(f"{BILL}/req_1")).status_code
        visitor.client.cookies.clear()
        assert 401 == (await visitor.get(f"{BILL}/req_1")).status_code
