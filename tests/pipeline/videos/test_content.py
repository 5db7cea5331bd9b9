"""Files come as they are, in pieces if asked, from wherever they are kept, and from nowhere else."""

import asyncio
import tracemalloc

import pytest

from edge.wires import Wire
from trivium.settings.section import JobsSettings as Limits
from video_gateway import House
from video_vendor import Films, film

KEY = "sk-vendor-0123456789abcdef"


async def content(house, video, *headers, method="GET", query=""):
    path = f"/v1/videos/{video['id']}/content{query}"
    return await house.ask(method, path, b"", *headers)


@pytest.mark.asyncio
async def test_a_file_comes_whole(house, vendor):
    """With its type and length; what the vendor says of the account stays behind."""
    video = await house.done(vendor)
    status, headers, body = await content(house, video, "Accept: application/binary")
    assert (200, vendor.content) == (status, body)
    assert b"video/mp4" == headers[b"content-type"]
    assert b"%d" % len(vendor.content) == headers[b"content-length"]
    assert (b"bytes", b'"e1"') == (headers[b"accept-ranges"], headers[b"etag"])
    assert b"nosniff" == headers[b"x-content-type-options"]
    assert b"x-secret" not in headers
    assert f"Bearer {KEY}" == vendor.seen[-1][3]["authorization"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "asked", "said", "expected"),
    [
        ("?variant=video", "", b"video/mp4", b"video/mp4"),
        ("?variant=thumbnail", "?variant=thumbnail", b"image/webp", b"image/webp"),
        ("?variant=spritesheet", "?variant=spritesheet", b"image/jpeg", b"image/jpeg"),
        ("?variant=thumbnail", "?variant=thumbnail", b"application/octet-stream", b"image/webp"),
        ("", "", b"image/svg+xml", b"video/mp4"),
    ],
)
async def test_a_variant_has_its_type(house, vendor, query, asked, said, expected):
    """The vendor's, where it is one of a film or a picture."""
    vendor.content_type = said
    video = await house.done(vendor)
    _, headers, _ = await content(house, video, query=query)
    assert expected == headers[b"content-type"]
    assert f"/v1/videos/up_1/content{asked}" == vendor.seen[-1][1]


@pytest.mark.asyncio
async def test_a_wrong_variant_is_named(house, vendor):
    """With what would be right."""
    status, _, body = await content(house, await house.done(vendor), query="?variant=gif")
    assert (400, "variant") == (status, body["error"]["param"])


@pytest.mark.asyncio
async def test_a_download_is_resumed_in_pieces(house, vendor):
    """Each with its place; together they are the file."""
    video = await house.done(vendor)
    found = b""
    size = len(vendor.content)
    while len(found) < size:
        last = min(size, len(found) + 30_000) - 1
        status, headers, body = await content(house, video, f"Range: bytes={len(found)}-{last}")
        assert 206 == status
        assert f"bytes {len(found)}-{last}/{size}".encode() == headers[b"content-range"]
        found += body
    assert vendor.content == found


@pytest.mark.asyncio
async def test_a_range_beyond_the_end_is_a_416(house, vendor):
    """With the length, and none of the vendor's words."""
    video = await house.done(vendor)
    status, headers, body = await content(house, video, "Range: bytes=999999-")
    assert (416, "range") == (status, body["error"]["param"])
    assert b"bytes */100000" == headers[b"content-range"]
    assert "secret" not in str(body)


@pytest.mark.asyncio
async def test_a_head_tells_what_a_get_would(house, vendor):
    """And leaves the file where it is; the connection goes on."""
    video = await house.done(vendor)
    line = await Wire.to(house.gateway.port)
    key, _ = house.people["ada"]
    raw = (
        f"HEAD /v1/videos/{video['id']}/content HTTP/1.1\r\nHost: g\r\n"
        f"Authorization: Bearer {key}\r\n\r\n"
    ).encode()
    for _ in range(2):
        await line.send(raw)
        status, headers, _ = await line.answer(head_only=True)
        assert (200, b"100000", b"video/mp4") == (
            status, headers[b"content-length"], headers[b"content-type"],
        )  # fmt: skip
    await line.close()
    assert house.services.abandoned == set()


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["queued", "failed"])
async def test_only_a_completed_video_has_files(house, vendor, end):
    """400, which no SDK repeats."""
    body = await house.made()
    if end == "failed":
        vendor.fail("up_1")
        await house.get(body["id"])
    status, _, told = await content(house, body)
    assert (400, "video_not_ready") == (status, told["error"]["code"])


@pytest.mark.asyncio
async def test_files_end_when_they_expire(house, vendor):
    """Told apart from a video that never was; so it is when the vendor has dropped them early."""
    body = await house.made()
    vendor.finish(expires_at=int(house.clock.now()) + 100)
    await house.get(body["id"])
    vendor.refuse["/content"] = 404
    status, _, told = await content(house, body)
    assert (404, "video_expired") == (status, told["error"]["code"])
    before = len(vendor.seen)
    house.clock.advance(200)
    status, _, told = await content(house, body)
    assert (404, "video_expired", before) == (status, told["error"]["code"], len(vendor.seen))


@pytest.mark.asyncio
@pytest.mark.parametrize("says", ["redirect", "string"])
async def test_a_file_that_is_elsewhere_is_fetched_and_its_address_not_shown(house, vendor, says):
    """With its range, and without any key."""
    async with Films(size=50_000) as store:
        address = f"http://127.0.0.1:{store.port}/stored/film.mp4?sig=secret"
        if says == "redirect":
            vendor.elsewhere = address
        else:
            vendor.says = address
        video = await house.done(vendor)
        status, headers, body = await content(house, video, "Range: bytes=10-19")
        assert (206, store.content[10:20]) == (status, body)
        assert b"secret" not in b"".join(headers.values())
        (_, path, key, told, _) = store.seen[-1]
        assert ("/stored/film.mp4?sig=secret", "") == (path, key)
        assert {"host", "user-agent", "accept", "accept-encoding", "range"} == set(told)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/stored/x", "http://localhost:{port}/stored/x",
        "http://169.254.169.254/latest/meta-data", "http://[::1]:{port}/stored/x",
        "file:///etc/passwd", "http://10.0.0.1/x", "http://2130706433:{port}/stored/x",
    ],
)  # fmt: skip
async def test_a_vendor_cannot_send_us_to_our_neighbours(sqlite_database, vendor, address):
    """Whatever it spells: only the public internet, unless the operator says otherwise."""
    async with Films() as store:
        channel = ("a", "openai", vendor, [KEY])
        async with House.on(sqlite_database, channel, networks=()) as house:
            vendor.elsewhere = address.format(port=store.port)
            status, _, body = await content(house, await house.done(vendor))
            assert 502 == status
            assert "169.254" not in str(body)
            assert [] == store.seen


@pytest.mark.asyncio
async def test_a_circle_of_redirects_ends(house, vendor):
    """After three."""
    vendor.elsewhere = f"http://127.0.0.1:{vendor.port}/v1/videos/up_1/content"
    video = await house.done(vendor)
    assert 502 == (await content(house, video))[0]
    assert vendor.count("GET", "/content") <= 4


@pytest.mark.asyncio
@pytest.mark.parametrize("says", [{"error": "x"}, "no address", 5])
async def test_json_is_no_film(house, vendor, says):
    """An error in disguise never arrives as a video."""
    vendor.says = says
    assert 502 == (await content(house, await house.done(vendor)))[0]


@pytest.mark.asyncio
async def test_a_slow_caller_slows_the_vendor(house, vendor):
    """What is between them stays small, however large the file."""
    vendor.content = film(30_000_000)
    video = await house.done(vendor)
    line = await Wire.to(house.gateway.port)
    key, _ = house.people["ada"]
    tracemalloc.start()
    await line.send(
        f"GET /v1/videos/{video['id']}/content HTTP/1.1\r\nHost: g\r\n"
        f"Authorization: Bearer {key}\r\n\r\n".encode()
    )
    await line.reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(0.3)  # the caller reads nothing meanwhile
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000
    size = 0
    while size < 30_000_000:
        size += len(await line.reader.read(1 << 20))
    assert 30_000_000 == size
    await line.close()


@pytest.mark.asyncio
async def test_a_file_that_breaks_off_is_cut(house, vendor):
    """Its length says that it is not whole."""
    video = await house.done(vendor)
    whole = vendor._file

    async def torn(writer, headers, method):
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 1000\r\n\r\nabc"
        )
        await writer.drain()
        raise ConnectionResetError

    vendor._file = torn
    with pytest.raises(asyncio.IncompleteReadError):
        await content(house, video)
    vendor._file = whole
    assert 200 == (await content(house, video))[0]


@pytest.mark.asyncio
async def test_a_kept_video_outlives_its_upstream(sqlite_database, vendor, assets):
    """Whole, in pieces, by its head; deleted with the video."""
    channel = ("a", "openai", vendor, [KEY])
    limits = Limits(keep_days=30)
    async with House.on(sqlite_database, channel, limits=limits, assets=assets) as house:
        video = await house.done(vendor)
        await house.poll()
        job = await house.video_services.jobs.find(house.people["ada"][1].user_id, video["id"])
        vendor.jobs.clear()
        told = (await house.get(video["id"]))[2]
        assert 29 * 86_400 < told["expires_at"] - told["completed_at"]
        status, headers, body = await content(house, video)
        assert (200, vendor.content, b"video/mp4") == (status, body, headers[b"content-type"])
        status, headers, body = await content(house, video, "Range: bytes=5-9")
        assert (206, vendor.content[5:10]) == (status, body)
        assert b"bytes 5-9/100000" == headers[b"content-range"]
        tag = headers[b"etag"].decode()
        assert 200 == (await content(house, video, "Range: bytes=5-9", 'If-Range: "other"'))[0]
        assert 206 == (await content(house, video, "Range: bytes=5-9", f"If-Range: {tag}"))[0]
        status, headers, body = await content(house, video, "Range: bytes=100000-")
        assert (416, b"bytes */100000") == (status, headers[b"content-range"])
        status, headers, _ = await content(house, video, method="HEAD")
        assert (200, b"100000") == (status, headers[b"content-length"])
        asset_id = job.assets["video"]
        assert 200 == (await house.ask("DELETE", f"/v1/videos/{video['id']}"))[0]
        assert None is await assets.find(asset_id)


@pytest.mark.asyncio
async def test_kept_pictures_outlive_their_upstream(sqlite_database, vendor, assets):
    """As the film does, and are deleted with it."""
    channel = ("a", "openai", vendor, [KEY])
    vendor.pictures = {"thumbnail": (b"image/png", b"small")}
    async with House.on(
        sqlite_database, channel, limits=Limits(keep_days=30), assets=assets
    ) as house:
        video = await house.done(vendor)
        await house.poll()
        job = await house.video_services.jobs.find(house.people["ada"][1].user_id, video["id"])
        path = f"/v1/videos/{video['id']}"
        status, headers, body = await house.ask("GET", f"{path}/content?variant=thumbnail")
        assert (200, b"small", b"image/png") == (status, body, headers[b"content-type"])
        vendor.refuse["GET"] = 404
        assert body == (await house.ask("GET", f"{path}/content?variant=thumbnail"))[2]
        status, _, told = await house.ask("GET", f"{path}/content?variant=spritesheet")
        assert (404, "video_expired") == (status, told["error"]["code"])
        assert 200 == (await house.ask("DELETE", path))[0]
        assert [None, None] == [await assets.find(id_) for id_ in job.assets.values()]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        (["Range: bytes=5-9"], "bytes=5-9"),
        (["Range: bytes=-9"], "bytes=-9"),
        (["Range: bytes=0-1,5-9"], None),
        (["Range: items=0-1"], None),
        (["Range: bytes=9-5"], None),
        (['If-Range: "e1"'], None),
        (["Range: bytes=5-9", 'If-Range: "e1"'], "bytes=5-9"),
    ],
)
async def test_one_range_travels_and_what_is_none_does_not(house, vendor, asked, sent):
    """A vendor would answer several with a form, which is no film."""
    video = await house.done(vendor)
    status, _, _ = await content(house, video, *asked)
    assert status in (200, 206)
    _, _, _, headers, _ = vendor.seen[-1]
    assert (sent, sent and len(asked) > 1) == (headers.get("range"), sent and "if-range" in headers)


@pytest.mark.asyncio
async def test_a_part_that_nobody_asked_for_is_a_break(house, vendor):
    """A caller would take it for the whole."""
    video = await house.done(vendor)
    whole = vendor._file

    async def part(writer, headers, method):
        await whole(writer, {**headers, "range": "bytes=0-9"}, method)

    vendor._file = part
    status, _, told = await content(house, video)
    assert (502, "upstream_error") == (status, told["error"]["code"])
