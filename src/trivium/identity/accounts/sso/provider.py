"""One provider of OpenID Connect: where to send people, and what it says about them afterwards.

The exchange is `authlib`'s, signatures and claims are `joserfc`'s. What this module adds is what
they leave to their users: algorithms are a list of ours and never the token's own choice, keys come
from the provider's own address and are never symmetric, and every claim that the login hangs on is
demanded (OpenID Connect Core 1.0, section 3.1.3.7).
"""

import hmac
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import msgspec
import structlog

from trivium.clock import Clock
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.sso.claimed import read_groups
from trivium.identity.accounts.sso.model import SsoIdentity
from trivium.secret import Secret
from trivium.settings.accounts import LoginEntry

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import AsyncOAuth2Client
    from httpx2 import AsyncBaseTransport
    from joserfc.jwk import KeySet

ALGORITHMS: Final = ("RS256", "ES256", "PS256", "EdDSA", "Ed25519")
"""What may sign; never ``none``, never a shared secret."""
TIMEOUT_S: Final = 10.0
FRESH_S: Final = 3600
"""For so long the provider's description and keys are believed."""
RETRY_S: Final = 60
"""An unknown key is looked for no more often."""
LEEWAY_S: Final = 60
"""How far two clocks may be apart."""
SUBJECT_CHARS_MAX: Final = 255
"""OpenID Connect Core 1.0, section 2."""

log = structlog.get_logger()


class Description(msgspec.Struct, frozen=True):
    """The members of ``/.well-known/openid-configuration`` that we use."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)
    authorization_response_iss_parameter_supported: bool = False


class _Tokens(msgspec.Struct, frozen=True):
    id_token: str
    access_token: str = ""


class _Claims(msgspec.Struct, frozen=True):
    """Claims with the types they must have. A claim of a wrong type is refused."""

    sub: str
    nonce: str = ""
    aud: str | list[str] = ""
    azp: str | None = None
    email: str | None = None
    email_verified: bool | str | None = None
    name: str | None = None
    preferred_username: str | None = None
    auth_time: int | None = None


class SsoProvider:
    """A provider by its entry in the settings. ``transport``: of the HTTP client, for tests."""

    def __init__(
        self, entry: LoginEntry, clock: Clock, transport: "AsyncBaseTransport | None" = None
    ) -> None:
        self.entry: Final = entry
        self._clock = clock
        self._secret = Secret(entry.client_secret)
        self._transport = transport
        self._described: tuple[float, Description] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def address(
        self, *, callback: str, state: str, nonce: str, verifier: str, fresh: bool = False
    ) -> str:
        """Return where to send a browser. ``fresh``: the person must log in there again. Raises
        ``AccountError`` (OUTSIDE_FAILED).
        """
        described = await self.description()
        more: dict[str, Any] = {"prompt": "login", "max_age": 0} if fresh else {}
        async with self._client(described, callback) as client:
            url, _ = client.create_authorization_url(
                described.authorization_endpoint,
                state=state,
                nonce=nonce,
                code_verifier=verifier,
                **more,
            )
        return str(url)

    async def said(
        self, *, callback: str, code: str, nonce: str, verifier: str, iss: str | None
    ) -> SsoIdentity:
        """What the provider says about whoever came back with this code.

        ``iss``: the issuer in the answer (RFC 9207), if it was there. Raises ``AccountError``
        (OUTSIDE_FAILED); the reason is logged for the operator.
        """
        described = await self.description()
        expected = described.authorization_response_iss_parameter_supported
        if (iss is None and expected) or iss not in (None, described.issuer):
            raise self._failed("answer of another issuer")
        try:
            async with self._client(described, callback) as client:
                fetched = await client.fetch_token(
                    described.token_endpoint, code=code, code_verifier=verifier
                )
                tokens = msgspec.convert(dict(fetched), _Tokens)
                raw = await self._verified(tokens.id_token, described)
                claims = self._checked(raw, nonce)
                if claims.email is None and described.userinfo_endpoint:
                    claims = await self._asked(client, described.userinfo_endpoint, claims)
        except AccountError:
            raise
        except Exception as error:
            # the provider's own words may hold anything, the code among it: the kind must do
            raise self._failed(type(error).__name__) from error
        groups = read_groups(raw, self.entry)
        return SsoIdentity(
            issuer=described.issuer,
            subject=claims.sub,
            email=claims.email or "",
            # a text "true" comes from providers that do not follow the standard: not enough
            email_verified=claims.email_verified is True,
            name=claims.preferred_username or claims.name or "",
            auth_time=claims.auth_time,
            groups=groups.values,
            groups_trouble=groups.trouble,
        )

    async def description(self) -> Description:
        """The provider's own description. Raises ``AccountError`` (OUTSIDE_FAILED)."""
        if self._described and self._clock.monotonic() - self._described[0] < FRESH_S:
            return self._described[1]
        # as OpenID Connect Discovery 1.0, section 4, has it: an issuer may have a path
        url = self.entry.issuer.rstrip("/") + "/.well-known/openid-configuration"
        try:
            described = msgspec.json.decode(await self._get(url), type=Description)
        except AccountError:
            raise
        except Exception as error:
            raise self._failed(type(error).__name__) from error
        if described.issuer != self.entry.issuer:
            raise self._failed("description of another issuer")
        ours = urlsplit(self.entry.issuer).scheme
        found = (described.authorization_endpoint, described.token_endpoint, described.jwks_uri)
        for endpoint in (*found, described.userinfo_endpoint or self.entry.issuer):
            if urlsplit(endpoint).scheme not in ("https", ours):
                raise self._failed("endpoint without TLS")
        self._described = (self._clock.monotonic(), described)
        return described

    async def _verified(self, token: str, described: Description) -> dict[str, Any]:
        """Claims of an ID token whose signature, issuer, audience and time are right."""
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError

        offered = described.id_token_signing_alg_values_supported
        algorithms = [name for name in ALGORITHMS if name in offered]
        if not algorithms:
            raise self._failed("no algorithm in common")
        try:
            read = jwt.decode(token, await self._key_set(described), algorithms=algorithms)
        except InvalidKeyIdError:
            # the provider may have begun to sign with a key that came after our last look
            keys = await self._key_set(described, older_than_s=RETRY_S)
            read = jwt.decode(token, keys, algorithms=algorithms)
        jwt.JWTClaimsRegistry(
            now=int(self._clock.now()),
            leeway=LEEWAY_S,
            iss={"essential": True, "value": described.issuer},
            aud={"essential": True, "value": self.entry.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        ).validate(read.claims)
        return read.claims

    def _checked(self, raw: dict[str, Any], nonce: str) -> _Claims:
        """Claims of their types, of a token that was made for us and answers our question."""
        claims = msgspec.convert(raw, _Claims)
        if not hmac.compare_digest(claims.nonce.encode(), nonce.encode()):
            raise self._failed("answer to another question")
        several = isinstance(claims.aud, list) and len(claims.aud) > 1
        if claims.azp != self.entry.client_id and (several or claims.azp is not None):
            raise self._failed("token for another client")
        if not 0 < len(claims.sub) <= SUBJECT_CHARS_MAX or "\0" in claims.sub:
            raise self._failed("subject that names nobody")
        return claims

    async def _asked(self, client: "AsyncOAuth2Client", url: str, claims: _Claims) -> _Claims:
        """The claims with what the userinfo endpoint adds, if it speaks of the same person."""
        answer = await client.get(url)
        answer.raise_for_status()
        more = msgspec.json.decode(answer.content, type=_Claims)
        if more.sub != claims.sub:
            raise self._failed("userinfo of another subject")
        return msgspec.structs.replace(
            claims,
            email=more.email,
            email_verified=more.email_verified,
            name=claims.name or more.name,
            preferred_username=claims.preferred_username or more.preferred_username,
        )

    async def _key_set(self, described: Description, older_than_s: float = FRESH_S) -> "KeySet":
        from joserfc.jwk import KeySet

        now = self._clock.monotonic()
        if self._keys is None or now - self._keys[0] >= older_than_s:
            listed = msgspec.json.decode(
                await self._get(described.jwks_uri), type=dict[str, list[dict[str, Any]]]
            )
            # what a provider publishes is no secret: a symmetric key among it would sign for all
            usable: list[Any] = [key for key in listed["keys"] if key.get("kty") != "oct"]
            self._keys = (now, KeySet.import_key_set({"keys": usable}))
        return self._keys[1]

    async def _get(self, url: str) -> bytes:
        import httpx2

        async with httpx2.AsyncClient(**self._options()) as client:
            answer = await client.get(url)
            answer.raise_for_status()
            return answer.content

    def _client(self, described: Description, callback: str) -> "AsyncOAuth2Client":
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        methods = described.token_endpoint_auth_methods_supported
        is_basic = "client_secret_basic" in methods
        return AsyncOAuth2Client(
            client_id=self.entry.client_id,
            client_secret=self._secret.reveal(),
            scope=" ".join(self.entry.scopes),
            redirect_uri=callback,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if is_basic else "client_secret_post",
            **self._options(),
        )

    def _options(self) -> dict[str, Any]:
        # no redirects: an operator's address that moved is an operator's to correct
        return {"timeout": TIMEOUT_S, "follow_redirects": False, "transport": self._transport}

    def _failed(self, reason: str) -> AccountError:
        log.warning("outside_login_failed", login=self.entry.name, reason=reason)
        return AccountError(AccountRefusal.OUTSIDE_FAILED)


def by_name(
    entries: tuple[LoginEntry, ...], clock: Clock, transport: "AsyncBaseTransport | None" = None
) -> Mapping[str, SsoProvider]:
    """The providers of the settings."""
    return {entry.name: SsoProvider(entry, clock, transport) for entry in entries}
