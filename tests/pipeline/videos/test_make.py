"""Videos are asked for once, paid for once, and have an owner whatever happens meanwhile."""

import asyncio

import msgspec
import pytest

from edge.wires import Wire
from films import Films
from studios import DOLLAR, SECOND, House, form, settings_for
from trivium.faults import Kind
from trivium.storage.errors import StorageDown

KEY = "sk-vendor-0123456789abcdef"
EVERY = {
    "id", "object", "model", "status", "progress", "created_at", "completed_at", "expires_at",
    "prompt", "size", "seconds", "remixed_from_video_id", "error",
}  # fmt: skip


@pytest.mark.asyncio
async def test_a_video_is_begun(house, vendor):
    """Our id and the public name outside, the channel's own name and a form inside."""
    status, headers, body = await house.create(seconds="8", size="1280x720")
    assert 200 == status
    assert EVERY == set(body)
    assert ("video", "sora-2", "queued", 0, "8", "1280x720", "a cat") == tuple(
        body[name]
        for name in ("object", "model", "status", "progress", "seconds", "size", "prompt")
    )
    assert body["id"].startswith("video_")
    assert [None] * 4 == [
        body[name] for name in ("completed_at", "expires_at", "error", "remixed_from_video_id")
    ]
    assert b"1000" == headers[b"openai-poll-after-ms"]
    assert b"a" == headers[b"trivium-channel"]
    assert b"2.40" == headers[b"trivium-cost"]
    assert {"model": "own", "prompt": "a cat", "seconds": "8", "size": "1280x720"} == vendor.jobs[
        "up_1"
    ]["fields"]
    assert b"up_1" not in msgspec.json.encode(body)
    assert (10 * DOLLAR, 8 * SECOND["1280x720"], []) == await house.money()


@pytest.mark.asyncio
async def test_a_form_is_taken_with_its_file(house, vendor):
    """The file arrives as it was, whatever its field was called."""
    body, kind = form(
        ("prompt", "a cat"), ("seconds", "4"), file=("cat.png", "image/png", b"\x89PNG\r\n")
    )
    status, _, made = await house.ask("POST", "/v1/videos", body, kind)
    assert (200, "4") == (status, made["seconds"])
    assert ("cat.png", "image/png", b"\x89PNG\r\n") == vendor.jobs["up_1"]["fields"][
        "input_reference"
    ]


@pytest.mark.asyncio
async def test_a_reference_by_address_travels(house, vendor):
    """The vendor fetches it."""
    await house.made(input_reference={"image_url": "https://example.com/cat.png"})
    fields = vendor.jobs["up_1"]["fields"]
    assert "https://example.com/cat.png" == fields["input_reference[image_url]"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("members", "status", "param", "code"),
    [
        ({"seconds": 5}, 400, "seconds", "invalid_value"),
        ({"size": "1x1"}, 400, "size", "invalid_value"),
        ({"prompt": ""}, 400, "prompt", "invalid_value"),
        ({"n": 2}, 400, "n", "unknown_parameter"),
        ({"model": "nobody"}, 404, "model", "model_not_found"),
    ],
)
async def test_a_wrong_request_reaches_nobody(house, vendor, members, status, param, code):
    """And holds nothing."""
    found, _, body = await house.create(**members)
    assert (status, param, code) == (found, body["error"]["param"], body["error"]["code"])
    assert [] == vendor.seen
    assert (10 * DOLLAR, 0, []) == await house.money()


@pytest.mark.asyncio
async def test_a_balance_that_does_not_cover_it_is_refused(house, vendor):
    """Ten dollars are good for two of 3.60, and the third finds what is held."""
    statuses = [(await house.create(seconds=12, size="1280x720"))[0] for _ in range(3)]
    assert [200, 200, 429] == statuses
    assert 2 == len(vendor.jobs)


@pytest.mark.asyncio
async def test_a_key_without_the_model_is_refused(house, vendor):
    """As everywhere."""
    house.change("ada", models=frozenset({"other"}))
    status, _, body = await house.create()
    assert (403, "model_not_allowed") == (status, body["error"]["code"])
    assert [] == vendor.seen


@pytest.mark.asyncio
async def test_a_refusal_leaves_nothing(house, vendor):
    """No row, no hold; told in the vendor's stead."""
    vendor.refuse["POST"] = 400
    status, _, body = await house.create()
    assert 400 == status
    assert "up_" not in str(body)
    assert (10 * DOLLAR, 0, []) == await house.money()
    assert [] == (await house.ask("GET", "/v1/videos"))[2]["data"]


@pytest.mark.asyncio
@pytest.mark.parametrize("way", ["drop"])
async def test_what_may_have_been_begun_is_not_begun_again(sqlite_database, way):
    """The second channel is not asked, and the SDK is told not to."""
    async with Films() as one, Films() as two:
        getattr(one, way).add("POST")
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels) as house:
            status, headers, _ = await house.create()
            assert (502, b"false") == (status, headers[b"x-should-retry"])
            assert ([], 1) == (two.seen, len(one.seen))
            assert Kind.UPSTREAM_UNSURE.value == house.records[-1].fault
            assert (10 * DOLLAR, 0, []) == await house.money()


@pytest.mark.asyncio
async def test_an_answer_that_is_no_video_is_not_asked_for_again(house, vendor):
    """It said yes, and nobody knows to what."""
    vendor.refuse["POST"] = 200
    status, headers, _ = await house.create()
    assert (502, b"false") == (status, headers[b"x-should-retry"])
    assert (10 * DOLLAR, 0, []) == await house.money()


@pytest.mark.asyncio
async def test_a_channel_that_refuses_for_itself_is_followed_by_the_next(sqlite_database):
    """The row remembers the one that took it."""
    async with Films() as one, Films() as two:
        one.refuse["POST"] = 503
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels) as house:
            _, headers, body = await house.create()
            assert (b"b", b"2") == (headers[b"trivium-channel"], headers[b"trivium-attempts"])
            two.finish()
            assert "completed" == (await house.get(body["id"]))[2]["status"]
            assert 0 == one.count("GET")


@pytest.mark.asyncio
async def test_whoever_leaves_has_a_video_all_the_same(house, vendor):
    """It is in the list: what is under way has an owner, and is paid for."""
    held = asyncio.Event()
    began = asyncio.Event()
    order = house.studio.asking.order

    async def slowly(*args):
        began.set()
        await held.wait()
        return await order(*args)

    house.studio.asking.order = slowly
    line = await Wire.to(house.gateway.port)
    body = b'{"prompt": "a cat"}'
    key, _ = house.people["ada"]
    await line.send(
        f"POST /v1/videos HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {key}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    await began.wait()
    await line.close()
    while not house.records:
        await asyncio.sleep(0.01)
    assert Kind.CALLER_LEFT.value == house.records[-1].fault
    held.set()
    await asyncio.gather(*house.services.outlasting)
    (video,) = (await house.ask("GET", "/v1/videos"))[2]["data"]
    vendor.finish()
    assert "completed" == (await house.get(video["id"]))[2]["status"]
    assert [4 * SECOND["720x1280"]] == (await house.money())[2]


@pytest.mark.asyncio
async def test_a_database_that_goes_away_while_the_vendor_answers_is_told_later(
    house, vendor, monkeypatch
):
    """The caller has its id; the row follows."""
    from trivium.pipeline.videos import make

    monkeypatch.setattr(make, "PAUSE_S", 0.01)
    born = house.studio.jobs.born
    failed = []

    async def away(*args):
        if len(failed) < 3:
            failed.append(1)
            raise StorageDown("away")
        return await born(*args)

    house.studio.jobs.born = away
    body = await house.made()
    await asyncio.gather(*house.services.outlasting)
    vendor.finish()
    assert "completed" == (await house.get(body["id"]))[2]["status"]


@pytest.mark.asyncio
async def test_a_record_tells_of_the_request(house):
    """Model, channel, status; a video's tokens are none."""
    await house.made()
    record = house.records[-1]
    assert ("videos", "sora-2", "a", "own", 200, 1, None) == (
        record.operation, record.model, record.channel, record.upstream_model, record.status,
        record.attempts, record.usage,
    )  # fmt: skip


@pytest.mark.asyncio
async def test_a_callers_wish_is_heard(sqlite_database):
    """One of the channels, or nothing dearer than so much."""
    async with Films() as one, Films() as two:
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels) as house:
            body = b'{"prompt": "x"}'
            _, headers, _ = await house.ask("POST", "/v1/videos", body, "trivium-only: b")
            assert b"b" == headers[b"trivium-channel"]
            status, _, _ = await house.ask("POST", "/v1/videos", body, "trivium-max-cost: 0.01")
            assert 400 <= status < 500
            assert (0, 1) == (len(one.jobs), len(two.jobs))


@pytest.mark.asyncio
async def test_a_remix_is_a_video_of_its_own(house, vendor):
    """Made by the account that made its source, of the same size and length, held anew."""
    source = await house.done(vendor, seconds=8, size="1280x720")
    status, headers, body = await house.ask(
        "POST", f"/v1/videos/{source['id']}/remix", {"prompt": "red"}
    )
    assert (200, b"2.40") == (status, headers[b"trivium-cost"])
    assert (source["id"], "8", "1280x720", "red", "queued") == (
        body["remixed_from_video_id"], body["seconds"], body["size"], body["prompt"],
        body["status"],
    )  # fmt: skip
    assert body["id"] != source["id"]
    assert "up_1" == vendor.jobs["up_2"]["video"]["remixed_from_video_id"]
    cost = 8 * SECOND["1280x720"]
    assert (10 * DOLLAR - cost, cost, [cost]) == await house.money()
    vendor.finish()
    assert "completed" == (await house.get(body["id"]))[2]["status"]
    assert [cost, cost] == (await house.money())[2]


@pytest.mark.asyncio
async def test_a_remix_may_be_asked_for_with_a_form(house, vendor):
    """As the specification has it."""
    source = await house.done(vendor)
    body, kind = form(("prompt", "red"))
    status, _, made = await house.ask("POST", f"/v1/videos/{source['id']}/remix", body, kind)
    assert (200, "red") == (status, made["prompt"])


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["queued", "in_progress", "failed"])
async def test_only_a_completed_video_is_remixed(house, vendor, end):
    """400, which no SDK repeats."""
    body = await house.made()
    if end == "in_progress":
        vendor.work("up_1")
    if end == "failed":
        vendor.fail("up_1")
    await house.get(body["id"])
    status, _, told = await house.ask("POST", f"/v1/videos/{body['id']}/remix", {"prompt": "x"})
    assert (400, "invalid_request_error", "video_not_ready") == (
        status, told["error"]["type"], told["error"]["code"],
    )  # fmt: skip
    assert end in told["error"]["message"]


@pytest.mark.asyncio
async def test_anothers_video_is_not_remixed(house, vendor):
    """404, as for one that never was."""
    source = await house.done(vendor)
    status, _, _ = await house.ask(
        "POST", f"/v1/videos/{source['id']}/remix", {"prompt": "x"}, who="bob"
    )
    assert 404 == status
    assert 1 == len(vendor.jobs)


@pytest.mark.asyncio
async def test_a_remix_outlives_a_new_name_of_its_model(house, vendor):
    """It is priced by the name that leads to the same model now; without any it is refused."""
    source = await house.done(vendor)
    path = f"/v1/videos/{source['id']}/remix"
    house.settings(settings_for(("a", "openai", vendor, [KEY]), names=("movie",)))
    status, _, body = await house.ask("POST", path, {"prompt": "x"})
    assert (200, "movie") == (status, body["model"])
    house.settings(settings_for(("a", "openai", vendor, [KEY]), model="another"))
    status, _, body = await house.ask("POST", path, {"prompt": "x"})
    assert (404, "model_not_found") == (status, body["error"]["code"])


@pytest.mark.asyncio
async def test_google_makes_videos_behind_the_same_resource(sqlite_database):
    """From the request to the entry; what it has not is refused by name."""
    async with (
        Films() as vendor,
        House.on(sqlite_database, ("g", "gemini", vendor, [KEY])) as house,
    ):
        picture = {"image_url": "data:image/png;base64,YWJj"}
        body = await house.made(seconds=8, size="1280x720", input_reference=picture)
        asked = vendor.jobs["up_1"]["asked"]
        assert "16:9" == asked["parameters"]["aspectRatio"]
        assert "YWJj" == asked["instances"][0]["image"]["bytesBase64Encoded"]
        assert "in_progress" == (await house.get(body["id"]))[2]["status"]
        vendor.finish()
        done = (await house.get(body["id"]))[2]
        assert ("completed", 100) == (done["status"], done["progress"])
        assert done["completed_at"] + 2 * 86_400 == done["expires_at"]
        status, _, content = await house.get(body["id"], below="/content")
        assert (200, vendor.content) == (status, content)
        status, _, told = await house.get(body["id"], below="/content?variant=thumbnail")
        assert (400, "variant") == (status, told["error"]["param"])
        path = f"/v1/videos/{body['id']}"
        status, _, told = await house.ask("POST", f"{path}/remix", {"prompt": "x"})
        assert (400, "unsupported_parameter") == (status, told["error"]["code"])
        assert [8 * SECOND["1280x720"]] == (await house.money())[2]
        assert 200 == (await house.ask("DELETE", path))[0]
        assert {} == vendor.jobs
        for wrong in ({"seconds": 12}, {"size": "1024x1792"}):
            status, _, told = await house.create(**wrong)
            assert (400, next(iter(wrong))) == (status, told["error"]["param"])
