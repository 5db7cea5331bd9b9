"""Invitations, made and withdrawn in the console."""

import re

import pytest
import pytest_asyncio

from console.visiting import ORIGIN, Seen, console_over, user_of, visiting
from trivium.identity.model import UserRole

LINK = re.compile(rf"{ORIGIN}(/invitation/[^\s<\"]+)")
PAGE = "/admin/invitations"


def browser(database, clock, **more):
    return visiting(database, console_over(database, clock, **{"signup": "invitation"} | more))


async def entered(visitor):
    """The browser, with an administrator before it."""
    visitor.eve = await user_of(visitor.console, "eve", UserRole.ADMIN)
    await visitor.log_in(visitor.eve)
    await visitor.get(PAGE)
    return visitor


@pytest_asyncio.fixture
async def boss(database, clock):
    async with browser(database, clock) as visitor:
        yield await entered(visitor)


async def told(visitor):
    acts = await visitor.console.audit.everything()
    return [(act.kind, act.actor_id, act.what) for act in acts]


@pytest.mark.asyncio
@pytest.mark.parametrize("role", ["user", "admin"])
async def test_a_link_is_shown_once_and_makes_an_account(boss, clock, role):
    """Of the role and for the address that were given, as long as was given."""
    made = await boss.post(PAGE, email="grace@example.com", role=role, days="3")
    (path,) = LINK.findall(made.text)
    (open_,) = await boss.console.accounts.signup.invitations()
    assert ("grace@example.com", role, int(clock.now()) + 3 * 86_400) == (
        open_.email, open_.role.value, open_.expires_at,
    )  # fmt: skip
    page = await boss.get(PAGE)
    assert [] == LINK.findall(page.text)
    assert "grace@example.com" in Seen(page.text).words
    async with visiting(boss.console.database, boss.console) as guest:
        await guest.get(path)
        await guest.post(path, name="grace", password="a horse, a battery")
    grace = await boss.console.identity.find_user("grace")
    assert (role, "grace@example.com") == (grace.role.value, grace.email)
    assert ("invitation", boss.eve.id, f"invitation:{open_.id}") in await told(boss)
    assert "No open invitations" in (await boss.get(PAGE)).text


@pytest.mark.asyncio
async def test_a_letter_takes_the_link_and_the_page_does_not_show_it(boss):
    """Whoever invites could else use it instead."""
    made = await boss.post(PAGE, email="grace@example.com", days="7", mail="1")
    assert (303, PAGE) == (made.status_code, made.headers["location"])
    page = await boss.get(PAGE)
    assert "The invitation is on its way to grace@example.com." in Seen(page.text).text
    assert [] == LINK.findall(page.text)
    letter = await boss.console.accounts.emails._post.last()
    assert LINK.search(letter)


@pytest.mark.asyncio
async def test_a_withdrawn_link_leads_nowhere(boss):
    """Withdrawing again says that there is none, and is no act."""
    made = await boss.post(PAGE, days="7")
    (path,) = LINK.findall(made.text)
    (open_,) = await boss.console.accounts.signup.invitations()
    for said in ("The invitation is withdrawn", "There is no such invitation any more"):
        await boss.post(f"{PAGE}/withdraw", invitation=str(open_.id))
        assert said in (await boss.get(PAGE)).text
    for nonsense in ("", "x", "0", "9" * 30):
        answer = await boss.post(f"{PAGE}/withdraw", invitation=nonsense)
        assert 303 == answer.status_code
    kinds = [kind for kind, _, _ in await told(boss)]
    assert ["invitation_withdrawn", "invitation"] == kinds
    async with visiting(boss.console.database, boss.console) as guest:
        page = await guest.get(path)
        assert "This link has been used, has expired" in page.text


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"days": "0"}, "Please give a whole number from 1 to 365."),
        ({"days": ""}, "Please fill in this field."),
        ({"role": "owner"}, "Please choose one of what is offered."),
        ({"email": "nobody"}, "This is not an e-mail address."),
        ({"email": "eve@example.com"}, "This address belongs to an account already."),
        ({"mail": "1"}, "A letter needs an address."),
    ],
)
async def test_what_is_wrong_is_said_and_nobody_is_invited(boss, fields, said):
    """Beside its field."""
    answer = await boss.post(PAGE, **({"days": "7"} | fields))
    assert (422, True) == (answer.status_code, said in Seen(answer.text).text)
    assert [] == await boss.console.accounts.signup.invitations()
    assert [] == await told(boss)


@pytest.mark.asyncio
async def test_links_that_would_lead_nowhere_are_called_so(database, clock):
    """While sign-up is closed; and without a mail server no letter is offered."""
    async with browser(database, clock, signup="closed", letters=False) as visitor:
        page = await (await entered(visitor)).get(PAGE)
        assert "Sign-up is closed" in page.text
        assert "Send it by e-mail" not in page.text
        answer = await visitor.post(PAGE, email="grace@example.com", days="7", mail="1")
        assert 422 == answer.status_code


@pytest.mark.asyncio
async def test_only_administrators_invite(boss):
    """And withdraw."""
    made = await boss.post(PAGE, days="7")
    assert 200 == made.status_code
    (open_,) = await boss.console.accounts.signup.invitations()
    async with visiting(boss.console.database, boss.console) as visitor:
        assert 303 == (await visitor.get(PAGE)).status_code
        await visitor.log_in(await user_of(visitor.console))
        await visitor.get("/account")
        assert 403 == (await visitor.get(PAGE)).status_code
        assert 403 == (await visitor.post(PAGE, days="7")).status_code
        answer = await visitor.post(f"{PAGE}/withdraw", invitation=str(open_.id))
        assert 403 == answer.status_code
    assert [open_] == await boss.console.accounts.signup.invitations()
