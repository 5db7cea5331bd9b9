"""Where files lie by the settings, and that a whole gateway keeps them."""

import msgspec
import pytest

from end_to_end.running import ANSWER, settings
from scripted_upstream import Double, Send, sized
from trivium.settings.model import Settings
from trivium.wiring.assets import place
from wiring.serving import serving


def test_the_default_is_a_folder_beside_the_journal(tmp_path):
    """Whatever its name holds."""
    journal = tmp_path / "a b" / "journal"
    found = place(msgspec.convert({"storage": {"journal": str(journal)}}, Settings))
    assert (tmp_path / "a b" / "assets").as_uri() == found.url


def test_a_bucket_is_taken_as_it_is_written():
    """With its keys, which are not shown."""
    told = {"url": "s3://b/p", "endpoint": "http://h", "access_key": "a", "secret_key": "s"}
    found = place(msgspec.convert({"assets": told}, Settings))
    assert told == {name: getattr(found, name) for name in told}
    assert "us-east-1" == found.region


@pytest.mark.asyncio
@pytest.mark.parametrize("public_url", [None, "https://gateway.example"])
async def test_a_gateway_refuses_addresses_that_it_did_not_make(tmp_path, public_url):
    """The path is served from the first request on, without a key."""
    ok = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
    own = "" if public_url is None else f'public_url = "{public_url}"\n'
    async with Double([ok]) as vendor:
        text = settings(vendor, server=own)
        async with serving(tmp_path, text) as gateway:
            status, _, body = await gateway.get("/assets/" + "a" * 40 + "?exp=9&sig=x")
            assert (403, "sig") == (status, msgspec.json.decode(body)["error"]["param"])
