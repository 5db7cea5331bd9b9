"""A directory over SCIM against a running gateway of two workers: whom it locks out is out."""

import msgspec
import pytest

from end_to_end.running import ANSWER, database, identity, running
from scripted_upstream import Double, Send, sized
from trivium.clock import SystemClock
from trivium.identity.scim.tokens import ScimTokens
from trivium.identity.teams.service import Teams
from waiting import within

WITHIN_S = 2.0
SHARED = '[shared]\nurl = "valkey://127.0.0.1:6379"\n'
OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]


def scim(method, path, token, body=None):
    """The bytes of a request of a directory."""
    content = b"" if body is None else msgspec.json.encode(body)
    lines = [
        f"{method} /scim/v2{path} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {token}",
        "Content-Type: application/scim+json", f"Content-Length: {len(content)}",
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


@pytest.mark.asyncio
async def test_whom_a_directory_locks_out_is_out_on_every_worker(tmp_path):
    """Within two seconds, and back within two when it says so; a group gives keys and takes them."""
    async with (
        Double([OK]) as vendor,
        running(tmp_path, vendor, server="workers = 2", rest=SHARED) as gateway,
        database(tmp_path) as db,
        identity(tmp_path) as people,
    ):
        acme = await Teams(db, SystemClock()).create("acme")
        token = (await ScimTokens(db, SystemClock()).create(acme.id, domains=["example.com"]))[1]

        async def ask(method, path, body=None):
            status, _, found = await gateway.send(scim(method, path, token, body))
            return status, msgspec.json.decode(found) if found else None

        assert 401 == (await gateway.send(scim("GET", "/Users", "gwscim_" + "x" * 43)))[0]
        status, made = await ask("POST", "/Users", {"userName": "bo@example.com"})
        assert 201 == status, made
        body = {"displayName": "lab", "members": [{"value": made["id"]}]}
        status, group = await ask("POST", "/Groups", body)
        assert 201 == status, group
        _, key = await people.create_key("bo", team="acme/lab")
        lines = [await gateway.wire() for _ in range(12)]

        async def only(expected):
            raw = gateway.get("/v1/models", f"Authorization: Bearer {key}")

            async def comes():
                for line in lines:
                    await line.send(raw)
                return {expected} == {(await line.answer())[0] for line in lines}

            await within(WITHIN_S, comes)

        async def patched(where, **operation):
            status, _ = await ask("PATCH", where, {"Operations": [operation]})
            return status

        await only(200)
        for active, expected in (("False", 401), ("True", 200)):
            assert 200 == await patched(
                f"/Users/{made['id']}", op="Replace", path="active", value=active
            )
            await only(expected)
        member = [{"value": made["id"]}]
        assert 204 == await patched(
            f"/Groups/{group['id']}", op="Remove", path="members", value=member
        )
        await only(401)
        assert 413 == (await ask("POST", "/Users", {"userName": "x" * 1_100_000}))[0]
        for line in lines:
            await line.close()
