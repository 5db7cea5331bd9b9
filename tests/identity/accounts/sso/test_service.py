"""Who comes back from a provider is let in by issuer and subject, and linked by address only where
everybody concerned has vouched for it."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import time

import httpx2
import msgspec
import pytest
from sqlalchemy import text

from oidc import ISSUER, Scripted, query
from ports import free_port
from trivium.clock import SystemClock
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import HalfWay, LoggedIn, Visitor, Way
from trivium.identity.accounts.sso.model import SsoPurpose
from trivium.identity.accounts.sso.provider import SsoProvider, by_name
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.settings.accounts import LoginEntry

ENTRY = LoginEntry(
    name="company", title="Company", issuer=ISSUER, client_id="trivium", client_secret="s3cret"
)
TRUSTED = msgspec.structs.replace(ENTRY, trust_email=True)
OPEN = msgspec.structs.replace(TRUSTED, signup=True)


async def why(work):
    """Why something is refused."""
    with pytest.raises(AccountError) as caught:
        await work
    return caught.value.why


@pytest.fixture
def remote(clock):
    return Scripted(clock.now)


@pytest.fixture
def outside(accounts, remote, clock):
    """Outside logins with one provider, by an entry."""

    def make(entry=ENTRY, **more):
        accounts.outside._providers = {entry.name: SsoProvider(entry, clock, remote.transport)}
        return accounts.outside

    return make


@pytest.fixture
def come(remote, visitor):
    """There and back."""

    async def go(outside, begin=None, answer=None, **back):
        left = await outside.begin("company", visitor, **(begin or {}))
        asked = query(left.url)
        remote.nonce = asked["nonce"]
        query_ = {"code": "c0de", "state": asked["state"], **(answer or {})}
        return await outside.finish("company", left.step, query_, visitor, **back)

    return go


@pytest.fixture
def verified(accounts, user, database):
    """A user whose address is verified."""

    async def make(name="ada", **more):
        made = await user(name, **more)
        async with database.write() as conn:
            await conn.execute(text("UPDATE users SET email_verified_at = 1"))
        return msgspec.structs.replace(made, email_verified=True)

    return make


# --- the linking rule ------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_a_trusted_provider_opens_an_account_with_the_same_verified_address(
    accounts, outside, verified, come, letters
):
    """And its owner is told; from then on the link is by subject, whatever becomes of the address."""
    ada = await verified()
    back = await come(outside(TRUSTED), {"place": "/keys"})
    assert (SsoPurpose.ENTER, "/keys") == (back.purpose, back.place)
    assert ada.id == back.outcome.user.id
    assert Way.OUTSIDE is (await accounts.sessions.find(back.outcome.token)).way
    assert "Another way to log in was added" == (await letters.last()).subject
    (listed,) = await accounts.outside.of_user(ada.id)
    assert (ISSUER, "ada@example.com") == (listed.issuer, listed.email)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("entry", "claims", "role", "here"),
    [
        (ENTRY, {}, UserRole.USER, True),
        (TRUSTED, {"email_verified": False}, UserRole.USER, True),
        (TRUSTED, {"email_verified": None}, UserRole.USER, True),
        (TRUSTED, {"email_verified": "true"}, UserRole.USER, True),
        (TRUSTED, {}, UserRole.USER, False),
        (TRUSTED, {}, UserRole.ADMIN, True),
        (OPEN, {}, UserRole.ADMIN, True),
        (TRUSTED, {"email": "Ada <ada@example.com>"}, UserRole.USER, True),
        (TRUSTED, {"email": "ada"}, UserRole.USER, True),
    ],
    ids=[
        "no-trust",
        "unverified",
        "silent",
        "text",
        "unverified-here",
        "admin",
        "admin-open",
        "odd",
        "no-address",
    ],
)
async def test_nothing_is_linked_otherwise(
    accounts, outside, verified, user, come, remote, entry, claims, role, here
):
    """Each of the conditions alone is not enough, and nobody learns which one it was."""
    ada = await (verified if here else user)(role=role)
    remote.claims |= claims
    assert AccountRefusal.OUTSIDE_UNKNOWN is await why(come(outside(entry)))
    assert [] == await accounts.outside.of_user(ada.id)
    assert [] == await accounts.sessions.of_user(ada.id)


@pytest.mark.asyncio
async def test_a_link_outlives_the_address(accounts, outside, verified, come, remote):
    """Another address there, none, or another trust here: the subject is who it is."""
    ada = await verified()
    await come(outside(TRUSTED))
    remote.claims |= {"email": "new@example.com", "email_verified": False}
    assert ada.id == (await come(outside(ENTRY))).outcome.user.id
    (listed,) = await accounts.outside.of_user(ada.id)
    assert "new@example.com" == listed.email
    # and somebody who gets the old address at the provider later is somebody else
    remote.claims = {"sub": "s-2", "email": "ada@example.com", "email_verified": True}
    assert AccountRefusal.OUTSIDE_UNKNOWN is await why(come(outside(ENTRY)))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("entry", "mode", "made"),
    [
        (OPEN, "closed", True),
        (TRUSTED, "open", True),
        (TRUSTED, "invitation", False),
        (TRUSTED, "closed", False),
        (ENTRY, "open", False),
    ],
)
async def test_a_first_login_makes_an_account_where_it_may(
    accounts, outside, come, remote, database, clock, entry, mode, made
):
    """Where sign-up is open, or the operator lets this provider's people in."""
    accounts.signup.mode = mode
    remote.claims["preferred_username"] = "ada l."
    if not made:
        assert AccountRefusal.OUTSIDE_UNKNOWN is await why(come(outside(entry)))
        assert [] == await Identity(database, clock).list_users()
        return
    user = (await come(outside(entry))).outcome.user
    assert ("ada-l", "ada@example.com", True, UserRole.USER) == (
        user.name,
        user.email,
        user.email_verified,
        user.role,
    )
    assert user.id == (await come(outside(entry))).outcome.user.id


@pytest.mark.asyncio
async def test_a_disabled_user_stays_out(outside, verified, come, database, clock):
    """Also by a link from before."""
    await verified()
    await come(outside(TRUSTED))
    await Identity(database, clock).disable_user("ada")
    assert AccountRefusal.WRONG_LOGIN is await why(come(outside(TRUSTED)))


@pytest.mark.asyncio
async def test_a_second_factor_is_asked_for_all_the_same(
    accounts, outside, verified, come, enter, visitor, clock
):
    """What the provider asked for is not known here."""
    from pyotp import TOTP

    await verified()
    token = await enter()
    session = await accounts.sessions.find(token)
    secret = (await accounts.factor.begin(session)).secret
    await accounts.factor.finish(token, session, TOTP(secret).at(int(clock.now())), visitor)
    step = (await come(outside(TRUSTED))).outcome
    assert isinstance(step, HalfWay)
    clock.advance(30)
    code = TOTP(secret).at(int(clock.now()))
    done = await accounts.factor.enter(step.token, code, visitor)
    assert Way.OUTSIDE is (await accounts.sessions.find(done.token)).way


# --- linked by hand --------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_linked_by_whoever_is_logged_in(accounts, outside, user, enter, come, letters):
    """Whatever the address: two proofs at once. The session gets another token."""
    ada = await user()
    token = await enter()
    session = await accounts.sessions.find(token)
    link = {"purpose": SsoPurpose.LINK, "session": session}
    back = await come(outside(), link, session=session, token=token)
    assert SsoPurpose.LINK is back.purpose
    assert await accounts.sessions.find(token) is None
    assert session.id == (await accounts.sessions.find(back.token)).id
    assert "Another way to log in was added" == (await letters.last()).subject
    assert ada.id == (await come(outside())).outcome.user.id


@pytest.mark.asyncio
async def test_a_link_needs_a_recent_proof(accounts, outside, user, enter, come, seconds):
    """Whoever finds an open browser leaves no way in behind."""
    await user()
    token = await enter()
    seconds(601)
    session = await accounts.sessions.find(token)
    link = come(
        outside(), {"purpose": SsoPurpose.LINK, "session": session}, session=session, token=token
    )
    assert AccountRefusal.CONFIRM_FIRST is await why(link)
    assert AccountRefusal.CONFIRM_FIRST is await why(come(outside(), {"purpose": SsoPurpose.LINK}))


@pytest.mark.asyncio
async def test_a_link_is_for_whoever_left(accounts, outside, user, enter, come):
    """Who logs in meanwhile as another gets nothing, nor does a browser without a session."""
    await user("ada")
    await user("bob")
    ada = await accounts.sessions.find(await enter("ada"))
    token = await enter("bob")
    bob = await accounts.sessions.find(token)
    link = {"purpose": SsoPurpose.LINK, "session": ada}
    assert AccountRefusal.SESSION_GONE is await why(come(outside(), link, session=bob, token=token))
    assert AccountRefusal.SESSION_GONE is await why(come(outside(), link))
    assert [] == await accounts.outside.of_user(bob.user.id)


@pytest.mark.asyncio
async def test_one_login_belongs_to_one_user(accounts, outside, user, enter, come):
    """A second account is not opened by it."""
    await user("ada")
    await user("bob")
    for name, outcome in (("ada", None), ("bob", AccountRefusal.OUTSIDE_TAKEN)):
        token = await enter(name)
        session = await accounts.sessions.find(token)
        link = {"purpose": SsoPurpose.LINK, "session": session}
        work = come(outside(), link, session=session, token=token)
        if outcome is None:
            await work
        else:
            assert outcome is await why(work)


@pytest.mark.asyncio
async def test_unlinked(accounts, outside, verified, come, enter, database):
    """By its user, after a recent proof, unless it is the last way in."""
    ada = await verified()
    await come(outside(TRUSTED))
    (linked,) = await accounts.outside.of_user(ada.id)
    session = await accounts.sessions.find(await enter())
    assert not await accounts.outside.unlink(session, linked.id + 1)
    async with database.write() as conn:
        await conn.execute(text("UPDATE users SET password_hash = NULL"))
    assert AccountRefusal.LAST_WAY_IN is await why(accounts.outside.unlink(session, linked.id))
    async with database.write() as conn:
        await conn.execute(text("UPDATE users SET password_hash = 'x'"))
    assert await accounts.outside.unlink(session, linked.id)
    assert [] == await accounts.outside.of_user(ada.id)


@pytest.mark.asyncio
async def test_a_provider_proves_again(accounts, outside, verified, come, seconds, remote, clock):
    """By a proof of now, of the same person."""
    await verified()
    back = await come(outside(TRUSTED))
    token = back.outcome.token
    seconds(700)
    stale = await accounts.sessions.find(token)
    confirm = {"purpose": SsoPurpose.CONFIRM, "session": stale}
    for auth_time in (None, int(clock.now()) - 700):
        remote.claims["auth_time"] = auth_time
        work = come(outside(), confirm, session=stale, token=token)
        assert AccountRefusal.OUTSIDE_FAILED is await why(work)
    remote.claims |= {"auth_time": int(clock.now()), "sub": "s-2"}
    work = come(outside(), confirm, session=stale, token=token)
    assert AccountRefusal.OUTSIDE_TAKEN is await why(work)
    remote.claims["sub"] = "s-1"
    back = await come(outside(), confirm, session=stale, token=token)
    assert (await accounts.sessions.find(back.token)).is_confirmed(clock.now())


# --- the way there and back ------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer",
    [{"state": ""}, {"state": "x" * 43}, {"state": "\ud800"}],
    ids=["none", "other", "odd"],
)
async def test_another_state_is_refused(outside, verified, come, answer):
    """Somebody else's answer is not taken for one's own: that would log in as them."""
    await verified()
    assert AccountRefusal.OUTSIDE_FAILED is await why(come(outside(TRUSTED), answer=answer))


@pytest.mark.asyncio
async def test_only_the_browser_that_left_comes_back(outside, verified, visitor, remote):
    """Its cookie is asked for, and good once, for this provider, for ten minutes."""
    await verified()
    logins = outside(TRUSTED)
    left = await logins.begin("company", visitor)
    asked = query(left.url)
    remote.nonce = asked["nonce"]
    answer = {"code": "c0de", "state": asked["state"]}
    for step in ("", "x" * 43):
        assert AccountRefusal.TICKET_GONE is await why(
            logins.finish("company", step, answer, visitor)
        )
    work = [logins.finish("company", left.step, answer, visitor) for _ in range(3)]
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 2 == sum(getattr(o, "why", None) is AccountRefusal.TICKET_GONE for o in outcomes)


@pytest.mark.asyncio
async def test_an_answer_of_one_provider_is_none_of_another(outside, verified, visitor, remote):
    """Each has a callback of its own."""
    await verified()
    logins = outside(TRUSTED)
    logins._providers = {**logins._providers, "other": logins._providers["company"]}
    left = await logins.begin("company", visitor)
    answer = {"code": "c0de", "state": query(left.url)["state"]}
    assert AccountRefusal.OUTSIDE_FAILED is await why(
        logins.finish("other", left.step, answer, visitor)
    )


@pytest.mark.asyncio
async def test_whoever_said_no_there_is_not_logged_in_here(outside, verified, come, visitor):
    """The provider's own words are not repeated."""
    await verified()
    logins = outside(TRUSTED)
    left = await logins.begin("company", visitor)
    answer = {"error": "access_denied", "state": query(left.url)["state"]}
    assert AccountRefusal.OUTSIDE_FAILED is await why(
        logins.finish("company", left.step, answer, visitor)
    )


@pytest.mark.asyncio
async def test_unknown_providers(outside, visitor):
    """Names are those of the settings; issuers of old links are shown as they are."""
    logins = outside()
    assert AccountRefusal.OUTSIDE_UNKNOWN is await why(logins.begin("nobody", visitor))
    assert AccountRefusal.OUTSIDE_UNKNOWN is await why(logins.finish("nobody", "", {}, visitor))
    assert [("company", "Company")] == logins.offered
    assert ["Company", "https://gone.example"] == [
        logins.title_of(issuer) for issuer in (ISSUER, "https://gone.example")
    ]


@pytest.mark.asyncio
async def test_begun_logins_are_counted(outside):
    """A row is left behind for each."""
    visitor = Visitor(address="192.0.2.9")
    logins = outside()
    for _ in range(100):
        await logins.begin("company", visitor)
    assert AccountRefusal.TOO_MANY_TRIES is await why(logins.begin("company", visitor))


# --- a provider in a process of its own ------------------------------------------------------


@pytest.fixture(scope="module")
def process():
    """Its issuer."""
    port = free_port()
    claims = msgspec.json.encode(
        {"sub": "ada-there", "email": "ada@example.com", "email_verified": True, "name": "Ada"}
    ).decode()
    running = subprocess.Popen(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "oidc_provider_mock",
            *("--port", str(port), "--require-nonce", "true", "--user-claims", claims),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ},
    )
    for _ in range(200):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    running.terminate()
    running.wait(10)


@pytest.mark.asyncio
async def test_against_a_real_provider(accounts, build, verified, process, visitor):
    """The whole way: sent there, logged in by its form, back with a code, in; and a refusal."""
    entry = msgspec.structs.replace(TRUSTED, issuer=process)
    accounts.outside._providers = by_name((entry,), SystemClock())
    ada = await verified()

    async def visit(form):
        left = await accounts.outside.begin("company", visitor)
        async with httpx2.AsyncClient() as browser:
            assert 200 == (await browser.get(left.url)).status_code
            answer = await browser.post(left.url, data=form)
        target = answer.headers["location"]
        assert re.match(r"https://gateway\.example/login/outside/company/callback\?", target)
        return await accounts.outside.finish("company", left.step, query(target), visitor)

    done = (await visit({"sub": "ada-there"})).outcome
    assert isinstance(done, LoggedIn)
    assert ada.id == done.user.id
    assert ada.id == (await visit({"sub": "ada-there"})).outcome.user.id
    # this provider leaves the state out of a refusal: then it is nobody's answer
    assert AccountRefusal.OUTSIDE_FAILED is await why(visit({"action": "deny"}))
    assert AccountRefusal.OUTSIDE_UNKNOWN is await why(visit({"sub": "eve-there"}))
