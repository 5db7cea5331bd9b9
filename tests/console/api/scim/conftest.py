"""A directory that provisions an organisation, in this process."""

import contextlib

import msgspec
import pytest_asyncio

from console.api.calling import Caller
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.identity.model import UserRole

PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class DirectoryClient:
    """Calls with a token of `acme`, an organisation whose domain is example.com."""

    def __init__(self, caller):
        self.caller = caller
        self.console = caller.console

    @classmethod
    @contextlib.asynccontextmanager
    async def over(cls, database):
        async with Caller.over(console_over(database, FixedClock())) as caller:
            made = cls(caller)
            made.root = await made.console.identity.create_user(
                "root", "root@example.com", UserRole.ADMIN
            )
            made.acme = await made.console.teams.create("acme")
            made.token = (
                await made.console.scim.tokens.create(made.acme.id, "idp", ["example.com"])
            )[1]
            yield made

    async def ask(self, method, path, body=None, *, token=None, **headers):
        """The answer. ``token``: instead of ours; empty for none."""
        said = {"content-type": "application/scim+json"} if body is not None else {}
        token = self.token if token is None else token
        said |= {"authorization": f"Bearer {token}"} if token else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        return await self.caller.client.request(
            method, f"/scim/v2{path}", content=content, headers=said | named
        )

    async def done(self, method, path, body=None, status=200, **more):
        """What is answered."""
        answer = await self.ask(method, path, body, **more)
        assert status == answer.status_code, answer.text
        return answer.json() if answer.content else None

    async def refused(self, method, path, body=None, **more):
        """Status, scimType and detail of an answer that must be SCIM's own error."""
        answer = await self.ask(method, path, body, **more)
        found = answer.json()
        assert ["urn:ietf:params:scim:api:messages:2.0:Error"] == found["schemas"]
        assert str(answer.status_code) == found["status"]
        assert answer.headers["content-type"].startswith("application/scim+json")
        return answer.status_code, found.get("scimType", ""), found["detail"]

    async def person(self, name="bjensen", /, **more):
        """A new person, as a resource."""
        body = {"userName": f"{name}@example.com", **more}
        return await self.done("POST", "/Users", body, 201)

    async def patch(self, path, *operations, status=200):
        """A PATCH of these operations."""
        body = {"schemas": [PATCH], "Operations": list(operations)}
        return await self.done("PATCH", path, body, status)

    async def user(self, resource):
        """The account of a resource."""
        return await self.console.directory.one(int(resource["id"]))


@pytest_asyncio.fixture
async def idp(database):
    async with DirectoryClient.over(database) as made:
        yield made
