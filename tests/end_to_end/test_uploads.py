"""Uploads in a gateway as its users run it: memory stays small, and no file is left behind."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from end_to_end.sdk.served import served
from scripted_upstream import Double, Send, Wait, sized

JSON = b"Content-Type: application/json\r\n"
SETTINGS = """upload_folder = "{folder}"

[[channels]]
name = "vendor"
provider = "openai"
api_key = "sk-vendor"
base_url = "http://127.0.0.1:{port}/v1"

[[models]]
name = "ears"
free = true
[[models.bindings]]
channel = "vendor"
model = "whisper-1"
"""
HEAD = (
    b'--xyz\r\nContent-Disposition: form-data; name="model"\r\n\r\nears\r\n'
    b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
)
TAIL = b"\r\n--xyz--\r\n"
BLOCK = os.urandom(65_536)


def resident(pid, field="VmRSS"):
    """MiB of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(field)


async def upload(origin, key, size):
    """One form of so many bytes, sent as fast as it is taken; the answer's status."""
    host, port = origin.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    length = len(HEAD) + size + len(TAIL)
    writer.write(
        b"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %b\r\n"
        b"Content-Type: multipart/form-data; boundary=xyz\r\nContent-Length: %d\r\n\r\n%b"
        % (key.encode(), length, HEAD)
    )
    for start in range(0, size, len(BLOCK)):
        writer.write(BLOCK[: min(len(BLOCK), size - start)])
        await writer.drain()
    writer.write(TAIL)
    status = int((await reader.readline()).split()[1])
    writer.close()
    return status


async def together(tmp_path, count, size):
    """So many uploads at once: statuses, MiB that memory grew, files left in the folder."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    async with Double([[Wait(0.5), Send(sized(b'{"text":"Hi"}', headers=JSON))]]) as vendor:
        told = SETTINGS.format(folder=folder, port=vendor.port)
        with served(tmp_path, told, fresh=True) as gateway:
            key = await asyncio.to_thread(gateway.key)
            assert 200 == await upload(gateway.origin, key, 100_000)  # what is imported late is
            pid = gateway._process.pid
            before = resident(pid)
            statuses = await asyncio.gather(
                *(upload(gateway.origin, key, size) for _ in range(count))
            )
            grown = resident(pid, "VmHWM") - before
            bodies = [len(seen.body) for seen in vendor.requests[1:]]
            assert all(body > size for body in bodies)
            return statuses, grown, list(folder.iterdir())


linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@linux
@pytest.mark.asyncio
async def test_a_few_uploads_take_little_memory(tmp_path):
    """What waits for the disk and the vendor is limited, whatever the size."""
    statuses, grown, left = await together(tmp_path, 4, 25_000_000)
    assert [200] * 4 == statuses
    assert grown < 40
    assert [] == left


@linux
@pytest.mark.slow
@pytest.mark.asyncio
async def test_forty_large_uploads_take_little_memory(tmp_path):
    """Forty of 25 MB at once: a gigabyte passes, and memory grows by less than 200 MiB."""
    statuses, grown, left = await together(tmp_path, 40, 25_000_000)
    sys.stdout.write(f"40 uploads of 25 MB: memory grew by {grown:.0f} MiB at most\n")
    assert [200] * 40 == statuses
    assert grown < 200
    assert [] == left
