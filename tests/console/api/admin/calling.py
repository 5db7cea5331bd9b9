"""A script of an administrator's, as it calls the admin API."""

import contextlib

import msgspec

from console.api.calling import Caller
from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.identity.model import UserRole
from trivium.identity.revocation import ActLog
from trivium.oauth.developer.model import ADMIN

USERS = "/api/admin/users"
KEYS = "/api/admin/keys"


class Script:
    """Calls with a token of `root`, an administrator, about `ada`, a user."""

    def __init__(self, caller):
        self.caller = caller
        self.console = caller.console
        self.ada = caller.ada

    @classmethod
    @contextlib.asynccontextmanager
    async def over(cls, database, **settings):
        """With people and a token. ``settings``: as of ``console_over``."""
        async with Caller.over(console_over(database, FixedClock(), **settings)) as caller:
            made = cls(caller)
            made.root = await made.console.identity.create_user(
                "root", "root@example.org", UserRole.ADMIN
            )
            made.token = await made.made_token(made.root.id)
            yield made

    @property
    def log(self):
        """The audit log for what root does."""
        return ActLog(self.console.audit, self.root.id)

    async def made_token(self, user_id, permission=ADMIN):
        """The secret of a new token."""
        developer = self.console.oauth.developer
        return (await developer.create(user_id, "script", permission=permission))[1]

    async def ask(self, method, path, body=None, *, token=None, **headers):
        """The answer. ``token``: instead of ours; empty for none."""
        said = {"content-type": "application/json"} if body is not None else {}
        token = self.token if token is None else token
        said |= {"authorization": f"Bearer {token}"} if token else {}
        content = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        return await self.caller.client.request(
            method, path, content=content, headers=said | headers
        )

    async def done(self, method, path, body=None):
        """The data of an answer that must be a success."""
        answer = await self.ask(method, path, body)
        found = answer.json()
        assert (200, True, "") == (answer.status_code, found["success"], found["message"]), found
        assert "no-store" == answer.headers["cache-control"]
        return found["data"]

    async def refused(self, method, path, body=None, **more):
        """Status and message of an answer that must be a failure."""
        answer = await self.ask(method, path, body, **more)
        found = answer.json()
        assert {"success": False, "message": found["message"], "data": None} == found
        assert "no-store" == answer.headers["cache-control"]
        return answer.status_code, found["message"]

    async def acts(self, since=0):
        """(act, by, on, what) of what was told about the API's doings, oldest first."""
        acts = await self.console.audit.everything()
        return [
            (act.kind, act.actor_id, act.subject_id, act.what)
            for act in reversed(acts)
            if act.id > since and act.kind.startswith(("user_", "key_"))
        ]
