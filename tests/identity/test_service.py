"""Making, finding and disabling users and keys, on both engines."""

import pytest
from sqlalchemy import text

from trivium.identity.errors import IdentityError
from trivium.identity.keys import digest, parse
from trivium.identity.model import UserRole
from trivium.identity.service import Identity
from trivium.observe import store
from trivium.observe.record import Record
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import RateLimits


@pytest.fixture
def identity(database, clock):
    return Identity(database, clock)


async def refused(call, field):
    """The message of the IdentityError this call raises about this field."""
    with pytest.raises(IdentityError) as caught:
        await call
    assert field == caught.value.field
    return str(caught.value)


@pytest.mark.asyncio
async def test_a_user_is_found_by_name_and_address(identity, clock):
    """Addresses in any case, names as written; both in one spelling of Unicode."""
    made = await identity.create_user(
        " Ame\u0301lie ", "Ame@Example.com", UserRole.ADMIN, unlimited=True
    )
    assert ("Amélie", "ame@example.com", UserRole.ADMIN) == (made.name, made.email, made.role)
    assert made.unlimited
    assert int(clock.now()) == made.created_at
    for asked in ("Amélie", "Ame\u0301lie", "ame@example.com", "AME@example.COM"):
        assert made == await identity.find_user(asked)
    assert [made] == await identity.list_users()


@pytest.mark.parametrize(
    ("name", "email", "field"),
    [
        ("ada", "other@example.com", "name"),
        ("eve", "ada@example.com", "email"),
        ("eve", "ADA@example.com", "email"),
        ("", "eve@example.com", "name"),
        ("a" * 101, "eve@example.com", "name"),
        ("eve\x00", "eve@example.com", "name"),
        ("eve\nadmin", "eve@example.com", "name"),
        ("ada@example.com", "eve@example.com", "name"),
        ("eve", "eve", "email"),
        ("eve", "eve@", "email"),
        ("eve", "@example.com", "email"),
        ("eve", "a b@example.com", "email"),
        ("eve", "eve@a@b", "email"),
        ("eve", "eve@exam\x00ple.com", "email"),
        ("eve", f"eve@{'x' * 255}", "email"),
    ],
)
@pytest.mark.asyncio
async def test_a_bad_user_is_refused_by_field(identity, name, email, field):
    """Taken and malformed values name the field at fault, and nobody is made."""
    await identity.create_user("ada", "ada@example.com")
    await refused(identity.create_user(name, email), field)
    assert 1 == len(await identity.list_users())


@pytest.mark.asyncio
async def test_an_unknown_user_is_named(identity):
    """Every call that takes a user says which one does not exist."""
    for call in (
        identity.find_user("bob"),
        identity.disable_user("bob"),
        identity.enable_user("bob"),
        identity.create_key("bob"),
        identity.list_keys("bob"),
    ):
        assert "'bob'" in await refused(call, "user")


@pytest.mark.asyncio
async def test_the_secret_is_shown_once_and_stored_as_a_digest(identity, database, clock):
    """No column of any table holds a part of it beyond the hint."""
    await identity.create_user("ada", "ada@example.com")
    key, secret = await identity.create_key("ada", "laptop", ["gpt-5", "o*", "o*"], 2_000_000_000)
    assert parse(secret) == digest(secret)
    assert [key] == await identity.list_keys("ada@example.com") == await identity.list_keys()
    assert ("laptop", secret[-4:], ("gpt-5", "o*")) == (key.name, key.hint, key.models)
    assert (2_000_000_000, int(clock.now())) == (key.expires_at, key.created_at)
    async with database.read() as conn:
        rows = (await conn.execute(text("SELECT * FROM keys"))).mappings().all()
    assert digest(secret) == bytes(rows[0]["digest"])
    assert secret[11:40] not in repr(rows)


@pytest.mark.asyncio
async def test_keys_are_never_alike(identity):
    """Randomness comes from the operating system unless given."""
    await identity.create_user("ada", "ada@example.com")
    secrets = {(await identity.create_key("ada"))[1] for _ in range(3)}
    assert 3 == len(secrets)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\x1b[2J"}, "name"),
        ({"models": [""]}, "models"),
        ({"models": ["gpt\x00"]}, "models"),
        ({"models": ["g*t"]}, "models"),
        ({"models": ["m"] * 1001}, "models"),
        ({"expires_at": 1_790_000_000}, "expires_at"),
        ({"expires_at": 0}, "expires_at"),
    ],
)
@pytest.mark.asyncio
async def test_a_bad_key_is_refused_by_field(identity, options, field):
    """The clock stands at 1,790,000,000: a key that has expired already is a slip."""
    await identity.create_user("ada", "ada@example.com")
    await refused(identity.create_key("ada", **options), field)
    assert [] == await identity.list_keys()


@pytest.mark.parametrize("by", ["id", "id:", "name", "hint", "secret"])
@pytest.mark.asyncio
async def test_a_key_is_revoked_by_whatever_is_at_hand(identity, by):
    """Its id, its name, its last four characters, or the leaked key itself."""
    await identity.create_user("ada", "ada@example.com")
    kept, _ = await identity.create_key("ada", "kept")
    key, secret = await identity.create_key("ada", "lost")
    which = {"id": f"{key.id}", "id:": f"id:{key.id}", "name": "lost", "hint": key.hint}
    revoked = await identity.revoke_key(which.get(by, secret))
    assert (key.id, True) == (revoked.id, revoked.disabled)
    assert [kept, revoked] == await identity.list_keys("ada")


@pytest.mark.asyncio
async def test_an_ambiguous_key_is_not_revoked(identity):
    """The message lists the ids that would be unambiguous, and those are."""
    await identity.create_user("ada", "ada@example.com")
    keys = [(await identity.create_key("ada", name))[0] for name in ("same", "same")]
    says = await refused(identity.revoke_key("same"), "key")
    assert all(f"id:{key.id}" in says for key in keys)
    numeral = f"{keys[0].id}"
    third, _ = await identity.create_key("ada", numeral)
    assert f"id:{third.id}" in await refused(identity.revoke_key(numeral), "key")
    assert keys[0].id == (await identity.revoke_key(f"id:{keys[0].id}")).id
    assert third.id == (await identity.revoke_key(numeral)).id


@pytest.mark.asyncio
async def test_a_revoked_key_cannot_be_revoked_again(identity):
    """Nor does it stand in the way of a new key of its name."""
    await identity.create_user("ada", "ada@example.com")
    await identity.create_key("ada", "laptop")
    await identity.revoke_key("laptop")
    await refused(identity.revoke_key("laptop"), "key")
    await identity.create_key("ada", "laptop")
    await identity.revoke_key("laptop")


@pytest.mark.asyncio
async def test_an_unknown_key_is_not_repeated_in_the_message(identity):
    """What was typed may be a secret with a typo."""
    await identity.create_user("ada", "ada@example.com")
    _, secret = await identity.create_key("ada")
    mistyped = secret[:20] + ("0" if secret[20] != "0" else "1") + secret[21:]
    says = await refused(identity.revoke_key(mistyped), "key")
    assert mistyped[11:] not in says


@pytest.mark.asyncio
async def test_a_disabled_user_is_enabled_again(identity):
    """Both ways, and revoked keys stay revoked."""
    await identity.create_user("ada", "ada@example.com")
    await identity.create_key("ada", "lost")
    await identity.revoke_key("lost")
    assert (await identity.disable_user("ada")).disabled
    assert (await identity.find_user("ada")).disabled
    assert not (await identity.enable_user("ada@example.com")).disabled
    assert not (await identity.find_user("ada")).disabled
    assert [True] == [key.disabled for key in await identity.list_keys()]


@pytest.mark.asyncio
async def test_every_change_raises_the_revision(identity, database):
    """And a change that was refused does not."""

    async def revision():
        async with database.read() as conn:
            return await conn.scalar(text("SELECT value FROM revision"))

    seen = [await revision()]
    for call in (
        lambda: identity.create_user("ada", "ada@example.com"),
        lambda: identity.create_key("ada"),
        lambda: identity.disable_user("ada"),
        lambda: identity.enable_user("ada"),
        lambda: identity.revoke_key("default"),
    ):
        await call()
        seen.append(await revision())
    assert sorted(set(seen)) == seen
    await refused(identity.create_user("ada", "x@example.com"), "name")
    assert seen[-1] == await revision()


@pytest.mark.asyncio
async def test_a_keys_last_use_comes_from_the_request_records(identity, database):
    """The latest of its own records, or nothing."""
    await identity.create_user("ada", "ada@example.com")
    used, _ = await identity.create_key("ada")
    await identity.create_key("ada")
    rows = [
        store.row_of(Record(request_id=f"r{at}", at=at, key_id=key_id))
        for at, key_id in [(1.5, used.id), (7.9, used.id), (3.0, used.id), (9.0, None)]
    ]
    async with database.write() as conn:
        await store.insert(conn, rows)
    assert [7, None] == [key.last_used_at for key in await identity.list_keys()]


LIMITS = RateLimits(60, 10_000, 4)
BUDGETS = (
    Budget(amount_nanos=5 * 10**9, period=Period.MONTH),
    Budget(amount_nanos=1, period=Period.TOTAL),
)


@pytest.mark.asyncio
async def test_limits_of_users_and_keys_are_kept(identity):
    """What was asked for is what is listed; nothing asked for is no limit."""
    user = await identity.create_user("ada", "ada@example.com", limits=LIMITS)
    plain = await identity.create_user("eve", "eve@example.com")
    key, _ = await identity.create_key(
        "ada", limits=LIMITS, budgets=BUDGETS, networks=["10.0.0.0/8", "2001:db8::/32"]
    )
    free, _ = await identity.create_key("eve")
    assert [user, plain] == await identity.list_users()
    assert [key, free] == await identity.list_keys()
    assert (LIMITS, None) == (user.limits, plain.limits)
    assert (LIMITS, BUDGETS, ("10.0.0.0/8", "2001:db8::/32")) == (
        key.limits,
        key.budgets,
        key.networks,
    )
    assert (None, (), ()) == (free.limits, free.budgets, free.networks)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        ("192.0.2.0/24", "192.0.2.0/24"),
        ("2001:DB8::1", "2001:db8::1/128"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("::/0", "::/0"),
    ],
)
@pytest.mark.asyncio
async def test_networks_have_one_spelling(identity, written, kept):
    """An IPv4 network written as IPv6 is the IPv4 network."""
    await identity.create_user("ada", "ada@example.com")
    key, _ = await identity.create_key("ada", networks=[written, written])
    assert (kept,) == key.networks


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("limits", {"limits": RateLimits(requests=0)}),
        ("limits", {"limits": RateLimits(tokens=-1)}),
        ("limits", {"limits": RateLimits(concurrency=10**13)}),
        ("budgets", {"budgets": [Budget(amount_nanos=0, period=Period.DAY)]}),
        ("budgets", {"budgets": [Budget(amount_nanos=10**15 + 1, period=Period.DAY)]}),
        ("budgets", {"budgets": [Budget(amount_nanos=n, period=Period.DAY) for n in (1, 2)]}),
        ("networks", {"networks": ["10.0.0.1/8"]}),
        ("networks", {"networks": ["10.0.0.0/33"]}),
        ("networks", {"networks": ["example.com"]}),
        ("networks", {"networks": [""]}),
        ("networks", {"networks": [f"10.0.0.{n}" for n in range(101)]}),
    ],
)
@pytest.mark.asyncio
async def test_limits_that_limit_nothing_or_everything_are_refused(identity, field, asked):
    """Zero would be a revoked key, and a network with host bits is most likely a slip."""
    await identity.create_user("ada", "ada@example.com")
    assert await refused(identity.create_key("ada", **asked), field)
    assert [] == await identity.list_keys()
