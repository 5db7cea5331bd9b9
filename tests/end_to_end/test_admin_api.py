"""A script administers a running gateway: a user, a key, credit, a request, a pause, the log."""

from functools import partial

import httpx
import pytest

from end_to_end.running import ANSWER, database, identity, running
from ports import free_port
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.model import UserRole
from trivium.oauth.developer.model import ADMIN
from trivium.oauth.developer.service import DeveloperTokens
from trivium.observe.audit.service import Audit
from waiting import within

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
WITHIN_S = 2.0


async def administrator(folder):
    """An administrator's id, and a token of theirs."""
    async with identity(folder) as people, database(folder) as db:
        root = await people.create_user("root", "root@example.org", UserRole.ADMIN)
        clock = SystemClock()
        tokens = DeveloperTokens(db, clock, Audit(db, clock))
        _, token = await tokens.create(root.id, "script", permission=ADMIN)
    return root.id, token


@pytest.mark.asyncio
async def test_a_script_administers_a_running_gateway(tmp_path):
    """On the pages' own port alone; what it does holds at the relay, and is told as its owner's."""
    port = free_port()
    server = f'admin_listen = "127.0.0.1:{port}"'
    async with Double([OK] * 2) as vendor, running(tmp_path, vendor, server=server) as gateway:
        root_id, token = await administrator(tmp_path)
        bearer = {"authorization": f"Bearer {token}"}
        relay = f"http://127.0.0.1:{gateway.port}/api/admin/users"
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}/api/admin", headers=bearer
        ) as client:

            async def done(method, path, body=None):
                answer = await client.request(method, path, json=body)
                assert 200 == answer.status_code, answer.text
                return answer.json()["data"]

            assert 404 == (await client.get(relay)).status_code
            user = await done("POST", "/users", {"name": "eve", "email": "eve@example.org"})
            key = await done("POST", f"/users/{user['id']}/keys", {"name": "ci"})
            assert 200 == (await gateway.send(gateway.chat(key=key["key"])))[0]
            credit = {"amount": "5", "reason": "welcome", "idempotency_id": "welcome-eve"}
            for _ in range(2):
                data = await done("POST", f"/users/{user['id']}/credit", credit)
                assert "5.00" == data["balance"]
            await done("PATCH", f"/keys/{key['id']}", {"paused": True})
            refused = partial(gateway.answers, 401, gateway.chat(key=key["key"]))
            await within(WITHIN_S, refused)
            async with database(tmp_path) as db:
                acts = await Audit(db, SystemClock()).everything(user_id=user["id"])
    assert ["user_created", "key_created", "user_credit", "key_paused"] == [
        act.kind for act in reversed(acts)
    ]
    assert {(root_id, user["id"], "127.0.0.1")} == {
        (act.actor_id, act.subject_id, act.address) for act in acts
    }
