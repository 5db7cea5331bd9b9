"""Veo on Vertex AI through /v1/videos: an operation, a film within its answer, and no key."""

import base64
import contextlib
import json

import pytest

from google_checks import refusal
from google_double import LOCATION, PROJECT, GoogleDouble
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
from video_gateway import House

FILM = bytes(range(256)) * 8_000
MODEL = "veo-3.0-generate-001"


class Veo:
    """Makes one film an operation; refuses what the reference does not have."""

    def __init__(self, cloud):
        self.asked = {}
        self.done = False
        self.response = {
            "videos": [{"bytesBase64Encoded": base64.b64encode(FILM).decode(), "mimeType": "video/mp4"}]
        }  # fmt: skip
        cloud.answers = {"predictLongRunning": self.begin, "fetchPredictOperation": self.told}

    def begin(self, found, body):
        known = {"aspectRatio", "durationSeconds", "resolution", "sampleCount"}
        wrong = set(body) - {"instances", "parameters"} or set(body["parameters"]) - known
        if wrong or len(body["instances"]) != 1 or not body["instances"][0].get("prompt"):
            return refusal(400, "INVALID_ARGUMENT", f"Invalid JSON payload received. {wrong}")
        name = (
            f"projects/{PROJECT}/locations/{LOCATION}/publishers/google/models/{found['model']}"
            f"/operations/op-{len(self.asked)}"
        )
        self.asked[name] = body
        return 200, {"name": name}

    def told(self, found, body):
        name = body.get("operationName", "")
        if set(body) != {"operationName"} or f"/models/{found['model']}/operations/" not in name:
            return refusal(400, "INVALID_ARGUMENT", "Operation name does not match the endpoint.")
        if name not in self.asked:
            return refusal(404, "NOT_FOUND", "The operation does not exist.")
        if not self.done:
            return 200, {"name": name}
        return 200, {"name": name, "done": True, "response": self.response}


@contextlib.asynccontextmanager
async def house(database, cloud):
    """Callers before that cloud."""
    async with House.on(database, ("main", "openai", cloud, ("unused",))) as found:
        found.settings(Settings(
            channels=(ChannelEntry(
                name="main", provider="vertex", base_url=cloud.base_url(),
                credential={"key": json.dumps(cloud.key_file())},
            ),),
            models=(ModelEntry(
                name="veo", price={"per_second": "0.1"},
                bindings=(BindingEntry(channel="main", model=MODEL),),
            ),),
        ))  # fmt: skip
        yield found


@pytest.mark.asyncio
async def test_a_film_is_made_and_fetched(sqlite_database):
    """Asked for once, paid for once, and byte for byte what came."""
    with GoogleDouble(life_s=600) as cloud:
        veo = Veo(cloud)
        async with house(sqlite_database, cloud) as callers:
            body = await callers.made(model="veo", seconds="8", size="1280x720")
            assert "in_progress" == (await callers.get(body["id"]))[2]["status"]
            veo.done = True
            assert "completed" == (await callers.get(body["id"]))[2]["status"]
            status, headers, film = await callers.get(body["id"], below="/content")
            assert (200, b"video/mp4", FILM) == (status, headers[b"content-type"], film)
            status, _, none = await callers.get(body["id"], below="/content?variant=thumbnail")
            assert 400 == status, none
            assert [800_000_000] == (await callers.money())[2]
            assert 200 == (await callers.ask("DELETE", f"/v1/videos/{body['id']}"))[0]
    (asked,) = veo.asked.values()
    assert {"prompt": "a cat"} == asked["instances"][0]
    assert ("16:9", 8) == (
        asked["parameters"]["aspectRatio"],
        asked["parameters"]["durationSeconds"],
    )
    assert PROJECT not in str(body)


@pytest.mark.asyncio
async def test_a_film_in_a_bucket_is_told_and_free(sqlite_database):
    """No address of the vendor's is shown."""
    with GoogleDouble(life_s=600) as cloud:
        veo = Veo(cloud)
        veo.done, veo.response = True, {"videos": [{"gcsUri": "gs://acme-bucket/a.mp4"}]}
        async with house(sqlite_database, cloud) as callers:
            body = await callers.made(model="veo", seconds="8", size="1280x720")
            seen = (await callers.get(body["id"]))[2]
            assert ("failed", "stored_elsewhere") == (seen["status"], seen["error"]["code"])
            assert "acme" not in str(seen)
            assert [] == (await callers.money())[2]
