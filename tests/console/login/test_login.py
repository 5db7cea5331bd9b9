"""Log in, prove again who one is, log out."""

import pytest

from console.visiting import PASSWORD, Seen, console_over, user_of, visiting
from trivium.console import session
from trivium.console.consent import login_notice
from trivium.identity.accounts.model import HalfWay


@pytest.mark.asyncio
@pytest.mark.parametrize("typed", ["ada", "ada@example.com", " ADA@example.com "])
async def test_a_user_gets_in_and_to_the_page_they_wanted(database, typed):
    """By name or address."""
    async with visiting(database) as visitor:
        await user_of(visitor.console, password=PASSWORD)
        asked = await visitor.get("/account/usage?failed=1")
        page = await visitor.get(asked.headers["location"])
        place = page.text.partition('<input type="hidden" name="place" value="')[2]
        answer = await visitor.post(
            "/login", name=typed, password=PASSWORD, place=place.partition('"')[0]
        )
        assert (303, "/account/usage?failed=1") == (
            answer.status_code, answer.headers["location"],
        )  # fmt: skip
        assert 200 == (await visitor.get("/account")).status_code
        assert "/account" == (await visitor.get("/login")).headers["location"]


@pytest.mark.asyncio
async def test_nobody_learns_whether_a_user_is_there(database):
    """Wrong name, wrong password, disabled user: word for word the same page."""
    async with visiting(database) as visitor:
        await user_of(visitor.console, password=PASSWORD)
        await user_of(visitor.console, "eve", password=PASSWORD)
        await visitor.console.identity.disable_user("eve")
        seen = set()
        for name, password in (("ada", "wrong"), ("bob", PASSWORD), ("eve", PASSWORD)):
            await visitor.get("/login")
            answer = await visitor.post("/login", name=name, password=password, place="")
            assert (422, "Name or password is wrong." in answer.text) == (answer.status_code, True)
            assert PASSWORD not in answer.text
            seen.add(Seen(answer.text).text)
        assert 1 == len(seen)


@pytest.mark.asyncio
async def test_guessing_is_slowed_down(database):
    """With a page that says for how long."""
    async with visiting(database) as visitor:
        await user_of(visitor.console, password=PASSWORD)
        await visitor.get("/login")
        for _ in range(12):
            answer = await visitor.post("/login", name="ada", password="wrong", place="")
        assert (429, True) == (answer.status_code, "tried too often" in answer.text)


@pytest.mark.asyncio
async def test_empty_fields_are_told_beside_them(database):
    """Without asking anybody."""
    async with visiting(database) as visitor:
        await visitor.get("/login")
        answer = await visitor.post("/login", name="", password="")
        assert (422, 2) == (answer.status_code, answer.text.count("Please fill in this field."))
        assert 2 == answer.text.count('aria-invalid="true"')


@pytest.mark.asyncio
async def test_who_is_half_way_in_goes_to_the_second_factor(database, monkeypatch):
    """With the step in a cookie out of reach of scripts, and no session."""
    async with visiting(database) as visitor:

        async def half(*_):
            return HalfWay(token="t" * 43)

        monkeypatch.setattr(visitor.console.accounts.login, "with_password", half)
        await visitor.get("/login")
        answer = await visitor.post("/login", name="ada", password="x", place="abc")
        assert "/login/code?for=abc" == answer.headers["location"]
        (cookie,) = [c for c in answer.headers.get_list("set-cookie") if "gw_step" in c]
        assert cookie.startswith(f"__Host-gw_step={'t' * 43}; HttpOnly; Max-Age=600;")
        assert "__Host-gw_session" not in visitor.client.cookies


@pytest.mark.asyncio
async def test_proving_again_renews_the_session(database, clock):
    """The old token is worth nothing; sensitive pages open."""
    console = console_over(database, clock)
    async with visiting(database, console) as visitor:
        user = await user_of(console, password=PASSWORD)
        before = await visitor.log_in(user)
        clock.advance(601)
        await visitor.get("/login/confirm")
        wrong = await visitor.post("/login/confirm", password="wrong", place="")
        assert (422, True) == (wrong.status_code, "This is not your password." in wrong.text)
        right = await visitor.post("/login/confirm", password=PASSWORD, place="")
        assert (303, "/account") == (right.status_code, right.headers["location"])
        after = visitor.client.cookies["__Host-gw_session"]
        assert None is await console.accounts.sessions.find(before)
        assert (await console.accounts.sessions.find(after)).is_confirmed(clock.now())


@pytest.mark.asyncio
async def test_logging_out_ends_the_session_everywhere_it_was_copied_to(database):
    """On the server, not only in the browser; and by a form alone."""
    async with visiting(database) as visitor:
        token = await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account")
        assert 405 == (await visitor.get("/logout")).status_code
        answer = await visitor.post("/logout")
        assert (303, "/login") == (answer.status_code, answer.headers["location"])
        assert None is await visitor.console.accounts.sessions.find(token)
        visitor.client.cookies.set("__Host-gw_session", token)
        assert (await visitor.get("/account")).headers["location"].startswith("/login")


@pytest.mark.asyncio
async def test_what_is_not_even_tried_is_not_told(database):
    """Else whoever is made to wait could fill the log, a row a request."""
    async with visiting(database) as visitor:
        await visitor.get("/login")
        answers = [
            (await visitor.post("/login", name="ada", password="wrong", place="")).status_code
            for _ in range(8)
        ]
        assert [422] * 5 + [429] * 3 == answers
        assert 5 == len(await visitor.console.audit.everything())


@pytest.mark.asyncio
async def test_logins_are_told_to_the_audit_log(database):
    """Those that went well and those that did not."""
    async with visiting(database) as visitor:
        await user_of(visitor.console, password=PASSWORD)
        await visitor.get("/login")
        await visitor.post("/login", name="ada", password="wrong", place="")
        await visitor.post("/login", name="ada", password=PASSWORD, place="")
        told = await visitor.console.audit.everything()
        assert ["login", "login_failed"] == [act.kind for act in told]
        assert {"198.51.100.7"} == {act.address for act in told}


@pytest.mark.asyncio
async def test_the_page_says_what_the_login_is_for(database, monkeypatch):
    """Whoever knows the path that comes after it is asked."""

    async def tells(_, path):
        return login_notice.LoginNotice("brand.html", {}) if path == "/account/usage" else None

    monkeypatch.setattr(login_notice, "notice_of", tells)
    async with visiting(database) as visitor:
        plain = await visitor.get("/login")
        asked = await visitor.get("/account/usage")
        page = await visitor.get(asked.headers["location"])
        assert (1, 2) == tuple(each.text.count('class="brand"') for each in (plain, page))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("url", "address", "warned"),
    [
        ("http://127.0.0.1:8080", "127.0.0.1", False),
        ("http://127.0.0.1:8080", "192.0.2.1", True),
        ("https://gateway.example", "192.0.2.1", False),
    ],
)
async def test_a_password_in_the_clear_is_warned_of(database, url, address, warned):
    """Where others are between the browser and us."""
    console = console_over(database, public_url=url)
    async with visiting(database, console, address) as visitor:
        page = await visitor.get("/login")
        assert warned == ("This connection is not encrypted" in page.text)
        assert session.HOME == "/account"
