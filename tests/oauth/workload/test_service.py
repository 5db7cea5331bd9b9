"""A workload is believed when everything about its token is right, and not otherwise."""

import hmac
from base64 import urlsafe_b64encode

import msgspec
import pytest
from joserfc.jwk import RSAKey

from oauth.workload.signing import EC, ENTRY, ISSUER, RSA, Issuer
from trivium.oauth.errors import OAuthError
from trivium.oauth.workload.service import Workloads
from trivium.settings.workloads import AdminScope

pytestmark = pytest.mark.asyncio
STRANGER = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})


@pytest.fixture
def issuer(clock):
    return Issuer(clock)


@pytest.fixture
def workloads(issuer, clock):
    return Workloads([ENTRY], clock, issuer.transport)


async def refused(workloads, token):
    """Status and what is said."""
    with pytest.raises(OAuthError) as caught:
        await workloads.authenticate(token)
    return caught.value.status, caught.value.description


async def test_a_workload_is_believed(workloads, issuer):
    """By either kind of key; the audit log's name has its subject."""
    for token in (issuer.signed(), issuer.signed({"alg": "ES256", "kid": "two"}, EC)):
        machine = await workloads.authenticate(token)
        assert frozenset({AdminScope.READ, AdminScope.CATALOGUE}) == machine.scopes
        assert "workload deploy (repo:acme/infra:ref:refs/heads/main)" == machine.name
        assert (None, None) == (machine.user_id, machine.token_id)
    assert 1 == issuer.asked


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"aud": "other"}, "audience"),
        ({"aud": None}, "audience of the token (`aud`) is missing"),
        ({"exp": 1}, "expired"),
        ({"exp": None}, "no `exp`"),
        ({"iat": None}, "no `iat`"),
        ({"nbf": 99_999_999_999}, "good only in"),
        ({"sub": None}, "no `sub`"),
        ({"iss": None}, "no `iss`"),
        ({"iss": "https://evil.example"}, "is that of no workload here"),
        ({"iss": ISSUER + "/"}, "is that of no workload here"),
        ({"repository": "evil/infra"}, "`repository` differs"),
        ({"repository": None}, "`repository` is missing"),
        ({"ref": "refs/pull/7/merge"}, "`ref` differs"),
    ],
)
async def test_what_is_wrong_is_said(workloads, issuer, more, said):
    """401, each with its own words."""
    status, message = await refused(workloads, issuer.signed(**more))
    assert (401, True) == (status, said in message), message


async def test_an_unknown_issuer_is_not_called(workloads, issuer):
    """Nobody makes us fetch from an address of theirs."""
    await refused(workloads, issuer.signed(iss="https://evil.example"))
    assert 0 == issuer.asked


def unsigned(claims, **head):
    parts = [urlsafe_b64encode(msgspec.json.encode(each)).decode() for each in (head, claims)]
    return ".".join(part.rstrip("=") for part in parts)


async def test_the_algorithm_is_not_the_tokens_choice(workloads, issuer):
    """None at all, a shared secret made of the public key, another than the key's own."""
    claims = issuer.claims()
    none = unsigned(claims, alg="none", kid="one") + ".AA"
    assert "signed with `none`" in (await refused(workloads, none))[1]
    text = unsigned(claims, alg="HS256", kid="one")
    mark = hmac.digest(RSA.as_pem(private=False), text.encode(), "sha256")
    shared = f"{text}.{urlsafe_b64encode(mark).decode().rstrip('=')}"
    assert "signed with `HS256`" in (await refused(workloads, shared))[1]
    # the key says ES256; a header that names another algorithm for it is not believed
    mixed = unsigned(claims, alg="RS256", kid="two") + ".AAAA"
    assert "another algorithm than its key" in (await refused(workloads, mixed))[1]
    other = unsigned(claims, alg="ES256", kid="one") + ".AAAA"
    assert (401, "the signature of the token is not right") == await refused(workloads, other)


async def test_a_signature_is_checked(workloads, issuer):
    """By somebody else's key under the same name, cut short, or over other claims."""
    said = (401, "the signature of the token is not right")
    assert said == await refused(workloads, issuer.signed(key=STRANGER))
    head, body, mark = issuer.signed().split(".")
    assert said == await refused(workloads, f"{head}.{body}.{mark[:-4]}")
    other = issuer.signed(ref="refs/heads/other").split(".")[1]
    assert said == await refused(workloads, f"{head}.{other}.{mark}")


async def test_a_key_is_named(workloads, issuer):
    """No `kid`, an unknown one, one that is too long; and nothing critical is passed over."""
    assert "`kid`" in (await refused(workloads, issuer.signed({"alg": "RS256"})))[1]
    unknown = issuer.signed({"alg": "RS256", "kid": "x"})
    assert "is none of its issuer" in (await refused(workloads, unknown))[1]
    long = unsigned(issuer.claims(), alg="RS256", kid="k" * 257) + ".AA"
    assert "too long" in (await refused(workloads, long))[1]
    critical = unsigned(issuer.claims(), alg="RS256", kid="one", crit=["exp"], exp=1) + ".AA"
    assert "`crit`" in (await refused(workloads, critical))[1]


async def test_an_issuer_that_is_away_is_503(workloads, issuer):
    """With how long to wait."""
    issuer.status = 500
    with pytest.raises(OAuthError) as caught:
        await workloads.authenticate(issuer.signed())
    assert (503, 60) == (caught.value.status, caught.value.retry_after)


async def test_without_workloads_nobody_is_one(issuer, clock):
    """401."""
    assert "no workload here" in (await refused(Workloads((), clock), issuer.signed()))[1]
