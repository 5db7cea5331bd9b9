"""Somebody is exported and erased: whole, again after a kill, and not while others need them."""

import pytest
import pytest_asyncio
from sqlalchemy import func, select, text

from identity.erasure.marks import ANA, BEN, fill
from trivium.clock import FixedClock
from trivium.identity.directory import Directory
from trivium.identity.erasure import store
from trivium.identity.erasure.service import Erasure
from trivium.identity.erasure.tables import PERSONAL
from trivium.identity.errors import IdentityError, KeptError
from trivium.identity.model import UserKind, UserRole
from trivium.identity.revocation import ActLog
from trivium.identity.service import Identity
from trivium.identity.snapshot import Snapshot
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.service import Teams
from trivium.observe.audit.model import COMMAND_LINE, ActKind
from trivium.observe.audit.service import Audit
from trivium.storage.errors import StorageError
from trivium.storage.schema.core import holds, keys, leases, users
from trivium.storage.schema.idempotency import kept_answers
from trivium.storage.schema.oauth import oauth_apps, oauth_grants
from trivium.storage.schema.requests import acts, jobs, records, stored_responses, traces

pytestmark = pytest.mark.asyncio
CLOCK = FixedClock()


@pytest_asyncio.fixture
async def filled(database):
    """Two people with rows everywhere; nobody of them has applications."""
    async with database.write() as conn:
        await conn.run_sync(fill)
        await conn.execute(oauth_apps.update().values(user_id=BEN))
    return database


async def whole(db):
    """What is known of Ana now."""
    return (await Erasure(db, CLOCK).page(ANA, None, 1000)).rows


async def test_a_kill_between_any_two_transactions_is_made_good(filled, monkeypatch):
    """Each stop leaves something that a repetition, by the id, brings to the same end."""
    stops, done = 0, False
    write = filled.write
    while not done:
        left = stops

        def counted(limit_s=30.0):
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            return write(limit_s)

        monkeypatch.setattr(filled, "write", counted)
        try:
            await Erasure(filled, CLOCK).erase(None, ANA)
            done = True
        except KeyboardInterrupt:
            stops += 1
        assert stops < 100
    monkeypatch.setattr(filled, "write", write)
    assert stops > 20
    assert {"rows": {}} == {"rows": (await Erasure(filled, CLOCK).erase(None, ANA)).rows}
    shown = await whole(filled)
    assert not {"sessions", "tickets", "passkeys", "oauth_grants"} & {row["table"] for row in shown}
    (user,) = [row for row in shown if row["table"] == "users"]
    assert ("erased:1", None, "erased") == (user["name"], user["email"], user["kind"])


async def test_slices_reach_the_last_row(database):
    """Records and acts of many slices, none of anybody else's."""
    identity = Identity(database, CLOCK)
    ada = await identity.create_user("ada", "ada@example.org")
    eve = await identity.create_user("eve", "eve@example.org")
    log = ActLog(Audit(database, CLOCK))
    (of,) = [each for each in PERSONAL if each.name == "records"]
    count = 2 * of.slice + 7
    base = {c.name: 0 if c.type.python_type is int else "" for c in records.c if not c.nullable}
    base |= {"stream": False, "end_user": "customer-17"}
    async with database.write() as conn:
        for user in (ada, eve):
            # all at one moment: the position must be unique
            rows = [
                {**base, "request_id": f"{user.id}-{n}", "user_id": user.id} for n in range(count)
            ]
            await conn.execute(records.insert(), rows)
    done = await Erasure(database, CLOCK).erase(None, ada.id, log.within)
    assert count == done.rows["records"]
    async with database.read() as conn:
        query = select(records.c.user_id, func.count()).where(records.c.end_user != "")
        assert [(eve.id, count)] == [
            tuple(r) for r in await conn.execute(query.group_by(records.c.user_id))
        ]


async def test_what_applications_kept_goes_too(filled):
    """Their answers have the consent's number, negative, as owner; also where the consent is gone
    and a key alone still names it.
    """
    async with filled.write() as conn:
        await conn.execute(keys.update().where(keys.c.user_id == ANA).values(grant_id=77))
        for table in (stored_responses, traces):
            (row,) = (await conn.execute(table.select().where(table.c.user_id == BEN))).all()
            for owner in (-1, -77, -2):
                await conn.execute(table.insert().values({**row._mapping, "user_id": owner}))
    await Erasure(filled, CLOCK).erase(None, ANA)
    async with filled.read() as conn:
        for table in (stored_responses, traces):
            assert {BEN, -2} == set(await conn.scalars(select(table.c.user_id)))
        assert [BEN] == list(await conn.scalars(select(oauth_grants.c.user_id)))


async def _open_job(conn):
    await conn.execute(jobs.update().where(jobs.c.user_id == ANA).values(status="in_progress"))


async def _hold(conn):
    values = {"request_id": "r", "user_id": BEN, "amount_nanos": 1, "bill": "{}", "created_at": 1}
    await conn.execute(holds.insert().values(values))
    # paid by somebody else, asked for by Ana
    await conn.execute(jobs.update().where(jobs.c.user_id == ANA).values(request_id="r"))


async def _answer(conn):
    await conn.execute(
        kept_answers.update().where(kept_answers.c.user_id == ANA).values(state="running")
    )


async def _lease(conn):
    await conn.execute(leases.update().where(leases.c.user_id == ANA).values(amount_nanos=5))


@pytest.mark.parametrize(
    ("begin", "said"),
    [(_open_job, "videos"), (_hold, "amounts"), (_answer, "answers"), (_lease, "workers")],
)
async def test_nothing_is_erased_while_something_is_under_way(filled, begin, said):
    """The account is shut, so that it ends; what there is says what remains."""
    async with filled.write() as conn:
        await begin(conn)
    before = {row["table"] for row in await whole(filled)}
    with pytest.raises(KeptError, match=rf"not erased yet \({said}.*repeat"):
        await Erasure(filled, CLOCK).erase(None, ANA)
    # sessions end with the account; all else is there
    assert before - {"sessions"} == {row["table"] for row in await whole(filled)}
    async with filled.read() as conn:
        assert True is await conn.scalar(select(users.c.disabled).where(users.c.id == ANA))


async def test_who_is_needed_is_not_erased(database):
    """The last administrator, the only owner of an organisation, a developer; nor whoever asks."""
    identity, teams = Identity(database, CLOCK), Teams(database, CLOCK)
    erasure = Erasure(database, CLOCK)
    root = await identity.create_user("root", "root@example.org", UserRole.ADMIN)
    ada = await identity.create_user("ada", "ada@example.org")
    with pytest.raises(KeptError, match="last administrator"):
        await erasure.erase(None, root.id)
    boss = await identity.create_user("boss", "boss@example.org", UserRole.ADMIN)
    await identity.disable_user("boss")
    with pytest.raises(KeptError, match="last administrator"):
        await erasure.erase(boss.id, root.id)
    await identity.enable_user("boss")
    with pytest.raises(KeptError, match="yourself"):
        await erasure.erase(root.id, root.id)
    team = await teams.create("acme")
    await teams.put_member(team.id, ada.id, TeamRole.OWNER)
    with pytest.raises(KeptError, match="only owner of acme"):
        await erasure.erase(root.id, ada.id)
    assert not (await identity.find_user("ada")).disabled
    await teams.put_member(team.id, root.id, TeamRole.OWNER)
    await erasure.erase(root.id, ada.id)
    for of in (team, await teams.create_service(team.id, "bot")):
        with pytest.raises(IdentityError, match="is no person"):
            await erasure.erase(root.id, of.id)
        with pytest.raises(IdentityError, match="is no person"):
            await erasure.page(of.id)


async def test_a_developer_hands_their_applications_on_first(filled):
    """Others use them."""
    async with filled.write() as conn:
        await conn.execute(oauth_apps.update().where(oauth_apps.c.id == 1).values(user_id=ANA))
    with pytest.raises(KeptError, match="has applications"):
        await Erasure(filled, CLOCK).erase(None, ANA)


async def test_keys_are_refused_at_once_and_nothing_comes_back(database):
    """As with a disabled user, in every snapshot; the account is never enabled or given keys."""
    identity, snapshot = Identity(database, CLOCK), Snapshot(database, CLOCK)
    heard = []

    async def in_force():
        await snapshot.refresh()
        heard.append([(caller.disabled, caller.revoked) for caller in snapshot.callers()])

    ada = await identity.create_user("ada", "ada@example.org")
    await identity.create_key("ada")
    await snapshot.refresh()
    assert 1 == len(snapshot)
    await Erasure(database, CLOCK, in_force).erase(None, ada.id)
    assert [[(True, False)], [(True, True)]] == heard
    with pytest.raises(IdentityError, match="nobody any more"):
        await Directory(database, CLOCK).switch(None, ada.id, disabled=False)
    with pytest.raises(IdentityError, match="nobody any more"):
        await identity.create_key(f"erased:{ada.id}")
    again = await identity.create_user("ada", "ada@example.org")
    assert again.id != ada.id


async def test_acts_tell_what_happened_and_no_more(database):
    """What the person did loses address, program and detail; what others did to them the detail.
    Acts of anybody else cannot be changed.
    """
    identity, audit = Identity(database, CLOCK), Audit(database, CLOCK)
    ada = await identity.create_user("ada", "ada@example.org")
    eve = await identity.create_user("eve", "eve@example.org")
    hers = ActLog(audit, ada.id, "192.0.2.1", "her phone")
    others = ActLog(audit, eve.id, "192.0.2.2", "eve's phone")
    nobody = ActLog(audit, None, "192.0.2.3", "a guess")
    operator = ActLog(audit, agent=COMMAND_LINE)
    for log in (hers, others, nobody, operator):
        await log.add(ActKind.USER_RENAMED, ada.id, "user:1", {"name": "ada"})
    await others.add(ActKind.USER_RENAMED, eve.id, "user:2", {"name": "eve"})
    await Erasure(database, CLOCK).erase(
        None, ada.id, ActLog(audit, eve.id, "192.0.2.2", "x").within
    )
    found = [
        (act.actor_id, act.subject_id, act.address, act.agent, act.detail)
        for act in reversed(await audit.everything())
        if act.kind == ActKind.USER_RENAMED.value
    ]
    assert [
        (ada.id, ada.id, "", "", ""),
        (eve.id, ada.id, "192.0.2.2", "eve's phone", ""),
        (None, ada.id, "", "", ""),
        (None, ada.id, "", COMMAND_LINE, ""),
        (eve.id, eve.id, "192.0.2.2", "eve's phone", '{"name":"eve"}'),
    ] == found
    assert "user_erased" == (await audit.everything())[0].kind
    for change in (
        f"detail = '' WHERE subject_id = {eve.id}",
        f"kind = 'x' WHERE subject_id = {ada.id}",
        f"address = 'x' WHERE subject_id = {ada.id}",
        f"subject_id = NULL WHERE subject_id = {ada.id}",
    ):
        with pytest.raises(StorageError, match="append-only"):
            async with database.write() as conn:
                await conn.execute(text(f"UPDATE acts SET {change}"))
    async with database.read() as conn:
        assert 0 == await conn.scalar(select(func.count()).where(acts.c.kind == "x"))


@pytest.mark.parametrize("which", ["ada", "ADA@example.org", "1", "id:1"])
async def test_people_are_found_by_name_address_and_id(database, which):
    """A name of digits comes before an id."""
    made = await Identity(database, CLOCK).create_user("ada", "ada@example.org")
    erasure = Erasure(database, CLOCK)
    assert made == await erasure.find(which)
    other = await Identity(database, CLOCK).create_user("1", "one@example.org")
    assert (other if which == "1" else made) == await erasure.find(which)
    await erasure.erase(None, made.id)
    assert UserKind.ERASED is (await erasure.find("id:1")).kind


@pytest.mark.parametrize(
    "after",
    [
        *("x", "é", "W10", "WyJ1c2VycyIsWyJhIl1d", "WyJub3doZXJlIixudWxsXQ", "bnVsbA"),
        "WyJ1c2VycyIsWzEsMl1d",
        "WyJ1c2VycyIsWzk5OTk5OTk5OTk5OTk5OTk5OTldXQ",
        "WyJyZWNvcmRzIixbMSwiXHUwMDAwIl1d",
        "WyJrZXB0X2Fuc3dlcnMiLFsxLHRydWVdXQ",
    ],
)
async def test_a_position_that_is_none_is_refused(database, after):
    """Whatever somebody makes up: no statement sees it."""
    ada = await Identity(database, CLOCK).create_user("ada", "ada@example.org")
    with pytest.raises(IdentityError, match="after: is not where a page ended"):
        await Erasure(database, CLOCK).page(ada.id, after)


async def test_positions_hold_for_every_table(filled):
    """One row a page, so that every table's own order is sent back once."""
    erasure, rows, after = Erasure(filled, CLOCK), [], None
    while True:
        page = await erasure.page(ANA, after, 1)
        rows, after = rows + page.rows, page.after
        if after is None:
            break
    assert await whole(filled) == rows


async def test_nobody_is_not_found(database):
    """By any way in."""
    erasure = Erasure(database, CLOCK)
    for call in (erasure.page(9), erasure.erase(None, 9), erasure.find("9"), erasure.find("id:x")):
        with pytest.raises(IdentityError, match="user"):
            await call
    assert store.checked_position(PERSONAL[0], None) is None
