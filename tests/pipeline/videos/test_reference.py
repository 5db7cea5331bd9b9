"""A reference picture is brought as bytes where the upstream takes nothing else."""

import base64

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.pipeline.videos import reference
from trivium.upstream.url_fetch import FetchedFile
from video_gateway import House, form
from video_vendor import Films

KEY = "sk-vendor-0123456789abcdef"


class Foreign:
    """Fetches one file."""

    files_max = 1

    async def fetch(self, user_id, url):
        if "missing" in url:
            raise Fault(Kind.INVALID_VALUE, "The file at this URL cannot be had.")
        return FetchedFile("image/webp", f"{user_id} {url}".encode())


def sent(vendor):
    """The picture that arrived."""
    image = vendor.jobs["up_1"]["asked"]["instances"][0]["image"]
    return image["mimeType"], base64.b64decode(image["bytesBase64Encoded"])


@pytest.mark.asyncio
async def test_a_file_is_read_from_the_upload(sqlite_database):
    """Its type without parameters."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("g", "gemini", vendor, [KEY])) as house,
    ):
        body, kind = form(("prompt", "x"), file=("a.png", "image/PNG; q=1", b"\x89\x00"))
        status, _, _ = await house.ask("POST", "/v1/videos", body, kind)
        assert (200, ("image/png", b"\x89\x00")) == (status, sent(vendor))


@pytest.mark.asyncio
async def test_a_file_that_is_too_large_for_it_is_refused(sqlite_database, monkeypatch):
    """Before it is read."""
    monkeypatch.setattr(reference, "BYTES_MAX", 3)
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("g", "gemini", vendor, [KEY])) as house,
    ):
        body, kind = form(("prompt", "x"), file=("a.png", "image/png", b"1234"))
        status, _, told = await house.ask("POST", "/v1/videos", body, kind)
        assert (400, "input_reference") == (status, told["error"]["param"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("url", "has_door", "status", "expected"),
    [
        ("data:image/jpeg;base64,YWJj", False, 200, ("image/jpeg", b"abc")),
        ("data:image/jpeg;base64,%%%", False, 400, "invalid_value"),
        ("https://example.com/a", False, 400, "unsupported_parameter"),
        ("https://example.com/a", True, 200, "image/webp"),
        ("https://example.com/missing", True, 400, "invalid_value"),
    ],
)
async def test_an_address_is_decoded_or_fetched(sqlite_database, url, has_door, status, expected):
    """Fetched only where the operator allows it; else refused by name."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("g", "gemini", vendor, [KEY])) as house,
    ):
        if has_door:
            house.services.url_fetcher = Foreign()
        found, _, told = await house.create(input_reference={"image_url": url})
        assert status == found
        if status == 400:
            assert (expected, "input_reference.image_url") == (
                told["error"]["code"],
                told["error"]["param"],
            )
        elif isinstance(expected, tuple):
            assert expected == sent(vendor)
        else:
            user_id = house.people["ada"][1].user_id
            assert (expected, f"{user_id} {url}".encode()) == sent(vendor)


@pytest.mark.asyncio
async def test_no_reference_is_none(sqlite_database):
    """Nothing is sent for it."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("g", "gemini", vendor, [KEY])) as house,
    ):
        await house.made()
        assert b"image" not in msgspec.json.encode(vendor.jobs["up_1"]["asked"]["instances"])
