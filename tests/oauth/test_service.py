"""The whole service: what an access token opens."""

import pytest

from oauth.world import changed
from trivium.oauth.addresses import addresses
from trivium.oauth.errors import OAuthError
from trivium.oauth.service import OAuth
from trivium.oauth.tokens.model import Access
from trivium.secret import Keyring
from trivium.settings.section import OAuthSettings as Rules

pytestmark = pytest.mark.asyncio


@pytest.fixture
def oauth(world):
    """Over the world's database."""
    return OAuth(
        world.database,
        world.clock,
        world.audit,
        Rules(),
        addresses("https://g.example", "https://login.example", None, ""),
        refresh_keys=Keyring(b"r" * 32),
        topup_keys=Keyring(b"t" * 32),
    )


def access(world, scopes):
    """What a token with these scopes opens."""
    return Access(
        user_id=world.ada.id,
        app_id=world.app.id,
        client_id=world.app.client_id,
        grant_id=1,
        family_id=1,
        scopes=frozenset(scopes),
        expires_at=0,
        last_used_at=None,
    )


async def test_a_user_is_told_by_scope(world, oauth):
    """Names from identity, money from the ledger."""
    told = await oauth.userinfo(access(world, {"profile", "balance"}))
    assert ("ada", 0, "0.00", str(world.ada.id)) == (
        told["username"],
        told["quota"],
        told["balance_formatted"],
        told["sub"],
    )


@pytest.mark.parametrize(
    ("scopes", "user", "code"),
    [({"spend"}, None, "insufficient_scope"), ({"profile"}, 999, "invalid_token")],
)
async def test_what_opens_nothing_is_refused(world, oauth, scopes, user, code):
    """A token for something else; a user that is gone."""
    given = access(world, scopes)
    with pytest.raises(OAuthError) as raised:
        await oauth.userinfo(changed(given, user_id=user or given.user_id))
    assert code == raised.value.code


async def test_the_top_up_address_names_user_and_application(world, oauth, clock):
    """On the service's own origin; another application's id does not fit to it."""
    url = oauth.topup_url(access(world, {"balance"}))
    head, _, value = url.partition("&t=")
    assert f"https://login.example/topup?app={world.app.client_id}" == head
    who, app = await oauth.topup_of(world.app.client_id, value)
    assert (world.ada.id, world.app) == (who.user_id, app)
    assert None is await oauth.topup_of("gwc_other", value)
    assert None is await oauth.topup_of(world.app.client_id, value + "x")
    clock.advance(900)
    assert None is await oauth.topup_of(world.app.client_id, value)
