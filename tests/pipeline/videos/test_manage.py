"""Videos are read, listed and deleted by their owner, at the account that made them."""

import msgspec
import pytest

from trivium.settings.section import JobsSettings as Limits
from trivium.storage import schema
from trivium.storage.errors import StorageDown
from video_gateway import DOLLAR, SECOND, House, settings_for
from video_vendor import Films

KEY = "sk-vendor-0123456789abcdef"
KEYS = ("sk-one-0123456789abcdef01", "sk-two-0123456789abcdef02")


@pytest.mark.asyncio
async def test_a_video_is_followed_to_its_end(house, vendor):
    """Queued, at work, made; paid for when it is, and told no more to ask again."""
    body = await house.made(seconds=4)
    _, headers, told = await house.get(body["id"])
    assert "queued" == told["status"]
    assert b"openai-poll-after-ms" in headers
    vendor.work("up_1", 40)
    told = (await house.get(body["id"]))[2]
    assert ("in_progress", 40) == (told["status"], told["progress"])
    vendor.finish("up_1", expires_at=1_800_000_000)
    _, headers, told = await house.get(body["id"])
    assert ("completed", 100, 1_800_000_000) == (
        told["status"], told["progress"], told["expires_at"],
    )  # fmt: skip
    assert int(house.clock.now()) == told["completed_at"]
    assert b"openai-poll-after-ms" not in headers
    cost = 4 * SECOND["720x1280"]
    assert (10 * DOLLAR - cost, 0, [cost]) == await house.money()


@pytest.mark.asyncio
async def test_a_failed_video_says_why_and_costs_nothing(house, vendor):
    """The vendor's words, without what they tell of the operator's account."""
    body = await house.made()
    vendor.fail("up_1", message="Blocked for org-AbCdEf123456 at https://internal.example/x")
    told = (await house.get(body["id"]))[2]
    assert ("failed", "moderation_blocked") == (told["status"], told["error"]["code"])
    assert "Blocked" in told["error"]["message"]
    assert "org-AbCdEf123456" not in told["error"]["message"]
    assert "internal.example" not in told["error"]["message"]
    assert (10 * DOLLAR, 0, []) == await house.money()


@pytest.mark.asyncio
async def test_whoever_asks_often_does_not_have_the_vendor_asked_often(house, vendor):
    """Once a second at most; never again once it has ended."""
    body = await house.made()
    for _ in range(5):
        await house.ask("GET", f"/v1/videos/{body['id']}")
    assert 0 == vendor.count("GET")
    await house.get(body["id"])
    await house.ask("GET", f"/v1/videos/{body['id']}")
    assert 1 == vendor.count("GET")
    vendor.finish()
    for _ in range(3):
        await house.get(body["id"])
    assert 2 == vendor.count("GET")


@pytest.mark.asyncio
async def test_a_vendor_that_is_away_changes_nothing(house, vendor):
    """How it stood is told; the next look finds out."""
    body = await house.made()
    vendor.work("up_1", 30)
    await house.get(body["id"])
    vendor.refuse["GET"] = 503
    status, _, told = await house.get(body["id"])
    assert (200, "in_progress", 30) == (status, told["status"], told["progress"])
    del vendor.refuse["GET"]
    vendor.finish()
    assert "completed" == (await house.get(body["id"]))[2]["status"]


@pytest.mark.asyncio
@pytest.mark.parametrize("below", ["", "/content"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
async def test_anothers_id_is_unknown(house, vendor, method, below):
    """As is one that never was, or is too long to be one."""
    video = await house.done(vendor)
    before = len(vendor.seen)
    if method == "DELETE" and below:
        return
    for id_, who in ((video["id"], "bob"), ("video_" + "0" * 48, "ada"), ("x" * 999, "ada")):
        status, _, body = await house.ask(method, f"/v1/videos/{id_}{below}", who=who)
        assert 404 == status
        if method != "HEAD":
            assert "video_not_found" == body["error"]["code"]
    assert before == len(vendor.seen)


@pytest.mark.asyncio
async def test_two_accounts_of_one_channel_are_told_apart(sqlite_database):
    """Also after a restart with the keys in another order, after a new name, on another node."""
    async with Films(KEYS) as vendor:
        async with House.on(sqlite_database, ("a", "openai", vendor, [KEYS[0]])) as house:
            first = await house.made()
        async with House.on(sqlite_database, ("a", "openai", vendor, [KEYS[1]])) as house:
            second = await house.made()
            assert (["up_1"], ["up_2"]) == (vendor.made(0), vendor.made(1))
            vendor.finish()
            # the first one's key is not configured here
            status, headers, told = await house.get(first["id"])
            assert (503, "video_account_removed", b"false") == (
                status, told["error"]["code"], headers[b"x-should-retry"],
            )  # fmt: skip
        both = ("a", "openai", vendor, [KEYS[1], KEYS[0]])
        async with House.on(sqlite_database, both, names=("renamed",)) as house:
            for video, key in ((first, KEYS[0]), (second, KEYS[1])):
                told = (await house.get(video["id"]))[2]
                assert ("completed", "sora-2") == (told["status"], told["model"])
                assert key == vendor.seen[-1][2]
                content = (await house.get(video["id"], below="/content"))[2]
                assert (vendor.content, key) == (content, vendor.seen[-1][2])
                path = f"/v1/videos/{video['id']}"
                assert 200 == (await house.ask("DELETE", path))[0]
                assert key == vendor.seen[-1][2]
        assert {} == vendor.jobs


@pytest.mark.asyncio
@pytest.mark.parametrize("what", ["channel", "credential", "provider"])
async def test_an_account_that_is_gone_is_told(house, vendor, what):
    """What is known stays readable; what would need the account says why not."""
    made = await house.done(vendor)
    running = await house.made()
    house.settings(
        {
            "channel": settings_for(("b", "openai", vendor, [KEY])),
            "credential": settings_for(("a", "openai", vendor, ["sk-other-0123456789"])),
            "provider": settings_for(("a", "gemini", vendor, [KEY])),
        }[what]
    )
    assert 200 == (await house.get(made["id"]))[0]
    for ask in (
        house.get(running["id"]),
        house.get(made["id"], below="/content"),
        house.ask("POST", f"/v1/videos/{made['id']}/remix", {"prompt": "x"}),
    ):
        status, _, told = await ask
        assert (503, "video_account_removed") == (status, told["error"]["code"])
    # nobody can delete it there any more, and the caller is rid of it
    assert 200 == (await house.ask("DELETE", f"/v1/videos/{made['id']}"))[0]
    assert ["up_1", "up_2"] == vendor.made()


@pytest.mark.asyncio
async def test_videos_are_listed_page_by_page(house):
    """As the SDKs ask: after, limit, order; each its owner's own."""
    ids = []
    for _ in range(3):
        house.clock.advance(1)
        ids.append((await house.made(seconds=4))["id"])
    await house.made("bob")
    _, _, page = await house.ask("GET", "/v1/videos")
    assert ids[::-1] == [video["id"] for video in page["data"]]
    assert ("list", ids[2], ids[0], False) == (
        page["object"], page["first_id"], page["last_id"], page["has_more"],
    )  # fmt: skip
    _, _, page = await house.ask("GET", "/v1/videos?limit=2&order=asc")
    assert (ids[:2], True) == ([video["id"] for video in page["data"]], page["has_more"])
    _, _, page = await house.ask("GET", f"/v1/videos?limit=2&order=asc&after={ids[1]}")
    assert (ids[2:], False) == ([video["id"] for video in page["data"]], page["has_more"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "status", "param"),
    [
        ("limit=0", 400, "limit"),
        ("limit=101", 400, "limit"),
        ("limit=x", 400, "limit"),
        ("limit=9999999999999999999", 400, "limit"),
        ("limit=00000000199999999", 400, "limit"),
        (f"limit=000000001{'9' * 30}", 400, "limit"),
        ("order=up", 400, "order"),
        ("order=", 400, "order"),
        ("after=video_1", 404, "video_id"),
    ],
)
async def test_a_wrong_page_is_refused_by_name(house, query, status, param):
    """What would be right is said."""
    found, _, body = await house.ask("GET", f"/v1/videos?{query}")
    assert (status, param) == (found, body["error"]["param"])


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["completed", "failed"])
async def test_a_video_that_has_ended_is_deleted(house, vendor, end):
    """There and here; afterwards its id is unknown, and the entry stays."""
    body = await house.made()
    vendor.finish() if end == "completed" else vendor.fail("up_1")
    await house.get(body["id"])
    before = await house.money()
    path = f"/v1/videos/{body['id']}"
    status, _, told = await house.ask("DELETE", path)
    assert (200, {"id": body["id"], "object": "video.deleted", "deleted": True}) == (status, told)
    assert {} == vendor.jobs
    for method in ("GET", "DELETE"):
        assert 404 == (await house.ask(method, path))[0]
    assert before == await house.money()


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["queued", "in_progress"])
async def test_a_video_that_is_being_made_is_not_deleted(house, vendor, end):
    """Whoever pays for it would have nothing of it."""
    body = await house.made()
    if end == "in_progress":
        vendor.work("up_1")
        await house.get(body["id"])
    status, _, told = await house.ask("DELETE", f"/v1/videos/{body['id']}")
    assert (400, "invalid_request_error", "video_not_ready") == (
        status, told["error"]["type"], told["error"]["code"],
    )  # fmt: skip
    assert 0 == vendor.count("DELETE")


@pytest.mark.asyncio
@pytest.mark.parametrize("refusal", [401, 429, 500, 503])
async def test_a_vendor_that_does_not_delete_is_told_of(house, vendor, refusal):
    """The video is still there, for another try."""
    video = await house.done(vendor)
    vendor.refuse["DELETE"] = refusal
    path = f"/v1/videos/{video['id']}"
    status, _, told = await house.ask("DELETE", path)
    assert (502, "video_id") == (status, told["error"]["param"])
    assert 200 == (await house.ask("GET", path))[0]
    del vendor.refuse["DELETE"]
    assert 200 == (await house.ask("DELETE", path))[0]


@pytest.mark.asyncio
async def test_a_video_that_the_vendor_has_not_any_more_is_deleted(house, vendor):
    """Gone is gone."""
    video = await house.done(vendor)
    vendor.jobs.clear()
    assert 200 == (await house.ask("DELETE", f"/v1/videos/{video['id']}"))[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "below"), [("GET", ""), ("GET", "/content"), ("DELETE", ""), ("GET", "?list")]
)
async def test_a_database_that_is_away_is_a_503(house, vendor, method, below, monkeypatch):
    """Not a 404: a client would forget its video."""
    video = await house.done(vendor)

    def away(*args):
        raise StorageDown("away")

    monkeypatch.setattr(house.database, "read", away)
    monkeypatch.setattr(house.database, "write", away)
    path = "/v1/videos" if below == "?list" else f"/v1/videos/{video['id']}{below}"
    status, _, body = await house.ask(method, path)
    assert (503, "service_unavailable") == (status, body["error"]["code"])


@pytest.mark.asyncio
async def test_nothing_of_the_vendors_is_shown(house, vendor):
    """Neither its id nor its name for the model."""
    video = await house.done(vendor)
    listed = (await house.ask("GET", "/v1/videos"))[2]
    shown = msgspec.json.encode([video, listed])
    assert b"up_1" not in shown
    assert b"own" not in shown


@pytest.mark.asyncio
async def test_what_is_kept_while_a_video_is_deleted_goes_too(
    sqlite_database, vendor, assets, monkeypatch
):
    """The poller notes a copy between the look at the row and its end."""
    async with House.on(
        sqlite_database, ("a", "openai", vendor, [KEY]), limits=Limits(keep_days=30), assets=assets
    ) as house:
        video = await house.done(vendor)
        delete = house.video_services.video_client.delete

        async def meanwhile(job):
            await house.poll()
            return await delete(job)

        monkeypatch.setattr(house.video_services.video_client, "delete", meanwhile, raising=False)
        assert 200 == (await house.ask("DELETE", f"/v1/videos/{video['id']}"))[0]
        async with sqlite_database.read() as conn:
            assert [] == list(await conn.execute(schema.metadata.tables["assets"].select()))


@pytest.mark.asyncio
async def test_what_is_no_id_of_ours_is_unknown_and_looked_up_nowhere(database, vendor):
    """A NUL is an error to PostgreSQL, and would read as an outage."""
    async with House.on(database, ("a", "openai", vendor, [KEY])) as house:
        for method, path in (
            ("GET", "/v1/videos/a%00b"),
            ("DELETE", "/v1/videos/a%00b"),
            ("GET", "/v1/videos/video_%FF/content"),
            ("POST", f"/v1/videos/{'a' * 5000}/remix"),
            ("GET", "/v1/videos?after=a%00b"),
        ):
            body = b'{"prompt": "x"}' if method == "POST" else b""
            status, _, told = await house.ask(method, path, body)
            assert (404, "video_not_found") == (status, told["error"]["code"])
