"""A user's keys that are there: changed, paused, resumed, revoked."""

import pytest

from console.visiting import Seen, user_of, visiting
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits

FIELDS = {
    "name": "<i>phone</i>", "expires": "2127-01-31", "models": "a\nb*", "networks": "10.0.0.0/8",
    "requests": "60", "tokens": "", "concurrency": "4", "strict": "1",
    "day": "", "week": "2", "month": "5.50", "total": "",
}  # fmt: skip


async def owned(visitor, **terms):
    """A logged-in user with a key."""
    user = await user_of(visitor.console)
    await visitor.log_in(user)
    key, _ = await visitor.console.identity.create_key("ada", "laptop", **terms)
    return user, key


async def told(visitor, user):
    acts = await visitor.console.audit.everything(user_id=user.id)
    return [act.kind for act in acts]


@pytest.mark.asyncio
async def test_everything_about_a_key_can_be_changed(database):
    """The page says what is so now; one line in the audit log names what has changed."""
    async with visiting(database) as visitor:
        user, key = await owned(visitor, models=["gpt-5"])
        page = await visitor.get(f"/account/keys/{key.id}")
        assert (200, True) == (page.status_code, "gpt-5" in page.text)
        saved = await visitor.post(f"/account/keys/{key.id}", **FIELDS)
        assert (303, "/account/keys") == (saved.status_code, saved.headers["location"])
        page = await visitor.get("/account/keys")
        assert "The key “<i>phone</i>” is saved." in Seen(page.text).text
        assert "<i>phone" not in page.text
        (after,) = await visitor.console.own_keys.all(user.id)
        assert (("a", "b*"), RateLimits(60, None, 4), ("10.0.0.0/8",), True) == (
            after.models, after.limits, after.networks, after.strict,
        )  # fmt: skip
        now = int(visitor.console.clock.now())  # what was spent before in the period counts
        assert (
            Budget(amount_nanos=2_000_000_000, period=Period.WEEK, since=now),
            Budget(amount_nanos=5_500_000_000, period=Period.MONTH, since=now),
        ) == after.budgets
        (act,) = await visitor.console.audit.everything(user_id=user.id)
        assert ("key_changed", f"key:{key.id}", user.id) == (act.kind, act.what, act.actor_id)
        assert "name, models, expires_at, strict, limits, budgets, networks" in act.detail


@pytest.mark.asyncio
async def test_a_form_that_changes_nothing_is_no_act(database):
    """Somebody only looked."""
    async with visiting(database) as visitor:
        user, key = await owned(visitor)
        await visitor.get(f"/account/keys/{key.id}")
        assert 303 == (await visitor.post(f"/account/keys/{key.id}", name="laptop")).status_code
        assert [] == await told(visitor, user)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": ""}, "Please fill in this field."),
        ({"week": "ten"}, "Please give an amount in dollars, such as 10.00."),
        ({"total": "0"}, "Please give an amount above 0"),
        ({"networks": "home"}, "One of these is no network"),
        ({"models": "*x"}, "One of these is no model name"),
        ({"requests": "0"}, "Please give a whole number from 1 to"),
        ({"expires": "soon"}, "Please give a day, such as 2027-01-31."),
        ({"expires": "2020-01-01"}, "This day is over."),
        ({"name": "x" * 101}, "Please use 1 to 100 printable characters."),
    ],
)
async def test_what_is_wrong_is_said_and_nothing_is_changed(database, fields, said):
    """What was typed is kept."""
    async with visiting(database) as visitor:
        user, key = await owned(visitor)
        await visitor.get(f"/account/keys/{key.id}")
        answer = await visitor.post(
            f"/account/keys/{key.id}", **({"name": "laptop", "models": "kept-model"} | fields)
        )
        assert (422, True) == (answer.status_code, said in Seen(answer.text).text)
        assert ("kept-model" in answer.text) == ("models" not in fields)
        assert [key] == await visitor.console.own_keys.all(user.id)
        assert [] == await told(visitor, user)


@pytest.mark.asyncio
async def test_a_key_is_paused_resumed_and_revoked(database):
    """With a word on the page that follows, and a line in the audit log."""
    async with visiting(database) as visitor:
        user, key = await owned(visitor)
        await visitor.get("/account/keys")
        for act, said in (
            ("pause", "The key “laptop” is paused"),
            ("resume", "The key “laptop” works again."),
            ("pause", "The key “laptop” is paused"),
            ("revoke", "The key “laptop” is revoked."),
        ):
            await visitor.post(f"/account/keys/{act}", key=str(key.id))
            page = await visitor.get("/account/keys")
            assert said in Seen(page.text).text
            assert (act == "pause") == ("paused" in Seen(page.text).words)
        assert "No keys yet" in page.text
        assert ["key_revoked", "key_paused", "key_resumed", "key_paused"] == await told(
            visitor, user
        )


@pytest.mark.asyncio
@pytest.mark.parametrize("act", ["pause", "resume", "revoke"])
async def test_nobody_touches_another_s_key(database, act):
    """By whatever number; and nonsense is no error of ours."""
    async with visiting(database) as visitor:
        await owned(visitor)
        eve = await user_of(visitor.console, "eve")
        key, _ = await visitor.console.identity.create_key("eve", "hers")
        await visitor.get("/account/keys")
        for number in (str(key.id), "999", "x", "", "9" * 30):
            answer = await visitor.post(f"/account/keys/{act}", key=number)
            assert 422 == answer.status_code
            assert "hers" not in answer.text
        for number in (key.id, 999, "9" * 30):
            assert 404 == (await visitor.get(f"/account/keys/{number}")).status_code
            answer = await visitor.post(f"/account/keys/{number}", **FIELDS)
            assert 404 == answer.status_code
        assert [key] == await visitor.console.own_keys.all(eve.id)


@pytest.mark.asyncio
async def test_a_revoked_key_has_no_page(database):
    """It is done with."""
    async with visiting(database) as visitor:
        user, key = await owned(visitor)
        await visitor.console.own_keys.revoke(user.id, key.id)
        assert 404 == (await visitor.get(f"/account/keys/{key.id}")).status_code


@pytest.mark.asyncio
async def test_a_visitor_is_sent_to_log_in(database):
    """Before anything is looked up."""
    async with visiting(database) as visitor:
        assert 303 == (await visitor.get("/account/keys/1")).status_code
