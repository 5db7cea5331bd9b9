"""A whole gateway makes videos, and looks after them by itself."""

import asyncio

import msgspec
import pytest

from end_to_end.running import VENDOR_KEY
from video_vendor import Films
from wiring.serving import serving

TEXT = """
[server]
listen = "127.0.0.1:0"
[fetch]
networks = ["127.0.0.0/8"]
[records]
flush_s = 0.1
[jobs]
look_s = 0.1
keep_days = 1
[[channels]]
name = "main"
provider = "openai"
api_key = "{key}"
base_url = "http://127.0.0.1:{port}/v1"
[[models]]
name = "sora-2"
free = true
[[models.bindings]]
channel = "main"
"""


@pytest.mark.asyncio
async def test_a_video_is_finished_and_kept_though_nobody_asks(tmp_path):
    """By the poller that the wiring started."""
    async with Films([VENDOR_KEY]) as vendor:
        text = TEXT.format(key=VENDOR_KEY, port=vendor.port)
        async with serving(tmp_path, text) as gateway:
            status, _, body = await gateway.send(
                "POST /v1/videos HTTP/1.1",
                b'{"prompt": "a cat"}',
                number=0,
                tls=None,
                host="127.0.0.1",
            )
            assert 200 == status
            video = msgspec.json.decode(body)
            vendor.finish()
            while not vendor.count("GET", "/content"):
                await asyncio.sleep(0.05)
            vendor.jobs.clear()
            status, content = 404, b""
            while status == 404:
                await asyncio.sleep(0.1)  # until the copy is whole
                status, _, content = await gateway.get(f"/v1/videos/{video['id']}/content")
            assert (200, vendor.content) == (status, content)
