"""A gateway that is killed has kept an answer whole, or not at all."""

import asyncio
import random

import msgspec
import pytest

import warm
from end_to_end.running import ANSWER, TRIVIUM, listening, prepare, settings, start
from scripted_upstream import Double, Send, sized

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
KILLS = 2
SETTLED_S = 1.0
"""An answer is written some 50 ms after it was given; a busy machine may need more."""


def asked(gateway, method, path, body=b""):
    """The bytes of a request."""
    lines = [
        f"{method} {path} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {gateway.key}",
        f"Content-Length: {len(body)}",
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def created(gateway, **members):
    """A response object."""
    body = msgspec.json.encode({"model": "m", "input": "Hi"} | members)
    status, _, answer = await gateway.send(asked(gateway, "POST", "/v1/responses", body))
    assert 200 == status, answer
    return msgspec.json.decode(answer)


@pytest.mark.asyncio
async def test_a_killed_gateway_has_kept_its_answers_whole_or_not_at_all(tmp_path):
    """What was written is the answer as it was given, and the database passes its checks."""
    moments = random.Random(20261121)
    known = {}
    async with Double([OK]) as vendor:
        text = settings(vendor).replace('provider = "openai"', 'provider = "deepseek"')
        key = await prepare(tmp_path, text)
        for _ in range(KILLS):
            gateway = start(tmp_path, key)
            try:
                await listening(gateway)
                settled = [await created(gateway) for _ in range(5)]
                await asyncio.sleep(SETTLED_S)
                fresh = [await created(gateway, input="x" * 10_000) for _ in range(10)]
                await asyncio.sleep(moments.uniform(0, 0.1))
            finally:
                gateway.process.kill()
                gateway.process.wait()
            known |= {one["id"]: (one, one in settled) for one in settled + fresh}
            done = await asyncio.to_thread(
                warm.run, [TRIVIUM, "check"], cwd=tmp_path, capture_output=True, text=True
            )
            assert 0 == done.returncode, done.stdout + done.stderr
        gateway = start(tmp_path, key)
        try:
            await listening(gateway)
            for name, (given, must_be_there) in known.items():
                status, _, body = await gateway.send(asked(gateway, "GET", f"/v1/responses/{name}"))
                assert status == 200 or (status == 404 and not must_be_there)
                if status == 200:
                    assert given == msgspec.json.decode(body)
                    follow_up = await created(gateway, previous_response_id=name)
                    assert name == follow_up["previous_response_id"]
        finally:
            gateway.process.kill()
            gateway.process.wait()
