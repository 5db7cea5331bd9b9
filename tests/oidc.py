"""A provider of OpenID Connect in memory, honest or not as told: what our HTTP client talks to."""

import time
from urllib.parse import parse_qs, urlsplit

import httpx2
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

ISSUER = "https://login.example"


class Scripted:
    """Answers as a provider would; ``claims``, ``head`` and ``signer`` change its ID tokens."""

    def __init__(self, now):
        self.now = now
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.published = [self.key.as_dict(private=False)]
        self.metadata = {}
        self.claims = {"sub": "s-1", "email": "ada@example.com", "email_verified": True}
        self.userinfo = None
        self.head = {"alg": "RS256", "kid": "one"}
        self.signer = None
        self.asked = []
        self.nonce = ""
        self.status = 200
        self.transport = httpx2.MockTransport(self.answer)

    def answer(self, request):
        """One exchange."""
        self.asked.append(request)
        if self.status != 200:
            return httpx2.Response(self.status, text="<html>")
        found = {
            "/.well-known/openid-configuration": self.description,
            "/jwks": lambda _: httpx2.Response(200, json={"keys": self.published}),
            "/token": self.token,
            "/userinfo": lambda _: httpx2.Response(200, json=self.userinfo),
        }[request.url.path]
        return found(request)

    def description(self, _):
        plain = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize?tenant=1",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/jwks",
            "userinfo_endpoint": f"{ISSUER}/userinfo",
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
            **self.metadata,
        }
        return httpx2.Response(200, json={k: v for k, v in plain.items() if v is not None})

    def token(self, request):
        self.form = {k: v[0] for k, v in parse_qs(request.content.decode()).items()}
        body = {"access_token": "at", "token_type": "Bearer", "id_token": self.signed()}
        return httpx2.Response(200, json=body)

    def signed(self):
        """An ID token with the claims as they stand."""
        plain = {
            "iss": ISSUER,
            "aud": "trivium",
            "iat": int(self.now()),
            "exp": int(self.now()) + 300,
            "nonce": self.nonce,
        }
        claims = {k: v for k, v in {**plain, **self.claims}.items() if v is not None}
        if self.head["alg"] == "none":
            part = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key("x" * 32)).split(".")[1]
            return f"eyJhbGciOiJub25lIn0.{part}."
        return jwt.encode(self.head, claims, self.signer or self.key, [self.head["alg"]])


def query(url):
    """The parameters of an address, each one once."""
    found = parse_qs(urlsplit(url).query)
    assert all(len(values) == 1 for values in found.values())
    return {name: values[0] for name, values in found.items()}


def now():
    """The machine's clock."""
    return time.time()
