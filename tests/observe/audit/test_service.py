"""Acts are told without failing what they tell of, and read back page by page."""

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from trivium.observe.audit.model import ActKind
from trivium.observe.audit.service import PAGE_MAX, Audit
from trivium.observe.sweep import RecordSweeper
from trivium.storage.errors import StorageDown

ADA, BOB, ROOT = 1, 2, 9


@pytest.fixture
def audit(database, clock):
    return Audit(database, clock)


@pytest.mark.asyncio
async def test_an_act_is_read_back_as_it_was_told(audit, clock):
    """With the moment, both people, and where from."""
    assert await audit.add(
        ActKind.KEY_REVOKED,
        actor=ROOT,
        subject=ADA,
        what="key:12",
        address="2001:db8::1",
        agent="Mozilla/5.0\r\nX",
        detail={"reason": "leaked"},
    )
    (act,) = await audit.everything()
    assert (int(clock.now() * 1000), ROOT, ADA) == (act.at_ms, act.actor_id, act.subject_id)
    assert ("key_revoked", "key:12", "2001:db8::1") == (act.kind, act.what, act.address)
    assert ("Mozilla/5.0\ufffd\ufffdX", '{"reason":"leaked"}') == (act.agent, act.detail)


@pytest.mark.asyncio
async def test_a_user_sees_both_roles_and_nobody_elses(audit):
    """What they did, what was done to them, each once, newest first."""
    await audit.add(ActKind.LOGIN, actor=ADA, subject=ADA)
    await audit.add(ActKind.LOGIN, actor=BOB, subject=BOB)
    await audit.add(ActKind.USER_DISABLED, actor=ROOT, subject=ADA)
    await audit.add(ActKind.INVITATION, actor=ADA)
    assert ["invitation", "user_disabled", "login"] == [a.kind for a in await audit.of_user(ADA)]
    assert ["login"] == [a.kind for a in await audit.of_user(BOB)]


@pytest.mark.parametrize("whose", ["of_user", "everything"])
@pytest.mark.asyncio
async def test_pages_follow_each_other_without_gap_or_repeat(audit, whose):
    """Also when acts arrive between two pages."""
    for n in range(7):
        await audit.add(ActKind.LOGIN, actor=ADA if n % 2 else None, subject=ADA, what=f"{n}")
    seen, before = [], None

    async def page():
        if whose == "of_user":
            return await audit.of_user(ADA, before, 3)
        return await audit.everything(before, 3)

    while acts := await page():
        seen += [int(act.what) for act in acts]
        before = acts[-1].id
        await audit.add(ActKind.LOGIN, actor=ADA, subject=ADA, what="99")
    assert [6, 5, 4, 3, 2, 1, 0] == seen


@pytest.mark.asyncio
async def test_admins_filter_by_kind_and_user(audit):
    """Each alone, and both together."""
    await audit.add(ActKind.LOGIN, actor=ADA, subject=ADA, what="1")
    await audit.add(ActKind.LOGIN, actor=BOB, subject=BOB, what="2")
    await audit.add(ActKind.LOGIN_FAILED, subject=ADA, what="3")

    async def found(**by):
        return [act.what for act in await audit.everything(**by)]

    assert ["2", "1"] == await found(kind=ActKind.LOGIN)
    assert ["3", "1"] == await found(user_id=ADA)
    assert ["3"] == await found(kind=ActKind.LOGIN_FAILED, user_id=ADA)
    assert [] == await found(kind=ActKind.LOGIN_FAILED, user_id=BOB)


@pytest.mark.asyncio
async def test_a_page_has_a_ceiling(audit, database):
    """Whatever a query string asks for; of all acts one more, by which the end of a page is told."""
    async with database.write() as conn:
        for _ in range(PAGE_MAX + 2):
            await audit.within(conn, ActKind.LOGIN, subject=ADA)
    assert [PAGE_MAX + 1, PAGE_MAX] == [
        len(await audit.everything(limit=10**6)),
        len(await audit.of_user(ADA, limit=10**6)),
    ]


@pytest.mark.asyncio
async def test_a_log_that_cannot_be_written_fails_nobody(audit, database, monkeypatch):
    """The act goes to the process's own log instead, whole."""

    def down():
        raise StorageDown("away")

    monkeypatch.setattr(database, "write", down)
    with capture_logs() as logs:
        assert not await audit.add(ActKind.LOGIN, actor=ADA, subject=ADA, address="192.0.2.1")
    (line,) = logs
    assert ("act_not_stored", "error") == (line["event"], line["log_level"])
    assert ("login", ADA, "192.0.2.1") == (line["act"], line["subject"], line["address"])


@pytest.mark.asyncio
async def test_an_act_within_a_transaction_shares_its_fate(audit, database):
    """Told and done, or neither."""

    async def fail():
        async with database.write() as conn:
            await audit.within(conn, ActKind.USER_CREDIT, subject=ADA)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert [] == await audit.everything()
    async with database.write() as conn:
        await audit.within(conn, ActKind.USER_CREDIT, subject=ADA)
    assert 1 == len(await audit.everything())


@pytest.mark.asyncio
async def test_old_acts_are_swept(audit, database, clock):
    """By the same sweeper as records, and only what is older than the retention."""
    from trivium.observe.audit.store import delete_before

    await audit.add(ActKind.LOGIN, subject=ADA, what="old")
    clock.advance(401 * 86_400)
    await audit.add(ActKind.LOGIN, subject=ADA, what="new")
    async with database.write() as conn:
        assert 0 == await conn.scalar(text("SELECT count(*) FROM acts WHERE kind = 'logout'"))
    sweeper = RecordSweeper(database, 400, clock, name="acts", delete=delete_before)
    with capture_logs() as logs:
        assert await sweeper.round()
    assert ["new"] == [act.what for act in await audit.everything()]
    assert [("swept", "acts", 1)] == [(line["event"], line["what"], line["rows"]) for line in logs]
