"""One user before an administrator."""

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, user_of, visiting
from trivium.console.admin import user
from trivium.identity.model import UserRole
from trivium.observe import store as records
from trivium.observe.record import Record


@pytest_asyncio.fixture
async def boss(database, clock):
    """An administrator's browser, and ada with a key."""
    async with visiting(database, console_over(database, clock)) as visitor:
        visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
        visitor.ada = await user_of(visitor.console)
        visitor.key, _ = await visitor.console.identity.create_key("ada", "laptop")
        visitor.page = f"/admin/users/{visitor.ada.id}"
        await visitor.log_in(visitor.eve)
        await visitor.get("/admin/users")
        yield visitor


async def requested(boss, number, model):
    """A request of ada's, as the relay records it."""
    record = Record(
        request_id=f"req_{number}",
        at=boss.console.clock.now() + number,
        operation="chat",
        user_id=boss.ada.id,
        key_id=boss.key.id,
        model=model,
        status=200,
    )
    async with boss.console.database.write() as conn:
        await records.insert(conn, [records.row_of(record, int)])


async def told(boss):
    acts = await boss.console.audit.everything(user_id=boss.ada.id)
    return [(act.kind, act.actor_id, act.subject_id) for act in acts]


@pytest.mark.asyncio
async def test_account_keys_and_requests_are_on_one_page(boss, monkeypatch):
    """Requests page by page, each with a page of its own; links stay among the administrator's."""
    monkeypatch.setattr(user, "REQUESTS", 1)
    for number, model in enumerate(("older-model", "newer-model")):
        await requested(boss, number, model)
    page = await boss.get(boss.page)
    words = Seen(page.text).words
    assert {"ada", "ada@example.com", "$0.00", "laptop", "newer-model", "Disable"} <= set(words)
    assert "older-model" not in page.text
    links = [of["href"] for name, of in Seen(page.text).elements if name == "a" and "href" in of]
    assert f"{boss.page}/keys/{boss.key.id}" in links
    assert f"{boss.page}/requests/req_1" in links
    assert "/admin/credit?user=ada%40example.com" in links
    (older,) = [link for link in links if "before=" in link]
    page = await boss.get(older)
    assert "older-model" in page.text
    assert "newer-model" not in page.text
    page = await boss.get(f"{boss.page}/requests/req_0")
    assert "older-model" in page.text
    assert "/account/statement/" not in page.text


@pytest.mark.asyncio
async def test_an_administrator_handles_another_s_keys(boss):
    """The log says who did it, and whose they are."""
    at = f"{boss.page}/keys"
    page = await boss.get(f"{at}/{boss.key.id}")
    assert f'action="{at}/{boss.key.id}"' in page.text
    saved = await boss.post(f"{at}/{boss.key.id}", name="phone", models="m")
    assert (303, boss.page) == (saved.status_code, saved.headers["location"])
    for act in ("pause", "resume", "revoke"):
        done = await boss.post(f"{at}/{act}", key=str(boss.key.id))
        assert (303, boss.page) == (done.status_code, done.headers["location"])
    (key,) = await boss.console.own_keys.all(boss.ada.id)
    assert ("phone", ("m",), False, True) == (key.name, key.models, key.paused, key.disabled)
    by = (boss.eve.id, boss.ada.id)
    assert [
        ("key_revoked", *by), ("key_resumed", *by), ("key_paused", *by), ("key_changed", *by),
    ] == await told(boss)  # fmt: skip
    refused = await boss.post(f"{at}/pause", key=str(boss.key.id))
    assert 422 == refused.status_code
    assert "There is no such key, or it has been revoked." in refused.text


@pytest.mark.asyncio
async def test_a_key_is_its_owners_also_for_an_administrator(boss):
    """Under another's address there is nothing."""
    at = f"/admin/users/{boss.eve.id}/keys"
    assert 404 == (await boss.get(f"{at}/{boss.key.id}")).status_code
    assert 422 == (await boss.post(f"{at}/revoke", key=str(boss.key.id))).status_code
    await requested(boss, 1, "m")
    path = f"/admin/users/{boss.eve.id}/requests/req_1"
    assert 404 == (await boss.get(path)).status_code
    assert not (await boss.console.own_keys.all(boss.ada.id))[0].disabled


@pytest.mark.asyncio
async def test_a_user_is_switched_from_their_page_and_back_there(boss):
    """Not by their own hand: one's own page has no such buttons."""
    done = await boss.post("/admin/users", user=str(boss.ada.id), to="disabled", page="1")
    assert boss.page == done.headers["location"]
    words = Seen((await boss.get(boss.page)).text).words
    assert {"disabled", "Enable"} <= set(words)
    own = Seen((await boss.get(f"/admin/users/{boss.eve.id}")).text).words
    assert not {"Disable", "Make user"} & set(own)


@pytest.mark.asyncio
@pytest.mark.parametrize("number", ["999", "9" * 30])
async def test_nobody_is_there(boss, number):
    """By whatever number."""
    for path in ("", "/keys/1", "/requests/req_1"):
        assert 404 == (await boss.get(f"/admin/users/{number}{path}")).status_code
    for path in ("/keys/1", "/keys/pause"):
        assert 404 == (await boss.post(f"/admin/users/{number}{path}", key="1")).status_code
    refused = await boss.post("/admin/users", user=number, to="disabled")
    assert (303, "/admin/users") == (refused.status_code, refused.headers["location"])


@pytest.mark.asyncio
async def test_only_administrators_see_it(boss):
    """A user does not, not even their own; a visitor is sent to log in."""
    async with visiting(boss.console.database, boss.console) as visitor:
        for path in ("", f"/keys/{boss.key.id}", "/requests/req_1"):
            assert 303 == (await visitor.get(boss.page + path)).status_code
        await visitor.log_in(boss.ada)
        await visitor.get("/account")
        for path in ("", f"/keys/{boss.key.id}", "/requests/req_1"):
            assert 403 == (await visitor.get(boss.page + path)).status_code
        for path in (f"/keys/{boss.key.id}", "/keys/pause", "/keys/resume", "/keys/revoke"):
            answer = await visitor.post(boss.page + path, key=str(boss.key.id), name="x")
            assert 403 == answer.status_code
        assert [] == await told(boss)


@pytest.mark.asyncio
async def test_who_has_not_proved_lately_who_they_are_is_asked_again(boss):
    """Before another's key is shown to be changed, or touched."""
    boss.console.clock.advance(3600)
    for answer in (
        await boss.get(f"{boss.page}/keys/{boss.key.id}"),
        await boss.post(f"{boss.page}/keys/revoke", key=str(boss.key.id)),
    ):
        assert answer.headers["location"].startswith("/login/confirm?")
    assert not (await boss.console.own_keys.all(boss.ada.id))[0].disabled
