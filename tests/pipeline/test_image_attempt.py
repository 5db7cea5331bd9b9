"""Addresses in place of bytes: ours where only bytes come, the vendor's where it gives one."""

import asyncio
from urllib.parse import urlsplit

import msgspec
import pytest
from structlog.testing import capture_logs

from assets.stores import folder_objects
from assets.test_service import made
from gateway import Gateway
from pictures import BASE64, PICTURE, answer, drawn
from scripted_upstream import Close, Double
from trivium.assets.model import AssetError
from trivium.pipeline.image_attempt import kind_of

PATH = "/v1/images/generations"


@pytest.fixture
def assets(database, tmp_path, clock):
    """Files in a folder of this test's own."""
    return made(database, folder_objects(tmp_path), clock)


async def ask(gateway, assets, **body):
    """The rows of an answer, and its headers."""
    gateway.services.assets = assets
    model = next(iter(gateway.services.router.models())).name
    status, headers, got = await gateway.post(PATH, {"model": model, "prompt": "x"} | body)
    assert 200 == status
    return msgspec.json.decode(got)["data"], headers


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "name", "script", "body"),
    [
        ("openai", "dall-e-3", answer(), {}),
        ("openai", "dall-e-2", answer(), {"response_format": "url"}),
        ("openai", "flux", answer(), {"response_format": "url"}),
        ("gemini", "gemini-2.5-flash-image", drawn(), {"response_format": "url"}),
    ],
)
async def test_bytes_are_kept_for_sixty_minutes(assets, clock, provider, name, script, body):
    """And read by an address that needs no key."""
    async with Double([script]) as vendor, Gateway.to((provider, vendor), name=name) as gateway:
        (row,), _ = await ask(gateway, assets, **body)
        assert {"url"} == set(row)
        parts = urlsplit(row["url"])
        address = f"{parts.path}?{parts.query}"
        status, headers, got = await gateway.get(address, key=False)
        assert (200, b"image/png", PICTURE) == (status, headers[b"content-type"], got)
        clock.advance(3599)
        assert 200 == (await gateway.get(address, key=False))[0]
        clock.advance(1)
        assert 403 == (await gateway.get(address, key=False))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "body"),
    [("dall-e-2", {"response_format": "b64_json"}), ("gpt-image-1", {}), ("flux", {})],
)
async def test_bytes_stay_bytes_where_they_are_wanted(assets, name, body):
    """Nothing is kept."""
    async with Double([answer()]) as vendor, Gateway.to(("openai", vendor), name=name) as gateway:
        rows, _ = await ask(gateway, assets, **body)
        assert [{"b64_json": BASE64}] == rows


@pytest.mark.asyncio
async def test_a_vendors_own_address_passes(assets):
    """It is public and valid as long; the rows keep their order."""
    script = answer({"url": "https://v/1"}, {"b64_json": BASE64})
    async with (
        Double([script]) as vendor,
        Gateway.to(("openai", vendor), name="dall-e-2") as gateway,
    ):
        (first, second), _ = await ask(gateway, assets, n=2)
        assert "https://v/1" == first["url"]
        assert second["url"].startswith("https://x.example/assets/")


@pytest.mark.asyncio
async def test_a_picture_that_cannot_be_kept_goes_out_as_bytes():
    """It is paid for, and that is told."""

    class Full:
        async def put(self, *_, **__):
            raise AssetError("no space left")

    async with (
        Double([answer()]) as vendor,
        Gateway.to(("openai", vendor), name="dall-e-2") as gateway,
    ):
        with capture_logs() as logs:
            rows, headers = await ask(gateway, Full())
        assert [{"b64_json": BASE64}] == rows
        assert b"response_format;act=changed" in headers[b"trivium-dropped"]
        assert ["picture_not_kept"] == [line["event"] for line in logs]


@pytest.mark.asyncio
async def test_who_leaves_while_a_picture_is_kept_leaves_nothing(assets):
    """The keeping ends with the request."""
    reached, ended = asyncio.Event(), asyncio.Event()

    class Slow:
        async def put(self, *_, **__):
            reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    async with (
        Double([answer()]) as vendor,
        Gateway.to(("openai", vendor), name="dall-e-2") as gateway,
    ):
        gateway.services.assets = Slow()
        line = await gateway.wire()
        body = b'{"model":"dall-e-2","prompt":"x"}'
        await line.send(gateway.head(PATH, body))
        await asyncio.wait_for(reached.wait(), 5)
        await line.close()
        await asyncio.wait_for(ended.wait(), 5)
        while not gateway.records:
            await asyncio.sleep(0.01)
        assert "caller_left" == gateway.records[0].fault


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PICTURE, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"GIF89a", "image/gif"),
        (b"<svg onload=", "application/octet-stream"),
        (b"<html>", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_a_picture_is_what_its_bytes_are(data, kind):
    """Whatever a vendor calls it."""
    assert kind == kind_of(data)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "spare", "body", "expected", "sent"),
    [
        # what a caller of the model that was asked for reads, whoever draws
        ("dall-e-3", "gpt", {}, "url", None),
        ("dall-e-3", "gpt", {"response_format": "url"}, "url", None),
        ("dall-e-3", "gpt", {"response_format": "b64_json"}, "b64_json", None),
        ("gpt-image-1", "legacy_b", {}, "b64_json", "b64_json"),
        ("dall-e-2", "legacy_b", {}, "url", None),
    ],
)
async def test_a_model_that_stands_in_answers_in_the_form_that_was_asked_for(
    assets, name, spare, body, expected, sent
):
    """Bytes or addresses, by the class of the model that was asked for."""
    async with (
        Double([[Close()]]) as first,
        Double([answer()]) as second,
        Gateway.to(
            ("openai", first), ("openai", second), name=name, fallback="spare",
            stand_in={"image_class": spare},
        ) as gateway,
    ):  # fmt: skip
        (row,), headers = await ask(gateway, assets, **body)
        assert ({expected}, b"spare") == (set(row), headers[b"trivium-model"])
        (asked,) = second.requests
        assert sent == msgspec.json.decode(asked.body).get("response_format")
