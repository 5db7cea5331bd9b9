"""A video is ordered once, paid for once, and has an owner whatever happens meanwhile."""

import asyncio

import pytest

from edge.wires import Wire
from trivium.faults import Kind
from trivium.storage.errors import StorageDown
from video_gateway import DOLLAR, SECOND, House
from video_vendor import Films

KEY = "sk-vendor-0123456789abcdef"


@pytest.mark.asyncio
async def test_a_balance_that_does_not_cover_it_is_refused(house, vendor):
    """Ten dollars are good for two of 3.60, and the third finds what is held."""
    statuses = [(await house.create(seconds=12, size="1280x720"))[0] for _ in range(3)]
    assert [200, 200, 429] == statuses
    assert 2 == len(vendor.jobs)


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
async def test_whoever_leaves_has_a_video_all_the_same(house, vendor):
    """It is in the list: what is under way has an owner, and is paid for."""
    held = asyncio.Event()
    began = asyncio.Event()
    order = house.video_services.video_client.order

    async def slowly(*args):
        began.set()
        await held.wait()
        return await order(*args)

    house.video_services.video_client.order = slowly
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
    await asyncio.gather(*house.services.abandoned)
    (video,) = (await house.ask("GET", "/v1/videos"))[2]["data"]
    vendor.finish()
    assert "completed" == (await house.get(video["id"]))[2]["status"]
    assert [4 * SECOND["720x1280"]] == (await house.money())[2]


@pytest.mark.asyncio
async def test_a_database_that_goes_away_while_the_vendor_answers_is_told_later(
    house, vendor, monkeypatch
):
    """The caller has its id; the row follows."""
    from trivium.pipeline.videos import order

    monkeypatch.setattr(order, "PAUSE_S", 0.01)
    born = house.video_services.jobs.born
    failed = []

    async def away(*args):
        if len(failed) < 3:
            failed.append(1)
            raise StorageDown("away")
        return await born(*args)

    house.video_services.jobs.born = away
    body = await house.made()
    await asyncio.gather(*house.services.abandoned)
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
@pytest.mark.parametrize("status", [500, 502, 504])
async def test_an_error_that_does_not_say_so_is_no_refusal(sqlite_database, status):
    """A proxy's time limit, or a crash behind the order, may leave a video that somebody pays."""
    async with Films() as one, Films() as two:
        one.refuse["POST"] = status
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels) as house:
            told, headers, _ = await house.create()
            assert (502, b"false", []) == (told, headers[b"x-should-retry"], two.seen)
            assert (10 * DOLLAR, 0, []) == await house.money()


@pytest.mark.asyncio
async def test_an_order_that_is_made_again_is_answered_with_its_video(house, vendor, monkeypatch):
    """After a kill it comes with the id of the first: no upstream is asked, nothing more is held."""
    monkeypatch.setattr(house.gateway.listener, "new_id", lambda: "req_same")
    found = [await house.create(seconds=8, size="1280x720") for _ in range(2)]
    assert [200, 200] == [status for status, _, _ in found]
    assert found[0][2] == found[1][2]
    assert 1 == len(vendor.jobs)
    assert (10 * DOLLAR, 8 * SECOND["1280x720"], []) == await house.money()
    vendor.finish()
    source = found[0][2]["id"]
    assert "completed" == (await house.get(source))[2]["status"]
    monkeypatch.setattr(house.gateway.listener, "new_id", lambda: "req_next")
    path = f"/v1/videos/{source}/remix"
    remixed = [await house.ask("POST", path, {"prompt": "red"}) for _ in range(2)]
    assert remixed[0][2]["id"] == remixed[1][2]["id"] != source
    assert 2 == len(vendor.jobs)
