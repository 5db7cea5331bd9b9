"""A provider is believed when everything about its word is right, and not otherwise."""

import hashlib
from base64 import urlsafe_b64encode

import pytest
from joserfc.jwk import OctKey, RSAKey

from oidc import ISSUER, Scripted, query
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.sso.model import SsoIdentity
from trivium.identity.accounts.sso.provider import SsoProvider, by_name
from trivium.settings.accounts import LoginEntry

CALLBACK = "https://gateway.example/login/outside/company/callback"
ENTRY = LoginEntry(name="company", issuer=ISSUER, client_id="trivium", client_secret="s3cret")
OTHER = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})


@pytest.fixture
def remote(clock):
    return Scripted(clock.now)


@pytest.fixture
def provider(remote, clock):
    return SsoProvider(ENTRY, clock, remote.transport)


@pytest.fixture
def said(provider, remote):
    """What the provider says about somebody who came back."""

    async def ask(iss=None):
        remote.nonce = remote.nonce or "n0nce"
        more = {"callback": CALLBACK, "nonce": "n0nce", "verifier": "v" * 43, "iss": iss}
        return await provider.said(code="c0de", **more)

    return ask


async def fails(work):
    """It fails, in the one way there is."""
    with pytest.raises(AccountError) as caught:
        await work
    assert AccountRefusal.OUTSIDE_FAILED is caught.value.why
    return True


@pytest.mark.asyncio
async def test_where_somebody_is_sent(provider):
    """With state, nonce and PKCE; the endpoint's own query stays."""
    way = {"callback": CALLBACK, "state": "st", "nonce": "no", "verifier": "v" * 43}
    url = await provider.address(**way)
    challenge = urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).decode().rstrip("=")
    assert url.startswith(f"{ISSUER}/authorize?")
    assert {
        "tenant": "1",
        "response_type": "code",
        "client_id": "trivium",
        "redirect_uri": CALLBACK,
        "scope": "openid email profile",
        "state": "st",
        "nonce": "no",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    } == query(url)
    fresh = query(await provider.address(**way, fresh=True))
    assert ("login", "0") == (fresh["prompt"], fresh["max_age"])


@pytest.mark.asyncio
async def test_what_is_said(said, remote):
    """By a code that is exchanged with the verifier and our secret."""
    remote.claims |= {"preferred_username": "ada", "name": "Ada L.", "auth_time": 7}
    assert (
        SsoIdentity(
            issuer=ISSUER,
            subject="s-1",
            email="ada@example.com",
            email_verified=True,
            name="ada",
            auth_time=7,
        )
        == await said()
    )
    (asked,) = [r for r in remote.asked if r.url.path == "/token"]
    assert asked.headers["authorization"].startswith("Basic ")
    assert "v" * 43 == remote.form["code_verifier"]
    assert ("c0de", CALLBACK) == (remote.form["code"], remote.form["redirect_uri"])
    assert "client_secret" not in remote.form


@pytest.mark.asyncio
async def test_a_provider_that_wants_the_secret_in_the_form(said, remote):
    """As its description says."""
    remote.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    await said()
    assert "s3cret" == remote.form["client_secret"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "change",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"aud": ["trivium", "another"]},
        {"aud": ["trivium", "another"], "azp": "another"},
        {"azp": "another"},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": 1},
        {"exp": None},
        {"iat": None},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 256},
        {"sub": 7},
        {"sub": "a\0b"},
    ],
    ids=str,
)
async def test_a_claim_that_does_not_hold(said, remote, change):
    """Issuer, audience, party, question, time and subject are all demanded."""
    remote.nonce = "n0nce"
    remote.claims |= change
    assert await fails(said())


@pytest.mark.asyncio
async def test_several_audiences_with_us_as_the_party(said, remote):
    """That is what ``azp`` is for."""
    remote.claims |= {"aud": ["trivium", "another"], "azp": "trivium"}
    assert "s-1" == (await said()).subject


@pytest.mark.asyncio
async def test_no_token_without_a_signature(said, remote):
    """Although the provider's description offers it."""
    remote.head = {"alg": "none"}
    assert await fails(said())


@pytest.mark.asyncio
async def test_no_shared_secret_signs(said, remote):
    """Neither our client secret, nor what a provider publishes."""
    remote.head = {"alg": "HS256"}
    remote.signer = OctKey.import_key("s3cret" * 8)
    assert await fails(said())
    remote.published.append(remote.signer.as_dict())
    assert await fails(said())


@pytest.mark.asyncio
async def test_another_key_signs_nothing(said, remote):
    """Also under the name of the right one."""
    remote.signer = OTHER
    assert await fails(said())


@pytest.mark.asyncio
async def test_a_key_in_the_token_is_not_used(said, remote):
    """Keys come from the provider's own address."""
    remote.signer = OTHER
    remote.head = {"alg": "RS256", "jwk": OTHER.as_dict(private=False)}
    assert await fails(said())


@pytest.mark.asyncio
async def test_new_keys_are_found(said, remote, clock):
    """When a token names one that we do not know, but not more than once a minute."""
    await said()
    remote.key = RSAKey.generate_key(2048, {"kid": "two", "use": "sig"})
    remote.head = {"alg": "RS256", "kid": "two"}
    remote.published = [remote.key.as_dict(private=False)]
    assert await fails(said())
    clock.advance(60)
    assert "s-1" == (await said()).subject
    assert 2 == sum(r.url.path == "/jwks" for r in remote.asked)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("verified", "is_verified"), [(True, True), (False, False), ("true", False), (None, False)]
)
async def test_only_a_plain_true_is_verified(said, remote, verified, is_verified):
    """Texts come from providers that do not follow the standard."""
    remote.claims["email_verified"] = verified
    assert is_verified is (await said()).email_verified


@pytest.mark.asyncio
async def test_what_the_token_lacks_is_asked_for(said, remote):
    """And only of the same person."""
    remote.claims = {"sub": "s-1"}
    remote.userinfo = {
        "sub": "s-1",
        "email": "ada@example.com",
        "email_verified": True,
        "name": "A",
    }
    found = await said()
    assert ("ada@example.com", True, "A") == (found.email, found.email_verified, found.name)
    remote.userinfo["sub"] = "s-2"
    assert await fails(said())
    remote.metadata["userinfo_endpoint"] = None


@pytest.mark.asyncio
async def test_the_issuer_in_the_answer(said, provider, remote, clock):
    """RFC 9207: where it is announced it must be there; where it is there it must be right."""
    assert "s-1" == (await said(iss=ISSUER)).subject
    assert await fails(said(iss="https://evil.example"))
    clock.advance(3600)
    remote.metadata["authorization_response_iss_parameter_supported"] = True
    assert await fails(said())
    assert "s-1" == (await said(iss=ISSUER)).subject


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://login.example/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"userinfo_endpoint": "http://login.example/userinfo"},
        {"token_endpoint": None},
        {"id_token_signing_alg_values_supported": ["HS256", "none"]},
    ],
    ids=str,
)
async def test_a_description_that_does_not_hold(said, remote, metadata):
    """Another issuer, ways without TLS, nothing that may sign."""
    remote.metadata = metadata
    assert await fails(said())


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [301, 404, 500])
async def test_a_provider_that_is_broken(provider, remote, status):
    """Or has moved: nobody is sent after it."""
    remote.status = status
    way = {"callback": CALLBACK, "state": "st", "nonce": "no", "verifier": "v" * 43}
    assert await fails(provider.address(**way))


@pytest.mark.asyncio
async def test_description_and_keys_are_remembered_for_an_hour(said, remote, clock):
    """Not asked for with every login."""
    await said()
    await said()
    paths = [request.url.path for request in remote.asked]
    assert (1, 1) == (paths.count("/jwks"), sum("well-known" in path for path in paths))
    clock.advance(3600)
    await said()
    assert 2 == sum("well-known" in request.url.path for request in remote.asked)


def test_providers_go_by_their_names(clock):
    """Nothing is asked of them before somebody logs in."""
    assert ["company"] == list(by_name((ENTRY,), clock))
    assert "s3cret" not in repr(by_name((ENTRY,), clock)["company"].__dict__)
