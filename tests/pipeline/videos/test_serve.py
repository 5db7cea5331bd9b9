"""Every request about videos is answered, whatever happens on the way."""

import pytest

from gateway import MemoryRecorder
from trivium.admission.service import Admission
from trivium.clock import SystemClock
from trivium.settings.limits import RateLimits

PATHS = [
    ("POST", "/v1/videos"), ("GET", "/v1/videos"), ("GET", "/v1/videos/video_1"),
    ("DELETE", "/v1/videos/video_1"), ("GET", "/v1/videos/video_1/content"),
    ("POST", "/v1/videos/video_1/remix"),
]  # fmt: skip
BODY = b'{"prompt": "x"}'


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_every_path_needs_a_key(house, vendor, method, path):
    """One that is known, in OpenAI's words."""
    house.people["eve"] = "sk-gateway-wrong", None
    status, _, body = await house.ask(method, path, BODY, who="eve")
    assert (401, "invalid_api_key") == (status, body["error"]["code"])
    assert [] == vendor.seen


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_every_path_counts_against_the_limits(house, method, path):
    """Of the key, as all requests do."""
    house.services.admission = Admission(SystemClock())
    house.change("ada", limits=RateLimits(requests=1, tokens=None, concurrency=None))
    assert 429 != (await house.ask(method, path, BODY))[0]
    assert 429 == (await house.ask(method, path, BODY))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_an_applications_key_sees_no_videos_of_its_user(house, vendor, method, path):
    """They are listed by account, and consent to spend is not consent to look."""
    house.change("ada", grant_id=7)
    status, _, body = await house.ask(method, path, BODY)
    assert (403, "permission_denied") == (status, body["error"]["code"])
    assert [] == vendor.seen


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_a_crash_is_told_without_its_words(house, method, path, monkeypatch):
    """A 500 with the request's id."""

    def crash(*args, **more):
        raise RuntimeError("secret")

    for name in ("find", "page", "begin"):
        monkeypatch.setattr(house.video_services.jobs, name, crash)
    status, _, body = await house.ask(method, path, BODY)
    assert (500, "internal_error") == (status, body["error"]["code"])
    assert "secret" not in str(body)


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_a_gateway_without_a_studio_has_no_videos(house, method, path):
    """A 404 in JSON."""
    video_services, house.services.video_services = house.services.video_services, None
    assert 404 == (await house.ask(method, path, BODY))[0]
    house.services.video_services = video_services


@pytest.mark.asyncio
async def test_only_what_makes_a_video_is_recorded(house):
    """Looking is not."""
    house.services.recorder = MemoryRecorder()
    await house.made()
    await house.ask("GET", "/v1/videos")
    assert ["videos"] == [record.operation for record in house.records]
