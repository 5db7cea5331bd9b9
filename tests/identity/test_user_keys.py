"""A user's own keys, by id."""

import functools

import msgspec
import pytest

from trivium.identity import store, user_keys
from trivium.identity.errors import IdentityError
from trivium.identity.keys import digest
from trivium.identity.service import Identity
from trivium.identity.snapshot import Snapshot
from trivium.identity.user_keys import OwnKeys
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits


@pytest.fixture
def identity(database, clock):
    return Identity(database, clock)


async def two(identity):
    """Two users, and a key of the first."""
    ada = await identity.create_user("ada", "ada@example.com")
    eve = await identity.create_user("eve", "eve@example.com")
    key, _ = await identity.create_key("ada", "laptop")
    return ada, eve, key


def terms(**members):
    """A change of some members."""
    return lambda now: msgspec.structs.replace(now, **members)


def state(key):
    return key.name, key.paused, key.disabled


@pytest.mark.asyncio
async def test_a_user_pauses_resumes_and_revokes_their_key(database, clock, identity):
    """Pausing twice is pausing; a revoked one stays in the list, and is done with."""
    own = OwnKeys(database, clock)
    ada, _, key = await two(identity)
    for act, expected in (
        (functools.partial(own.switch, paused=True), ("laptop", True, False)),
        (functools.partial(own.switch, paused=True), ("laptop", True, False)),
        (functools.partial(own.switch, paused=False), ("laptop", False, False)),
        (functools.partial(own.switch, paused=True), ("laptop", True, False)),
        (own.revoke, ("laptop", True, True)),
    ):
        assert expected == state(await act(ada.id, key.id))
        assert [expected] == [state(each) for each in await own.all(ada.id)]
    for again in (
        own.revoke(ada.id, key.id),
        own.switch(ada.id, key.id, paused=True),
        own.switch(ada.id, key.id, paused=False),
        own.edit(ada.id, key.id, terms(name="x")),
        own.one(ada.id, key.id),
    ):
        with pytest.raises(IdentityError) as caught:
            await again
        assert "key" == caught.value.field


MEMBERS = {
    "name": ("phone", " phone "),
    "models": (("gpt-*", "m"), ("gpt-*", "m", "m")),
    "expires_at": (2_000_000_000, 2_000_000_000),
    "strict": (True, True),
    "header_only": (True, True),
    "limits": (RateLimits(requests=3), RateLimits(requests=3)),
    "budgets": ((Budget(amount_nanos=5, period=Period.DAY),),) * 2,
    "networks": (("10.0.0.0/8",), ("10.0.0.0/8",)),
}


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.asyncio
async def test_every_term_of_a_key_can_be_changed_alone(database, clock, identity, member):
    """The others stay, the secret as well; the same again changes nothing and tells so."""
    own = OwnKeys(database, clock)
    ada, _, key = await two(identity)
    expected, given = MEMBERS[member]
    if member == "budgets":  # from now on; what was spent before is summed up
        now = int(clock.now())
        expected = tuple(msgspec.structs.replace(each, since=now) for each in expected)
    after, members = await own.edit(ada.id, key.id, terms(**{member: given}))
    assert [member] == members
    assert msgspec.structs.replace(key, **{member: expected}) == after
    assert [after] == await own.all(ada.id)
    assert (after, []) == await own.edit(ada.id, key.id, terms(**{member: given}))


@pytest.mark.asyncio
async def test_what_is_changed_is_in_force_with_the_next_look(database, clock, identity):
    """Snapshots learn of new terms, a pause and its end, but of nothing that stays as it is."""
    looks = []

    async def look():
        await snapshot.refresh()
        looks.append(snapshot.revision)

    own = OwnKeys(database, clock, look)
    snapshot = Snapshot(database, clock)
    ada, _, key = await two(identity)
    await snapshot.load()
    (caller,) = snapshot.callers()
    assert (False, False) == (caller.disabled, caller.revoked)

    async def seen():
        (found,) = snapshot.callers()
        return found.models, found.disabled, found.revoked

    await own.edit(ada.id, key.id, terms(models=("m",)))
    assert ({"m"}, False, False) == await seen()
    await own.switch(ada.id, key.id, paused=True)
    assert ({"m"}, True, False) == await seen()
    await own.switch(ada.id, key.id, paused=False)
    assert ({"m"}, False, False) == await seen()
    await own.revoke(ada.id, key.id)
    assert ({"m"}, True, True) == await seen()
    assert sorted(set(looks)) == looks


@pytest.mark.asyncio
async def test_an_end_that_has_come_may_stay_and_no_other_may_be_past(database, clock, identity):
    """An expired key can have another name, and another end, which lets it work again."""
    own = OwnKeys(database, clock)
    ada, _, _ = await two(identity)
    soon = int(clock.now()) + 60
    key, _ = await identity.create_key("ada", "short", expires_at=soon)
    clock.advance(120)
    after, members = await own.edit(ada.id, key.id, terms(name="shorter"))
    assert (["name"], soon) == (members, after.expires_at)
    with pytest.raises(IdentityError) as caught:
        await own.edit(ada.id, key.id, terms(expires_at=soon + 1))
    assert "expires_at" == caught.value.field
    after, _ = await own.edit(ada.id, key.id, terms(expires_at=None))
    assert after.expires_at is None


@pytest.mark.asyncio
async def test_nobody_touches_another_s_key(database, clock, identity):
    """By whatever id: it is told like one that never was."""
    own = OwnKeys(database, clock)
    ada, eve, key = await two(identity)
    assert [] == await own.all(eve.id)
    for user, key_id in ((eve.id, key.id), (ada.id, key.id + 1)):
        for call in (
            own.revoke(user, key_id),
            own.switch(user, key_id, paused=True),
            own.switch(user, key_id, paused=False),
            own.edit(user, key_id, terms(name="mine")),
            own.one(user, key_id),
        ):
            with pytest.raises(IdentityError) as caught:
                await call
            assert "key: is not one of yours, or has been revoked" == str(caught.value)
    assert [("laptop", False, False)] == [state(each) for each in await own.all(ada.id)]


BAD = {
    "name": "  ",
    "models": ("a*b",),
    "expires_at": 1,
    "limits": RateLimits(requests=0),
    "budgets": (Budget(amount_nanos=0, period=Period.DAY),),
    "networks": ("home",),
}


@pytest.mark.parametrize("member", BAD)
@pytest.mark.asyncio
async def test_terms_are_checked_as_when_the_key_was_made(database, clock, identity, member):
    """Nothing is changed by what is refused."""
    own = OwnKeys(database, clock)
    ada, _, key = await two(identity)
    with pytest.raises(IdentityError) as caught:
        await own.edit(ada.id, key.id, terms(**{member: BAD[member]}))
    assert member == caught.value.field
    assert [key] == await own.all(ada.id)


@pytest.mark.asyncio
async def test_a_user_has_so_many_keys(database, clock, identity, monkeypatch):
    """Revoked ones do not count."""
    monkeypatch.setattr(user_keys, "KEYS_MAX", 2)
    own = OwnKeys(database, clock)
    ada, _, key = await two(identity)
    await own.check_room(ada.id)
    await identity.create_key("ada", "second")
    with pytest.raises(IdentityError):
        await own.check_room(ada.id)
    await own.revoke(ada.id, key.id)
    await own.check_room(ada.id)


@pytest.mark.asyncio
async def test_keys_of_applications_are_not_ones_own(database, clock):
    """Consent gives and ends them: they are named in requests, and listed nowhere else."""
    people = Identity(database, clock)
    own = OwnKeys(database, clock)
    user = await people.create_user("ada", "ada@example.com")
    key, _ = await people.create_key("ada")
    async with database.write() as conn:
        given = msgspec.structs.replace(key, grant_id=7)
        await store.insert_key(conn, given, b"d" * 32, await store.bump(conn))
    assert [None, 7] == [each.grant_id for each in await own.all(user.id)]
    assert [key.id] == [each.id for each in await own.own(user.id)]
    for act in (own.revoke(user.id, key.id + 1), own.switch(user.id, key.id + 1, paused=True)):
        with pytest.raises(IdentityError):
            await act


@pytest.mark.asyncio
async def test_a_key_rotates_with_an_overlap(database, clock):
    """Both secrets are one key until the overlap's end; a second rotation ends the first one, also
    where nobody looked in between; revoking ends all.
    """
    identity, own = Identity(database, clock), OwnKeys(database, clock)
    await identity.create_user("ada", "ada@example.com")
    key, first = await identity.create_key("ada")
    snapshot = Snapshot(database)
    await snapshot.load()

    def found(secret):
        return snapshot.get(digest(secret))

    after, second = await own.rotate(key.user_id, key.id, 60)
    assert (key.id, int(clock.now()) + 60) == (after.id, after.former_until)
    await snapshot.refresh()
    assert (key.id, float("inf")) == (found(second).key_id, found(second).expires_at)
    assert (key.id, float(after.former_until)) == (found(first).key_id, found(first).expires_at)
    assert key.id == (await identity.find_key(first)).id
    _, third = await own.rotate(key.user_id, key.id, 60)
    _, fourth = await own.rotate(key.user_id, key.id, 60)
    await snapshot.refresh()
    assert [None, None, True, True] == [
        each and True for each in map(found, (first, second, third, fourth))
    ]
    _, fifth = await own.rotate(key.user_id, key.id, 0)
    await own.revoke(key.user_id, key.id)
    await snapshot.refresh()
    assert found(fifth).revoked
    with pytest.raises(IdentityError, match="overlap: is 0 to 30 days"):
        await own.rotate(key.user_id, key.id, 31 * 86_400)


@pytest.mark.asyncio
async def test_a_key_of_ones_own_is_known_by_its_digest(database, clock, identity):
    """Another's is not, nor is one that was revoked."""
    own = OwnKeys(database, clock)
    ada, eve, _ = await two(identity)
    key, secret = await identity.create_key("ada", "phone")
    assert digest(secret) == await own.digest(ada.id, key.id)
    with pytest.raises(IdentityError):
        await own.digest(eve.id, key.id)
    await own.revoke(ada.id, key.id)
    with pytest.raises(IdentityError):
        await own.digest(ada.id, key.id)
