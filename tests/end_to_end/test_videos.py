"""Videos through a gateway in a process of its own: the official SDKs, and money under kill -9."""

import asyncio
import contextlib
import random
import warnings
from pathlib import Path

import msgspec
import openai
import pytest

import warm
from edge.wires import Wire
from end_to_end.running import TRIVIUM, database, listening, prepare, start
from end_to_end.sdk.node import run
from video_vendor import Films, film

KEYS = ["sk-vendor-one-0123456789ab", "sk-vendor-two-0123456789ab"]
PRICE = 4 * 100_000_000
TEXT = """
[server]
listen = "127.0.0.1:0"
[records]
flush_s = 0.1
[jobs]
look_s = 1.0
look_max_s = 1.0
[ledger]
interrupted = "free"
"""
CHANNEL = """
[[channels]]
name = "{name}"
provider = "openai"
api_key = "{key}"
base_url = "http://127.0.0.1:{port}/v1"
"""
MODEL = """
[[models]]
name = "{name}"
price = {{ per_second = "0.1" }}
"""
BINDING = '[[models.bindings]]\nchannel = "{channel}"\n'


def settings(vendor, *models):
    """Two accounts of one vendor; each model at those it names."""
    parts = [TEXT]
    parts += [
        CHANNEL.format(name=name, key=key, port=vendor.port)
        for name, key in zip("ab", KEYS, strict=True)
    ]
    for name, channels in models:
        parts.append(MODEL.format(name=name))
        parts += [BINDING.format(channel=channel) for channel in channels]
    return "".join(parts)


async def funded(folder, text, dollars=100):
    """Prepared, with money on the account."""
    key = await prepare(folder, text)
    await asyncio.to_thread(
        warm.run, [TRIVIUM, "credit", "ada", str(dollars)], cwd=folder, check=True,
        capture_output=True,
    )  # fmt: skip
    return key


async def verified(folder):
    """What ``trivium ledger verify`` says of a gateway that is not running."""
    done = await asyncio.to_thread(
        warm.run, [TRIVIUM, "ledger", "verify"], cwd=folder, capture_output=True, text=True
    )
    assert 0 == done.returncode, done.stdout + done.stderr


async def usage(folder):
    """Amounts and requests of the entries for use."""
    from trivium.ledger import verify
    from trivium.ledger.model import EntryKind

    async with database(folder) as db:
        return [
            (-entry.amount_nanos, entry.note)
            async for _, entry in verify.entries(db)
            if entry.kind is EntryKind.USAGE
        ]


async def ask(gateway, method, path, body=b""):
    line = await Wire.to(gateway.port)
    try:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {gateway.key}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        await line.send(head.encode() + body)
        status, _, answer = await line.answer()
        return status, answer
    finally:
        await line.close()


async def create(gateway, model="one"):
    body = msgspec.json.encode({"prompt": "a cat", "model": model})
    status, answer = await ask(gateway, "POST", "/v1/videos", body)
    assert 200 == status, answer
    return msgspec.json.decode(answer)["id"]


@contextlib.asynccontextmanager
async def serving(folder, key):
    gateway = start(folder, key)
    try:
        await listening(gateway)
        yield gateway
    finally:
        gateway.process.terminate()
        with contextlib.suppress(AssertionError):
            await gateway.ended()
        gateway.process.kill()
        gateway.process.wait()


def kill(gateway):
    gateway.process.kill()
    gateway.process.wait()


@pytest.mark.asyncio
async def test_a_video_survives_kills_and_costs_once(tmp_path):
    """Asked for, killed, started again, made, killed at once, started again: one entry each.

    Of two accounts, each video's own is asked throughout, and is deleted there.
    """
    moments = random.Random(20261121)
    async with Films(KEYS) as vendor:
        key = await funded(tmp_path, settings(vendor, ("one", "a"), ("two", "b")))
        made = {}
        for model in ("one", "two", "one"):
            async with serving(tmp_path, key) as gateway:
                made[await create(gateway, model)] = model
                kill(gateway)
        await verified(tmp_path)
        assert [] == await usage(tmp_path)
        vendor.finish()
        for _ in range(3):
            async with serving(tmp_path, key) as gateway:
                await asyncio.sleep(moments.uniform(0.3, 1.6))
                kill(gateway)
        async with serving(tmp_path, key) as gateway:
            for id_ in made:
                answer = None
                while answer is None or answer["status"] != "completed":
                    answer = msgspec.json.decode(
                        (await ask(gateway, "GET", f"/v1/videos/{id_}"))[1]
                    )
                    await asyncio.sleep(0.1)
                status, content = await ask(gateway, "GET", f"/v1/videos/{id_}/content")
                assert (200, vendor.content) == (status, content)
                asked = KEYS["ab".index({"one": "a", "two": "b"}[made[id_]])]
                assert asked == vendor.seen[-1][2]
                assert 200 == (await ask(gateway, "DELETE", f"/v1/videos/{id_}"))[0]
                assert asked == vendor.seen[-1][2]
        assert {} == vendor.jobs
        assert sorted((PRICE, id_) for id_ in made) == sorted(await usage(tmp_path))
        await verified(tmp_path)


@pytest.mark.asyncio
async def test_a_kill_while_the_vendor_is_asked_leaves_a_hold_that_ends(tmp_path):
    """What nobody knows of is in the list, and its money comes back by the written policy."""
    from sqlalchemy import update

    from trivium.storage.schema.requests import jobs

    async with Films(KEYS) as vendor:
        key = await funded(tmp_path, settings(vendor, ("one", "a")))
        vendor.hang.add("POST")
        async with serving(tmp_path, key) as gateway:
            task = asyncio.ensure_future(create(gateway))
            while not vendor.seen:
                await asyncio.sleep(0.02)
            kill(gateway)
            with contextlib.suppress(OSError, EOFError):
                await task
        await verified(tmp_path)
        async with database(tmp_path) as db, db.write() as conn:
            # half an hour later
            long_ago = jobs.c.created_at - 3600
            await conn.execute(update(jobs).values(look_at=0, created_at=long_ago))
        async with serving(tmp_path, key) as gateway:
            video = {"status": "queued"}
            while video["status"] == "queued":
                await asyncio.sleep(0.2)
                _, answer = await ask(gateway, "GET", "/v1/videos")
                (video,) = msgspec.json.decode(answer)["data"]
            assert ("failed", "interrupted") == (video["status"], video["error"]["code"])
        assert [] == await usage(tmp_path)
        await verified(tmp_path)


@contextlib.contextmanager
def finishing(vendor):
    """A vendor that finishes what it is asked for, a moment later."""
    loop = asyncio.get_running_loop()

    async def work():
        while True:
            await asyncio.sleep(0.3)
            vendor.finish()

    task = loop.create_task(work())
    try:
        yield
    finally:
        task.cancel()


@pytest.mark.asyncio
async def test_the_python_sdk_makes_videos(tmp_path):
    """create_and_poll, a reference, the file in pieces, remix, pages, deletion, refusals."""
    async with Films(KEYS) as vendor:
        key = await funded(tmp_path, settings(vendor, ("sora-2", "a")))
        async with serving(tmp_path, key) as gateway:
            with finishing(vendor):
                await asyncio.to_thread(_python, f"http://127.0.0.1:{gateway.port}/v1", key, vendor)
        await verified(tmp_path)


def _python(base_url, key, vendor):
    with (
        warnings.catch_warnings(),
        openai.OpenAI(base_url=base_url, api_key=key, max_retries=0) as client,
    ):
        warnings.simplefilter("ignore", DeprecationWarning)  # every method of videos
        video = client.videos.create_and_poll(prompt="a cat", seconds="8", size="1280x720")
        assert ("completed", 100, "8") == (video.status, video.progress, video.seconds)
        picture = ("cat.png", b"\x89PNG", "image/png")
        client.videos.create(prompt="a cat", input_reference=picture)
        assert picture == (
            vendor.jobs["up_2"]["fields"]["input_reference"][0],
            vendor.jobs["up_2"]["fields"]["input_reference"][2],
            vendor.jobs["up_2"]["fields"]["input_reference"][1],
        )
        content = client.videos.download_content(video.id)
        assert vendor.content == content.read()
        with client.videos.with_streaming_response.download_content(
            video.id, variant="thumbnail", extra_headers={"Range": "bytes=5-9"}
        ) as part:
            assert (206, vendor.content[5:10]) == (part.status_code, part.read())
        other = client.videos.remix(video.id, prompt="a dog")
        assert video.id == other.remixed_from_video_id
        other = client.videos.poll(other.id)
        ids = [each.id for each in client.videos.list(limit=2)]
        # those of one second are in the order of their ids
        assert (3, True, video.id) == (len(ids), other.id in ids, ids[-1])
        assert client.videos.delete(video.id).deleted
        with pytest.raises(openai.NotFoundError):
            client.videos.retrieve(video.id)
        with pytest.raises(openai.BadRequestError) as caught:
            client.videos.create(prompt="x", seconds="5")
        assert "seconds" == caught.value.param
        with pytest.raises(openai.NotFoundError):
            client.videos.create(prompt="x", model="nobody")


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_node_sdk_makes_videos(tmp_path):
    """The current and the previous major."""
    async with Films(KEYS) as vendor:
        key = await funded(tmp_path, settings(vendor, ("sora-2", "a")))
        async with serving(tmp_path, key) as gateway:
            gateway.origin = gateway.origins[0]
            with finishing(vendor):
                await asyncio.to_thread(run, "videos.test.mjs", gateway, key)
        await verified(tmp_path)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_three_hundred_megabytes_are_resumed_in_pieces(tmp_path):
    """While the gateway's memory stays where it was."""
    size = 300_000_000
    async with Films(KEYS) as vendor:
        key = await funded(tmp_path, settings(vendor, ("one", "a")))
        async with serving(tmp_path, key) as gateway:
            id_ = await create(gateway)
            vendor.finish()
            vendor.content = film(size)
            while b'"completed"' not in (await ask(gateway, "GET", f"/v1/videos/{id_}"))[1]:
                await asyncio.sleep(0.2)
            before = _rss(gateway)
            got = 0
            while got < size:
                got += await _torn(gateway, id_, got, vendor.content)
            assert size == got
            assert _rss(gateway) - before < 30_000_000


async def _torn(gateway, id_, at, whole):
    """A download from there on, that its caller drops after some 70 MB; bytes it got."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port, limit=2**20)
    writer.write(
        f"GET /v1/videos/{id_}/content HTTP/1.1\r\nHost: g\r\n"
        f"Authorization: Bearer {gateway.key}\r\nRange: bytes={at}-\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 206 " in head
    got = 0
    while got < 70_000_000 and (piece := await reader.read(2**20)):
        assert whole[at + got : at + got + len(piece)] == piece
        got += len(piece)
        if at + got == len(whole):
            break
    writer.transport.abort()
    return got


def _rss(gateway):
    status = Path(f"/proc/{gateway.process.pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return 1024 * int(line.split()[1])
