"""A second factor is asked for, works once, and can be replaced by a recovery code, once."""

import asyncio
import base64
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyotp import TOTP
from sqlalchemy import text

from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.mfa.service import (
    address,
    matching_step,
    recovery_code,
    recovery_digest,
)
from trivium.identity.accounts.model import HalfWay, LoggedIn, Visitor, Way
from trivium.secret import Keyring
from trivium.storage.vault import Vault

PASSWORD = "a horse, a battery"


async def why(work):
    """Why something is refused."""
    with pytest.raises(AccountError) as caught:
        await work
    return caught.value.why


@pytest.fixture
def app(clock):
    """An authenticator app with a secret: the code that it shows."""

    def shows(secret, later=0):
        return TOTP(secret).at(int(clock.now()) + later)

    return shows


@pytest.fixture
def enrolled(accounts, user, enter, visitor, app):
    """A user with a second factor: session token, secret, recovery codes."""

    async def make():
        await user()
        token = await enter()
        session = await accounts.sessions.find(token)
        secret = (await accounts.factor.begin(session)).secret
        token, codes = await accounts.factor.finish(token, session, app(secret), visitor)
        return token, secret, codes

    return make


@pytest.fixture
def half(accounts, visitor):
    """Gets half way in: the step's token."""

    async def go():
        step = await accounts.login.with_password("ada", PASSWORD, visitor)
        assert isinstance(step, HalfWay)
        return step.token

    return go


@pytest.mark.asyncio
async def test_a_login_then_needs_both(accounts, enrolled, half, app, visitor, seconds, letters):
    """The password brings a step, the code a session."""
    _, secret, codes = await enrolled()
    assert 10 == len(set(codes))
    assert "Second factor switched on" == (await letters.last()).subject
    seconds(30)
    step = await half()
    assert await accounts.sessions.find(step) is None
    done = await accounts.factor.enter(step, app(secret), visitor)
    assert isinstance(done, LoggedIn)
    assert Way.PASSWORD is (await accounts.sessions.find(done.token)).way


@pytest.mark.asyncio
async def test_the_code_of_the_enrolment_is_used_up(
    accounts, enrolled, half, app, visitor, seconds
):
    """Whoever looked over a shoulder has nothing; neither has a code from just before."""
    _, secret, _ = await enrolled()
    step = await half()
    for later in (0, -30):
        assert AccountRefusal.CODE_WRONG is await why(
            accounts.factor.enter(step, app(secret, later), visitor)
        )
    assert isinstance(await accounts.factor.enter(step, app(secret, 30), visitor), LoggedIn)


@pytest.mark.asyncio
async def test_a_code_works_once(accounts, enrolled, half, app, visitor, seconds):
    """Also for two logins at the same moment."""
    _, secret, _ = await enrolled()
    seconds(30)
    steps = [await half() for _ in range(3)]
    code = app(secret)
    work = (accounts.factor.enter(step, code, visitor) for step in steps)
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 1 == sum(isinstance(outcome, LoggedIn) for outcome in outcomes)
    assert 2 == sum(getattr(o, "why", None) is AccountRefusal.CODE_WRONG for o in outcomes)


@pytest.mark.asyncio
async def test_a_step_works_once(accounts, enrolled, half, app, visitor, seconds):
    """Two good codes for one step are one session."""
    _, secret, codes = await enrolled()
    seconds(30)
    step = await half()
    typed = [app(secret), codes[0]]
    work = (accounts.factor.enter(step, code, visitor) for code in typed)
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 1 == sum(isinstance(outcome, LoggedIn) for outcome in outcomes)
    assert 1 == sum(getattr(o, "why", None) is AccountRefusal.TICKET_GONE for o in outcomes)
    assert AccountRefusal.TICKET_GONE is await why(accounts.factor.enter(step, codes[1], visitor))


@pytest.mark.asyncio
async def test_a_step_ends(accounts, enrolled, half, app, visitor, seconds):
    """After ten minutes, and with a new password."""
    _, secret, _ = await enrolled()
    step = await half()
    seconds(600)
    assert AccountRefusal.TICKET_GONE is await why(
        accounts.factor.enter(step, app(secret), visitor)
    )
    step = await half()
    from trivium.identity.model import User

    ada = User(id=1, name="ada", email="ada@example.com")
    await accounts.recovery.set_password(ada, "another long password")
    assert AccountRefusal.TICKET_GONE is await why(
        accounts.factor.enter(step, app(secret), visitor)
    )


@pytest.mark.asyncio
async def test_a_recovery_code_works_once(accounts, enrolled, half, visitor, letters):
    """And a letter tells."""
    _, _, codes = await enrolled()
    assert isinstance(
        await accounts.factor.enter(await half(), codes[3].lower(), visitor), LoggedIn
    )
    assert "A recovery code was used" == (await letters.last()).subject
    step = await half()
    assert AccountRefusal.CODE_WRONG is await why(accounts.factor.enter(step, codes[3], visitor))
    assert 9 == (await accounts.factor.state(1)).codes_left


@pytest.mark.asyncio
async def test_of_two_uses_of_a_recovery_code_one_counts(accounts, enrolled, half, visitor):
    """At the same moment, in two logins."""
    _, _, codes = await enrolled()
    steps = [await half() for _ in range(3)]
    work = (accounts.factor.enter(step, codes[0], visitor) for step in steps)
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    assert 1 == sum(isinstance(outcome, LoggedIn) for outcome in outcomes)


@pytest.mark.asyncio
async def test_guesses_are_counted(accounts, enrolled, half, app, visitor, seconds):
    """Over all steps of the account: five, then pauses; the right code has to wait, too."""
    _, secret, _ = await enrolled()
    seconds(30)
    whys = []
    for i in range(7):
        step = await half()
        elsewhere = Visitor(address=f"192.0.2.{i}")
        whys.append(await why(accounts.factor.enter(step, "000000", elsewhere)))
    assert [AccountRefusal.CODE_WRONG] * 5 + [AccountRefusal.TOO_MANY_TRIES] * 2 == whys
    assert AccountRefusal.TOO_MANY_TRIES is await why(
        accounts.factor.enter(step, app(secret), visitor)
    )
    seconds(30)
    assert isinstance(await accounts.factor.enter(step, app(secret), visitor), LoggedIn)


@pytest.mark.asyncio
async def test_a_reset_leaves_it_as_it_is(accounts, enrolled, visitor, letters, half, app, seconds):
    """Whoever reads a mailbox has one factor, not two."""
    _, secret, _ = await enrolled()
    await accounts.recovery.ask_reset("ada", visitor)
    await accounts.recovery.reset(await letters.token(), "another long password", visitor)
    step = await accounts.login.with_password("ada", "another long password", visitor)
    assert isinstance(step, HalfWay)
    seconds(30)
    assert isinstance(await accounts.factor.enter(step.token, app(secret), visitor), LoggedIn)


@pytest.mark.asyncio
async def test_switching_on_ends_other_sessions(accounts, user, enter, visitor, app):
    """They began with one factor; this one gets another token."""
    await user()
    other, mine = await enter(), await enter()
    session = await accounts.sessions.find(mine)
    secret = (await accounts.factor.begin(session)).secret
    assert secret == (await accounts.factor.pending(session)).secret
    assert (None, 0) == ((await accounts.factor.state(1)).since, 0)
    assert AccountRefusal.CODE_WRONG is await why(
        accounts.factor.finish(mine, session, "000000", visitor)
    )
    assert isinstance(await accounts.login.with_password("ada", PASSWORD, visitor), LoggedIn), (
        "nothing is asked for before it is finished"
    )
    fresh, _ = await accounts.factor.finish(mine, session, app(secret), visitor)
    found = [await accounts.sessions.find(token) for token in (other, mine, fresh)]
    assert [None, None, session.id] == [s and s.id for s in found]


@pytest.mark.asyncio
async def test_only_after_a_recent_proof(accounts, enrolled, user, enter, visitor, seconds):
    """Whoever finds an open browser changes nothing."""
    token, _, _ = await enrolled()
    seconds(601)
    session = await accounts.sessions.find(token)
    for work in (
        accounts.factor.begin(session),
        accounts.factor.pending(session),
        accounts.factor.finish(token, session, "000000", visitor),
        accounts.factor.off(token, session, visitor),
        accounts.factor.new_codes(session),
    ):
        assert AccountRefusal.CONFIRM_FIRST is await why(work)


@pytest.mark.asyncio
async def test_what_is_on_is_not_begun_again(accounts, enrolled, visitor):
    """A second secret would shut the first app out."""
    token, _, _ = await enrolled()
    session = await accounts.sessions.find(token)
    assert AccountRefusal.FACTOR_ON is await why(accounts.factor.begin(session))
    assert AccountRefusal.FACTOR_OFF is await why(accounts.factor.pending(session))
    assert AccountRefusal.FACTOR_OFF is await why(
        accounts.factor.finish(token, session, "0", visitor)
    )


@pytest.mark.asyncio
async def test_switching_off(accounts, enrolled, enter, visitor, letters):
    """With everything that belonged to it; the password alone does again."""
    token, _, _ = await enrolled()
    session = await accounts.sessions.find(token)
    fresh = await accounts.factor.off(token, session, visitor)
    assert [None, session.id] == [
        s and s.id for s in [await accounts.sessions.find(t) for t in (token, fresh)]
    ]
    assert "Second factor switched off" == (await letters.last()).subject
    state = await accounts.factor.state(1)
    assert (None, 0) == (state.since, state.codes_left)
    await enter()
    assert AccountRefusal.FACTOR_OFF is await why(accounts.factor.new_codes(session))


@pytest.mark.asyncio
async def test_an_operator_helps_whoever_lost_everything(accounts, enrolled, enter):
    """From the command line."""
    await enrolled()
    await accounts.factor.remove(1)
    await enter()


@pytest.mark.asyncio
async def test_new_recovery_codes_replace_the_old(accounts, enrolled, half, visitor):
    """All of them."""
    token, _, old = await enrolled()
    new = await accounts.factor.new_codes(await accounts.sessions.find(token))
    assert not set(old) & set(new)
    assert AccountRefusal.CODE_WRONG is await why(
        accounts.factor.enter(await half(), old[0], visitor)
    )
    assert isinstance(await accounts.factor.enter(await half(), new[0], visitor), LoggedIn)


@pytest.mark.asyncio
async def test_a_lost_key_shuts_nobody_out(accounts, enrolled, half, app, visitor, seconds):
    """The app's codes cannot be checked any more, recovery codes can."""
    _, secret, codes = await enrolled()
    seconds(30)
    accounts.factor._vault = Vault(Keyring(b"x" * 32))
    assert AccountRefusal.CODE_WRONG is await why(
        accounts.factor.enter(await half(), app(secret), visitor)
    )
    assert isinstance(await accounts.factor.enter(await half(), codes[0], visitor), LoggedIn)


@pytest.mark.asyncio
async def test_an_older_key_is_let_go_of(accounts, enrolled, half, app, visitor, seconds):
    """A login seals the secret under the newest one, so that the key can be replaced."""
    _, secret, _ = await enrolled()
    seconds(30)
    old, new = b"k" * 32, b"n" * 32
    accounts.factor._vault = Vault(Keyring(new, old))
    await accounts.factor.enter(await half(), app(secret), visitor)
    seconds(30)
    accounts.factor._vault = Vault(Keyring(new))
    assert isinstance(await accounts.factor.enter(await half(), app(secret), visitor), LoggedIn)


@pytest.mark.asyncio
async def test_nothing_of_it_is_at_rest_in_the_clear(enrolled, database):
    """Neither the secret nor a recovery code; and a row belongs to its user."""
    _, secret, codes = await enrolled()
    async with database.read() as conn:
        rows = str((await conn.execute(text("SELECT * FROM totp_secrets"))).all())
        rows += str((await conn.execute(text("SELECT * FROM recovery_codes"))).all())
    assert secret not in rows
    assert not any(code.replace("-", "") in rows or code in rows for code in codes)


def test_nothing_of_it_is_printed():
    """An enrolment in a log would be the factor."""
    from trivium.identity.accounts.mfa.service import Enrolment

    assert "SECRET" not in repr(Enrolment(secret="SECRET", address="otpauth://SECRET"))


RFC = base64.b32encode(b"12345678901234567890").decode()
"""The secret of RFC 6238, appendix B."""
CODE = recovery_code(lambda n: bytes(range(n)))


@pytest.mark.parametrize(
    ("now", "code"),
    [  # RFC 6238, appendix B, SHA1: the last six of eight digits
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_the_rfcs_own_examples(now, code):
    """And one step to either side, but not two."""
    step = now // 30
    assert step == matching_step(RFC, code, now)
    assert step == matching_step(RFC, f"{code[:3]} {code[3:]}", now)
    found = {
        late: matching_step(RFC, code, now + late) for late in (-60, -30, 30, 60) if now + late > 60
    }
    assert {late: step if abs(late) == 30 else None for late in found} == found


@pytest.mark.parametrize(
    "typed", ["", "28708", "2870822", "28708x", "٢٨٧٠٨٢", "-28708", "287082\n1"]
)
def test_what_is_no_code_is_wrong(typed):
    """Other digits, other lengths."""
    assert matching_step(RFC, typed, 59) is None


def test_an_app_understands_the_picture():
    """Name, account and secret as apps expect them."""
    parts = urlsplit(address(RFC, "李四/a b", "Trivium"))
    assert ("otpauth", "totp") == (parts.scheme, parts.netloc)
    assert {"secret": [RFC], "issuer": ["Trivium"]} == parse_qs(parts.query)


def test_a_recovery_code_can_be_copied():
    """Groups of four, every byte of chance in it, no look-alikes."""
    assert [4] * 4 == [len(group) for group in CODE.split("-")]
    made = {recovery_code(lambda n, i=i: bytes(i) + b"\1" + bytes(n - i - 1)) for i in range(16)}
    assert 16 == len(made)
    assert not set("ILOU") & set("".join(recovery_code() for _ in range(50)))


@pytest.mark.parametrize(
    "typed",
    [
        CODE,
        CODE.lower(),
        CODE.replace("-", ""),
        f" {CODE} ",
        CODE.replace("-", " "),
        CODE.replace("0", "o").replace("1", "l"),
    ],
)
def test_what_people_write_is_understood(typed):
    """Case, gaps and look-alikes do not count."""
    assert recovery_digest(CODE) == recovery_digest(typed) is not None


@given(st.text(max_size=30))
def test_other_texts_are_no_recovery_code(text):
    """Nothing chokes."""
    digest = recovery_digest(text)
    assert digest is None or 32 == len(digest)
