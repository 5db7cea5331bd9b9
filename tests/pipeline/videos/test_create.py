"""Videos are asked for once, paid for once, and have an owner whatever happens meanwhile."""

import asyncio

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.routing.channel_health import HealthKey
from video_gateway import DOLLAR, SECOND, House, form
from video_vendor import Films

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


DEAR = {"price": {"per_second": "0.5"}}
CHEAP = {"price": {"per_second": "0.01"}}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spare", "each"), [(DEAR, DOLLAR // 2), (CHEAP, DOLLAR // 100), ({"free": True}, 0)]
)
async def test_a_declared_model_makes_it_where_the_first_has_nobody(sqlite_database, spare, each):
    """Told in a header, recorded, held and paid as what it is; asked about at its own account."""
    async with Films() as one, Films() as two:
        one.refuse["POST"] = 503
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels, spare=spare) as house:
            status, headers, body = await house.create(seconds=8)
            assert (200, b"spare", b"b") == (
                status, headers[b"trivium-model"], headers[b"trivium-channel"],
            )  # fmt: skip
            assert f"{8 * each / DOLLAR:.2f}" == headers[b"trivium-cost"].decode()
            assert ("spare", "spare") == (body["model"], house.records[-1].model)
            assert (10 * DOLLAR, 8 * each, []) == await house.money()
            two.finish()
            assert "completed" == (await house.get(body["id"]))[2]["status"]
            assert 0 == one.count("GET")
            paid = [8 * each] if each else []
            assert (10 * DOLLAR - 8 * each, 0, paid) == await house.money()


@pytest.mark.asyncio
async def test_a_model_that_makes_it_itself_costs_its_own_price(sqlite_database):
    """What was held for a dearer one is free again as soon as that is known."""
    async with Films() as one, Films() as two:
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels, spare=DEAR) as house:
            _, headers, _ = await house.create()
            assert b"trivium-model" not in headers
            assert b"0.40" == headers[b"trivium-cost"]
            async with asyncio.timeout(20):  # what is too much goes back beside the answer
                while (await house.money())[1] > 4 * SECOND["720x1280"]:
                    await asyncio.sleep(0.01)
            assert (10 * DOLLAR, 4 * SECOND["720x1280"], []) == await house.money()
            one.finish()
            await house.poll()
            assert [4 * SECOND["720x1280"]] == (await house.money())[2]
            status, _, body = await house.create(seconds=12, size="1280x720")
            assert 200 == status, body
            assert [] == two.seen


@pytest.mark.asyncio
async def test_nobody_stands_in_who_may_make_a_second_one(sqlite_database):
    """What the first may have begun is begun by no other model either."""
    async with Films() as one, Films() as two:
        one.drop.add("POST")
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels, spare=DEAR) as house:
            status, headers, _ = await house.create()
            assert (502, b"false") == (status, headers[b"x-should-retry"])
            assert ([], (10 * DOLLAR, 0, [])) == (two.seen, await house.money())


@pytest.mark.asyncio
async def test_who_cannot_make_it_either_leaves_nothing(sqlite_database):
    """No row, no hold; the caller is told of the model it asked for."""
    async with Films() as one, Films() as two:
        one.refuse["POST"] = 503
        channels = [("a", "openai", one, [KEY]), ("b", "gemini", two, [KEY])]
        async with House.on(sqlite_database, *channels, spare=DEAR) as house:
            status, _, _ = await house.create(seconds=12)  # the other takes 4, 6 and 8
            assert (503, []) == (status, two.seen)
            assert (10 * DOLLAR, 0, []) == await house.money()
            assert [] == (await house.ask("GET", "/v1/videos"))[2]["data"]


@pytest.mark.asyncio
async def test_a_model_whose_channels_all_rest_is_stood_in_for(sqlite_database):
    """The vendor named a time, so it is not asked."""
    async with Films() as one, Films() as two:
        channels = [("a", "openai", one, [KEY]), ("b", "openai", two, [KEY])]
        async with House.on(sqlite_database, *channels, spare=CHEAP) as house:
            house.services.health.failed(
                HealthKey("a", 0, "own"), Fault(Kind.UPSTREAM_RATE_LIMITED, "no", retry_after=60)
            )
            _, headers, _ = await house.create()
            assert (b"spare", []) == (headers[b"trivium-model"], one.seen)
