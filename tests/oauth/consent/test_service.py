"""From an authorization request to its answer, on both engines."""

import asyncio

import pytest

from oauth.world import CALLBACK, CHALLENGE, ISSUER, answered
from trivium.oauth import credential
from trivium.oauth.apps.model import AppStatus
from trivium.oauth.consent import store
from trivium.oauth.consent.model import Decision
from trivium.oauth.errors import AuthorizationRefused, OAuthError, Reason, RegistrationError

pytestmark = pytest.mark.asyncio


async def refusal(call):
    """Why a request is refused."""
    with pytest.raises(AuthorizationRefused) as raised:
        await call
    return raised.value.reason


async def test_a_request_waits_as_it_was_asked(world):
    """State to the byte, and the owner's name for the page."""
    asked = world.asked(
        state=b"\x00\xff",
        code_challenge=CHALLENGE.encode(),
        code_challenge_method=b"S256",
        auto_authorize=b"true",
    )
    request_id = await world.consents.begin(asked)
    pending = await world.consents.find(request_id)
    assert (asked, "owner", None, None) == (
        pending.asked,
        pending.owner,
        pending.user_id,
        pending.login_at,
    )


async def test_a_request_waits_ten_minutes(world, clock):
    """Then it is unknown, as one that never was."""
    request_id = await world.consents.begin(world.asked())
    clock.advance(599)
    await world.consents.find(request_id)
    clock.advance(1)
    assert Reason.REQUEST_UNKNOWN is await refusal(world.consents.find(request_id))
    for other in ("", "gwar_" + "x" * 43, "x"):
        assert Reason.REQUEST_UNKNOWN is await refusal(world.consents.find(other))


async def test_who_is_asked_first_answers(world):
    """Another account cannot answer in their place."""
    request_id = await world.consents.begin(world.asked())
    assert Decision.ASK is await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    other = world.owner.id
    for call in (
        world.consents.weigh(request_id, other, is_framed=False),
        world.consents.approve(request_id, other, Decision.ASK),
        world.consents.deny(request_id, other),
        world.consents.release(request_id, other),
    ):
        assert Reason.REQUEST_UNKNOWN is await refusal(call)


async def test_accounts_can_be_switched(world):
    """By giving the request free, or by logging in."""
    request_id = await world.consents.begin(world.asked())
    await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    await world.consents.release(request_id, world.ada.id)
    await world.consents.weigh(request_id, world.owner.id, is_framed=False)
    await world.consents.logged_in(request_id, world.ada.id)
    assert world.ada.id == (await world.consents.find(request_id)).user_id


async def test_agreement_gives_a_code_once(world):
    """The same request cannot be answered again."""
    request_id = await world.consents.begin(world.asked())
    await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    location = await world.consents.approve(request_id, world.ada.id, Decision.ASK)
    assert location.startswith(CALLBACK + "&code=gwac_")
    assert {"tenant", "code", "state"} == set(answered(location))
    for call in (
        world.consents.approve(request_id, world.ada.id, Decision.ASK),
        world.consents.deny(request_id, world.ada.id),
    ):
        assert Reason.REQUEST_UNKNOWN is await refusal(call)


async def test_of_answers_at_once_one_counts(world):
    """However often the button was pressed."""
    request_id = await world.consents.begin(world.asked())
    await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    made = await asyncio.gather(
        *(world.consents.approve(request_id, world.ada.id, Decision.ASK) for _ in range(5)),
        return_exceptions=True,
    )
    assert 1 == len([one for one in made if isinstance(one, str)])
    assert 4 == len([one for one in made if isinstance(one, AuthorizationRefused)])


async def test_who_does_not_agree_is_sent_back(world):
    """`access_denied`, with the state."""
    request_id = await world.consents.begin(world.asked())
    await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    said = answered(await world.consents.deny(request_id, world.ada.id))
    assert ("access_denied", "s-1") == (said["error"], said["state"])
    assert [] == await world.consents.authorized(world.ada.id)


async def test_a_disabled_user_is_sent_back(world):
    """Row 11."""
    request_id = await world.consents.begin(world.asked())
    await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    await world.people.disable_user("ada")
    said = answered(await world.consents.approve(request_id, world.ada.id, Decision.ASK))
    assert "access_denied" == said["error"]


async def test_an_address_that_was_replaced_is_not_answered(world):
    """Perhaps somebody else answers there now: no code goes to where a request began."""
    request_id = await world.consents.begin(world.asked())
    await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    app = world.app
    await world.apps.edit(
        world.owner.id,
        app.id,
        name=app.name,
        description=app.description,
        redirect_uri="https://shop.example/new",
        grants=app.grants,
        rotate_refresh=True,
        send_iss=False,
    )
    approved = world.consents.approve(request_id, world.ada.id, Decision.ASK)
    assert Reason.REDIRECT_UNKNOWN is await refusal(approved)


async def test_a_suspended_application_is_not_answered(world):
    """Also when it is suspended meanwhile."""
    request_id = await world.consents.begin(world.asked())
    await world.apps.set_status(world.owner.id, world.app.id, AppStatus.SUSPENDED)
    assert Reason.APP_SUSPENDED is await refusal(world.consents.find(request_id))


async def test_who_agreed_is_not_asked_again(world, clock):
    """Until the scopes grow or the application changes."""
    await world.code(scope=b"profile")
    await world.another()

    async def weighed(**more):
        request_id = await world.consents.begin(world.asked(**more))
        return await world.consents.weigh(request_id, world.ada.id, is_framed=False)

    assert Decision.KNOWN is await weighed(scope=b"profile")
    assert Decision.ASK is await weighed()
    clock.advance(1)
    changed = await world.apps.edit(
        world.owner.id,
        world.app.id,
        name="Another",
        description="",
        redirect_uri=CALLBACK,
        grants=world.app.grants,
        rotate_refresh=True,
        send_iss=False,
    )
    assert Decision.ASK is await weighed(app=changed, scope=b"profile")


async def test_old_consent_is_not_revived_by_a_smaller_one(world, clock):
    """What was agreed to before the application changed is asked for again, all of it."""
    issued = await world.issued()
    clock.advance(1)
    changed = await world.apps.edit(
        world.owner.id,
        world.app.id,
        name="Another",
        description="",
        redirect_uri=CALLBACK,
        grants=world.app.grants,
        rotate_refresh=True,
        send_iss=False,
    )
    clock.advance(1)
    await world.code(changed, scope=b"profile")
    (shown,) = await world.consents.authorized(world.ada.id)
    assert {"profile"} == shown.grant.scopes
    for scope, decision in ((b"profile", Decision.KNOWN), (b"profile balance", Decision.ASK)):
        request_id = await world.consents.begin(world.asked(changed, scope=scope))
        made = await world.consents.weigh(request_id, world.ada.id, is_framed=False)
        assert decision is made
    with pytest.raises(OAuthError):
        await world.tokens.access(issued.access_token)
    assert "grant_revoked" in await world.acts()


async def test_old_consent_goes_on_in_one_that_covers_it(world, clock):
    """Tokens that other machines have stay good."""
    issued = await world.issued(scope=b"profile")
    clock.advance(1)
    changed = await world.apps.edit(
        world.owner.id,
        world.app.id,
        name="Another",
        description="",
        redirect_uri=CALLBACK,
        grants=world.app.grants,
        rotate_refresh=True,
        send_iss=False,
    )
    clock.advance(1)
    await world.code(changed)
    (shown,) = await world.consents.authorized(world.ada.id)
    assert {"profile", "balance"} == shown.grant.scopes
    await world.tokens.access(issued.access_token)


async def test_consent_grows(world, clock):
    """One row, the union of what was agreed to."""
    await world.code(scope=b"profile")
    clock.advance(5)
    await world.code(scope=b"balance")
    (shown,) = await world.consents.authorized(world.ada.id)
    assert ({"profile", "balance"}, clock.at - 5, clock.at) == (
        shown.grant.scopes,
        shown.grant.created_at,
        shown.grant.consented_at,
    )


async def test_a_login_that_named_the_application_answers_the_flag(world):
    """Once: revoking asks again."""
    request_id = await world.consents.begin(world.asked(auto_authorize=b"true"))
    await world.consents.logged_in(request_id, world.ada.id)
    made = await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    assert Decision.AUTOMATIC is made
    await world.consents.approve(request_id, world.ada.id, made)
    (shown,) = await world.consents.authorized(world.ada.id)
    assert shown.grant.automatic
    await world.consents.revoke(world.ada.id, shown.grant.id)
    request_id = await world.consents.begin(world.asked(auto_authorize=b"true"))
    await world.consents.logged_in(request_id, world.ada.id)
    assert Decision.ASK is await world.consents.weigh(request_id, world.ada.id, is_framed=False)


async def test_consent_that_is_taken_back_between_ends_the_request(world):
    """What was known a moment ago is not any more."""
    await world.code()
    request_id = await world.consents.begin(world.asked())
    made = await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    assert Decision.KNOWN is made
    await world.consents.revoke_all(world.ada.id)
    said = answered(await world.consents.approve(request_id, world.ada.id, made))
    assert "access_denied" == said["error"]


async def test_the_user_sees_what_an_application_may_and_did(world, clock):
    """Scopes, owner, first and last use, live tokens."""
    issued = await world.issued(scope=b"profile")
    (shown,) = await world.consents.authorized(world.ada.id)
    assert ("owner", world.app, 2, None, None, None) == (
        shown.owner,
        shown.app,
        shown.live_tokens,
        shown.first_used_at,
        shown.last_used_at,
        shown.incident_at,
    )
    first = clock.at
    await world.tokens.access(issued.access_token)
    clock.advance(59)
    await world.tokens.access(issued.access_token)
    (shown,) = await world.consents.authorized(world.ada.id)
    assert (first, first) == (shown.first_used_at, shown.last_used_at)
    clock.advance(1)
    await world.tokens.access(issued.access_token)
    (shown,) = await world.consents.authorized(world.ada.id)
    assert (first, first + 60) == (shown.first_used_at, shown.last_used_at)
    clock.advance(7200)
    (shown,) = await world.consents.authorized(world.ada.id)
    assert 1 == shown.live_tokens


async def test_taking_consent_back_ends_every_token_at_once(world):
    """Access, refresh, and codes that wait."""
    issued, more = await world.issued(), await world.issued()
    code = await world.code()
    (shown,) = await world.consents.authorized(world.ada.id)
    assert world.app.id == await world.consents.revoke(world.ada.id, shown.grant.id)
    for call in (
        world.tokens.access(issued.access_token),
        world.tokens.access(more.access_token),
        world.refresh(issued.refresh_token),
        world.exchange(code),
    ):
        with pytest.raises(OAuthError):
            await call
    assert [] == await world.consents.authorized(world.ada.id)
    with pytest.raises(RegistrationError):
        await world.consents.revoke(world.ada.id, shown.grant.id)


async def test_nobody_takes_back_anothers_consent(world):
    """It might as well not exist."""
    issued = await world.issued()
    (shown,) = await world.consents.authorized(world.ada.id)
    with pytest.raises(RegistrationError):
        await world.consents.revoke(world.owner.id, shown.grant.id)
    assert [] == await world.consents.revoke_all(world.owner.id)
    await world.tokens.access(issued.access_token)


async def test_everything_can_be_taken_back_at_once(world):
    """And nothing of other users."""
    rival = await world.another()
    first, second = await world.issued(), await world.issued(rival)
    assert {world.app.id, rival.id} == set(await world.consents.revoke_all(world.ada.id))
    for issued in (first, second):
        with pytest.raises(OAuthError):
            await world.tokens.access(issued.access_token)


async def test_what_was_done_is_told(world):
    """Consent, automatic grants, codes, revocation; no code among it."""
    await world.code()
    await world.code()  # asked again by the tests' own choice
    request_id = await world.consents.begin(
        world.asked(await world.another(), auto_authorize=b"true")
    )
    await world.consents.logged_in(request_id, world.ada.id)
    made = await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    await world.consents.approve(request_id, world.ada.id, made)
    request_id = await world.consents.begin(world.asked())
    made = await world.consents.weigh(request_id, world.ada.id, is_framed=False)
    await world.consents.approve(request_id, world.ada.id, made)
    await world.consents.revoke_all(world.ada.id)
    assert [
        "app_created",
        *["consent", "code_issued"] * 2,
        "app_created",
        *["auto_grant", "code_issued"],
        "code_issued",
        *["grant_revoked"] * 2,
    ] == await world.acts()
    assert "gwac_" not in str(await world.audit.everything())


async def test_a_failure_of_ours_goes_back(world):
    """Row 12: no 503 travels through a redirect."""
    said = answered(world.consents.failed(world.asked(), "temporarily_unavailable", "later"))
    assert ("temporarily_unavailable", "s-1") == (said["error"], said["state"])


async def test_no_id_or_code_is_stored_as_it_is(world):
    """Only digests."""
    request_id = await world.consents.begin(world.asked())
    assert ISSUER not in request_id
    async with world.database.read() as conn:
        found = await store.find_request(conn, credential.digest(request_id), 0)
        assert found is not None
        assert None is await store.find_request(conn, request_id.encode(), 0)
