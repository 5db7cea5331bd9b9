"""An issuer of workload tokens in memory, as GitHub's and GitLab's are shaped."""

import httpx2
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from trivium.settings.workloads import WorkloadEntry

ISSUER = "https://ci.example"
RSA = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
EC = ECKey.generate_key("P-256", {"kid": "two", "use": "sig", "alg": "ES256"})
ENTRY = WorkloadEntry(
    name="deploy",
    issuer=ISSUER,
    audience="trivium-admin",
    scopes=("read", "catalogue"),
    claims={"repository": "acme/infra", "ref": "refs/heads/*"},
)


class Issuer:
    """Publishes keys, counts how often it is asked, and signs."""

    def __init__(self, clock):
        self.clock = clock
        self.published = [RSA.as_dict(private=False), EC.as_dict(private=False)]
        self.described = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks"}
        self.status = 200
        self.body = None
        self.asked = 0
        self.wait = None
        self.transport = httpx2.MockTransport(self.answer)

    async def answer(self, request):
        """One exchange."""
        if self.wait is not None:
            await self.wait.wait()
        if request.url.path == "/jwks":
            self.asked += 1
            if self.body is not None:
                return httpx2.Response(200, content=self.body)
            return httpx2.Response(self.status, json={"keys": self.published})
        return httpx2.Response(200, json=self.described)

    def claims(self, **more):
        """What GitHub says of a job; ``None`` leaves a claim out."""
        now = int(self.clock.now())
        plain = {
            "iss": ISSUER,
            "aud": "trivium-admin",
            "sub": "repo:acme/infra:ref:refs/heads/main",
            "repository": "acme/infra",
            "ref": "refs/heads/main",
            "iat": now,
            "nbf": now - 10,
            "exp": now + 300,
        }
        return {name: value for name, value in (plain | more).items() if value is not None}

    def signed(self, head=None, key=RSA, **more):
        """A token."""
        head = head or {"alg": "RS256", "kid": "one"}
        return jwt.encode(head, self.claims(**more), key, [head["alg"]])
