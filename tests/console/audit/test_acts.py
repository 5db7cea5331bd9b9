"""Users see their own acts, administrators all of them."""

import pytest
import pytest_asyncio

from console.visiting import Seen, console_over, visiting
from trivium.console.audit.acts import PAGE, WORDS
from trivium.identity.model import UserRole
from trivium.observe.audit.model import ActKind


def test_every_kind_has_its_sentence():
    """And no two the same."""
    assert set(ActKind) == set(WORDS)
    assert len(WORDS) == len(set(WORDS.values()))


@pytest_asyncio.fixture
async def console(database):
    return console_over(database)


@pytest_asyncio.fixture
async def ada(console):
    return await console.identity.create_user("ada", "ada@example.com")


@pytest_asyncio.fixture
async def eve(console):
    return await console.identity.create_user("eve", "eve@example.com", UserRole.ADMIN)


@pytest.mark.asyncio
async def test_a_user_sees_what_befell_their_account(database, console, ada, eve):
    """An administrator's act without the administrator's name, address and program."""
    audit = console.audit
    await audit.add(ActKind.LOGIN_FAILED, subject=ada.id, address="203.0.113.5", agent="curl/8")
    await audit.add(
        ActKind.USER_CREDIT,
        actor=eve.id,
        subject=ada.id,
        address="10.9.8.7",
        agent="EveBrowser",
        detail={"amount": "5.00"},
    )
    await audit.add(ActKind.LOGIN, actor=eve.id, subject=eve.id)
    async with visiting(database, console) as visitor:
        await visitor.log_in(ada)
        text = Seen((await visitor.get("/account/log")).text).text
    seen = ["A login failed", "203.0.113.5", "curl/8", "Balance booked by the operator"]
    assert [] == [word for word in [*seen, "The operator", "amount: 5.00"] if word not in text]
    assert [] == [word for word in ("10.9.8.7", "EveBrowser", "eve ", "Logged in") if word in text]


@pytest.mark.asyncio
async def test_a_browser_goes_by_its_common_name(database, console, ada):
    """What it sent is there for whoever points at it."""
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/2010 Firefox/140.0"
    await console.audit.add(ActKind.LOGIN, actor=ada.id, subject=ada.id, agent=agent)
    await console.audit.add(ActKind.KEY_REVOKED, subject=ada.id, agent="command line")
    async with visiting(database, console) as visitor:
        await visitor.log_in(ada)
        page = await visitor.get("/account/log")
    text = Seen(page.text).text
    assert ("Firefox, Linux" in text, "command line" in text, agent in text) == (True, True, False)
    assert f'title="{agent}"' in page.text


@pytest.mark.asyncio
async def test_what_others_wrote_is_escaped(database, console, ada):
    """A program may call itself whatever it wants."""
    agent = "<script>alert(1)</script>"
    await console.audit.add(ActKind.LOGIN, actor=ada.id, subject=ada.id, agent=agent, what="<b>x")
    async with visiting(database, console) as visitor:
        await visitor.log_in(ada)
        page = await visitor.get("/account/log")
    assert agent in Seen(page.text).text
    assert "<script>alert" not in page.text
    assert "<b>x" not in page.text


@pytest.mark.asyncio
async def test_pages_follow_each_other(database, console, ada):
    """By the id of the last line, with a way back to the newest."""
    for n in range(PAGE + 1):
        await console.audit.add(ActKind.LOGIN, actor=ada.id, subject=ada.id, what=f"n{n:03}")
    async with visiting(database, console) as visitor:
        await visitor.log_in(ada)
        first = await visitor.get("/account/log")
        assert ("n050" in first.text, "n001" in first.text, "n000" in first.text) == (
            True,
            True,
            False,
        )
        second = await visitor.get("/account/log?before=2")
        assert ("n000" in second.text, "n001" in second.text) == (True, False)
        assert ("/account/log?before=2" in first.text, 'href="/account/log"' in second.text) == (
            True,
            True,
        )


@pytest.mark.parametrize("before", ["x", "-1", "1e5", "9" * 30])
@pytest.mark.asyncio
async def test_a_page_that_cannot_be_is_refused(database, console, ada, before):
    """Not passed on to the database."""
    async with visiting(database, console) as visitor:
        await visitor.log_in(ada)
        assert 400 == (await visitor.get(f"/account/log?before={before}")).status_code


@pytest.mark.asyncio
async def test_administrators_see_everything_and_filter(database, console, ada, eve):
    """By kind and by user, which stay in the links to other pages."""
    await console.audit.add(ActKind.LOGIN, actor=ada.id, subject=ada.id, what="one")
    await console.audit.add(ActKind.LOGIN, actor=eve.id, subject=eve.id, what="two")
    await console.audit.add(ActKind.KEY_REVOKED, actor=eve.id, subject=ada.id, what="three")
    async with visiting(database, console) as visitor:
        await visitor.log_in(eve)

        async def found(query):
            text = (await visitor.get(f"/admin/log{query}")).text
            return [word for word in ("one", "two", "three") if f"<code>{word}</code>" in text]

        assert ["one", "two", "three"] == await found("")
        assert ["one", "two"] == await found("?act=login")
        assert ["one", "three"] == await found("?user=ada")
        assert ["three"] == await found("?user=ada%40example.com&act=key_revoked")
        assert [] == await found("?user=nobody")
        for n in range(PAGE):
            await console.audit.add(ActKind.LOGIN, actor=ada.id, subject=ada.id, what=f"{n}")
        page = await visitor.get("/admin/log?user=ada&act=login")
        assert "/admin/log?act=login&amp;user=ada&amp;before=" in page.text


@pytest.mark.asyncio
async def test_users_do_not_see_everybodys(database, console, ada):
    """Nor do visitors."""
    async with visiting(database, console) as visitor:
        assert 303 == (await visitor.get("/account/log")).status_code
        assert 303 == (await visitor.get("/admin/log")).status_code
        await visitor.log_in(ada)
        assert 403 == (await visitor.get("/admin/log")).status_code


@pytest.mark.asyncio
async def test_a_word_of_a_newer_version_is_shown_as_it_is(database, console, ada):
    """Two versions share a database during an upgrade."""
    from sqlalchemy import text

    async with database.write() as conn:
        await conn.execute(
            text(
                "INSERT INTO acts (at_ms, actor_id, subject_id, kind, what, address, agent, detail)"
                f" VALUES (1, NULL, {ada.id}, 'teleported', '', '', '', '')"
            )
        )
    async with visiting(database, console) as visitor:
        await visitor.log_in(ada)
        assert "teleported" in Seen((await visitor.get("/account/log")).text).text


@pytest.mark.asyncio
async def test_changes_of_the_catalogue_are_undone_from_their_line(database, console, eve):
    """By the question of their own page; of anything else there is nothing to undo here."""
    for kind, what in (
        (ActKind.CATALOGUE_CHANGED, "catalogue_change:7"),
        (ActKind.CATALOGUE_UNDONE, "catalogue_change:x"),
        (ActKind.KEY_REVOKED, "key:9"),
    ):
        await console.audit.add(kind, actor=eve.id, subject=eve.id, what=what)
    async with visiting(database, console) as visitor:
        await visitor.log_in(eve)
        page = (await visitor.get("/admin/log")).text
        assert 1 == page.count("act=undo")
        assert "act=undo&amp;change=7" in page
        assert "/admin/changes?before=8" in page
        assert "act=undo" not in (await visitor.get("/account/log")).text
