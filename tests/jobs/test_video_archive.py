"""Finished videos go into our own store as they come, or not at all."""

import asyncio

import pytest

from jobs.conftest import ACCOUNT, hold, order
from trivium.assets.model import AssetError
from trivium.faults import Fault, Kind
from trivium.jobs.model import ArchiveState
from trivium.jobs.video_archive import HIGH_BYTES, PICTURES_S, Pipe
from trivium.settings.section import JobsSettings as Limits
from trivium.wire.videos.answer import SeenVideo, VideoStatus
from video_gateway import House
from video_vendor import Films, film

KEY = "sk-vendor-0123456789abcdef"


class Store:
    """Keeps files in memory; ``fails``: how often it does not."""

    def __init__(self, fails=0):
        self.files = {}
        self.types = []
        self.fails = fails

    async def put(self, data, *, user_id, kind, content_type, lifetime_s):
        from trivium.assets.model import Asset

        body = b"".join([piece async for piece in data])
        if self.fails:
            self.fails -= 1
            raise AssetError("full")
        id_ = f"{len(self.files):040x}"
        self.files[id_] = body
        self.types.append(content_type)
        return Asset(
            id=id_, user_id=user_id, kind=kind, content_type=content_type, size_bytes=len(body),
            created_at=0, expires_at=lifetime_s,
        )  # fmt: skip

    async def delete(self, asset_id):
        del self.files[asset_id]


def kept(database, vendor, store, **limits):
    limits = Limits(keep_days=1, **limits)
    return House.on(database, ("a", "openai", vendor, [KEY]), limits=limits, assets=store)


async def row(house, video):
    return await house.video_services.jobs.find(house.people["ada"][1].user_id, video["id"])


@pytest.mark.asyncio
@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_a_video_is_kept_as_it_is(sqlite_database, is_elsewhere):
    """Also when the vendor has it elsewhere."""
    store = Store()
    async with Films() as vendor, Films(size=50_000) as other:
        if is_elsewhere:
            vendor.elsewhere = f"http://127.0.0.1:{other.port}/stored/x"
        async with kept(sqlite_database, vendor, store) as house:
            video = await house.done(vendor)
            await house.poll()
            job = await row(house, video)
            expected = other.content if is_elsewhere else vendor.content
            assert (ArchiveState.YES, [expected], 86_400) == (
                job.kept, list(store.files.values()), job.expires_at,
            )  # fmt: skip


@pytest.mark.asyncio
async def test_a_store_that_fails_is_tried_again(sqlite_database):
    """Nothing is half kept."""
    store = Store(fails=2)
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        video = await house.done(vendor)
        for expected in (ArchiveState.WANTED, ArchiveState.WANTED, ArchiveState.YES):
            await house.poll(100)
            assert expected is (await row(house, video)).kept
        assert [vendor.content] == list(store.files.values())


PICTURES = {"thumbnail": (b"image/webp", b"small"), "spritesheet": (b"image/jpeg", b"many")}


@pytest.mark.asyncio
async def test_pictures_of_a_video_are_kept_with_it(sqlite_database):
    """Whoever may fetch them today may do so as long as the film."""
    store = Store()
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        vendor.pictures = PICTURES
        video = await house.done(vendor)
        await house.poll()
        job = await row(house, video)
        assert (ArchiveState.YES, 86_400) == (job.kept, job.expires_at)
        assert {"video": vendor.content, "thumbnail": b"small", "spritesheet": b"many"} == {
            variant: store.files[id_] for variant, id_ in job.assets.items()
        }
        assert ["video/mp4", "image/webp", "image/jpeg"] == store.types


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "pictures",
    [
        pytest.param(None, id="the film whatever is asked for"),
        pytest.param({}, id="404"),
        pytest.param({"thumbnail": (b"", 400), "spritesheet": (b"", 422)}, id="refused"),
        pytest.param({"thumbnail": (b"application/json", b"{}")}, id="junk"),
    ],
)
async def test_a_vendor_without_pictures_has_its_film_kept(sqlite_database, pictures):
    """Once, and nothing in a picture's place."""
    store = Store()
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        vendor.pictures = pictures
        video = await house.done(vendor)
        await house.poll()
        job = await row(house, video)
        assert (ArchiveState.YES, [vendor.content], ["video"]) == (
            job.kept, list(store.files.values()), list(job.assets),
        )  # fmt: skip


@pytest.mark.asyncio
async def test_only_the_film_is_asked_of_who_makes_no_pictures(sqlite_database):
    """Google's way has none."""
    store = Store()
    limits = Limits(keep_days=1)
    async with (
        Films() as vendor,
        House.on(
            sqlite_database, ("a", "gemini", vendor, [KEY]), limits=limits, assets=store
        ) as house,
    ):
        video = await house.done(vendor)
        await house.poll()
        assert (ArchiveState.YES, ["video"]) == (
            (job := await row(house, video)).kept, list(job.assets),
        )  # fmt: skip
        assert 1 == vendor.count("GET", ":download")


@pytest.mark.asyncio
async def test_pictures_that_fail_are_asked_for_again_and_the_film_is_not(sqlite_database):
    """What is kept is noted at once; a deletion meanwhile would find it."""
    store = Store()
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        vendor.pictures = {**PICTURES, "spritesheet": (b"", 503)}
        video = await house.done(vendor)
        await house.poll()
        job = await row(house, video)
        assert (ArchiveState.WANTED, ["video", "thumbnail"]) == (job.kept, list(job.assets))
        vendor.pictures = PICTURES
        await house.poll(100)
        job = await row(house, video)
        assert (ArchiveState.YES, 3, 3) == (job.kept, len(job.assets), len(store.files))
        assert 4 == vendor.count("GET", "/content")


@pytest.mark.asyncio
async def test_pictures_that_go_on_failing_are_done_without(sqlite_database):
    """An hour long; the film is kept from the start."""
    store = Store()
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        vendor.pictures = {"thumbnail": (b"", 503), "spritesheet": (b"", 503)}
        video = await house.done(vendor)
        for seconds, expected in ((6, ArchiveState.WANTED), (PICTURES_S, ArchiveState.YES)):
            await house.poll(seconds)
            assert expected is (await row(house, video)).kept
        assert [vendor.content] == list(store.files.values())


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"application/octet-stream", "video/mp4"),
        (b"video/webm; codecs=vp9", "video/webm"),
        (b"image/svg+xml", "video/mp4"),
    ],
)
async def test_a_kept_film_has_the_type_that_a_passed_one_has(sqlite_database, said, expected):
    """What the upstream says is believed where it is a film's."""
    store = Store()
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        vendor.content_type = said
        await house.done(vendor)
        await house.poll()
        assert [expected] == store.types


@pytest.mark.asyncio
@pytest.mark.parametrize("why", ["large", "gone", "old"])
async def test_what_will_never_be_kept_is_let_go(sqlite_database, why):
    """It is served by its upstream as long as that has it."""
    store = Store(fails=99 if why == "old" else 0)
    limits = {"keep_bytes_max": 50_000} if why == "large" else {}
    async with Films() as vendor, kept(sqlite_database, vendor, store, **limits) as house:
        video = await house.done(vendor)
        if why == "gone":
            vendor.refuse["/content"] = 404
        await house.poll(90_000 if why == "old" else 10)
        job = await row(house, video)
        assert (ArchiveState.WANTED, None, {}) == (job.kept, job.look_at, store.files)


@pytest.mark.asyncio
async def test_a_video_that_is_deleted_meanwhile_is_not_kept(sqlite_database, monkeypatch):
    """Its file goes with it."""
    store = Store()
    async with Films() as vendor, kept(sqlite_database, vendor, store) as house:
        video = await house.done(vendor)
        put = store.put

        async def slowly(*args, **more):
            asset = await put(*args, **more)
            await house.video_services.jobs.forget(await row(house, video))
            return asset

        monkeypatch.setattr(store, "put", slowly)
        await house.poll()
        assert {} == store.files


class Call:
    """A call that counts."""

    def __init__(self):
        self.told = []

    def pause(self):
        self.told.append("pause")

    def resume(self):
        self.told.append("resume")

    def abort(self):
        self.told.append("abort")


@pytest.mark.asyncio
async def test_a_store_that_is_slow_slows_the_vendor():
    """No more than a megabyte waits."""
    pipe = Pipe(10**9).again(None)
    call = Call()
    pipe.attach(call)
    pipe.head(200, [(b"content-type", b"video/mp4; x=1")])
    piece = film(HIGH_BYTES // 2)
    for _ in range(3):
        pipe.data(piece)
    assert ["pause"] == call.told
    assert "video/mp4" == await pipe.begun()
    pieces = pipe.pieces()
    for _ in range(2):
        assert piece == await anext(pieces)
    assert ["pause", "resume"] == call.told
    fetching = asyncio.get_running_loop().create_task(asyncio.sleep(0))
    pipe.done()
    await fetching
    pipe.over(fetching)
    assert [piece] == [each async for each in pieces]


@pytest.mark.asyncio
async def test_a_file_that_breaks_off_is_not_kept():
    """The store is told by an error."""
    pipe = Pipe(10**9).again(None)
    pipe.head(200, [])
    pipe.data(b"abc")
    pipe.broke(Fault(Kind.UPSTREAM_BROKE, "torn"))

    async def fetch():
        await pipe.outcome

    fetching = asyncio.get_running_loop().create_task(fetch())
    await asyncio.wait([fetching])
    pipe.over(fetching)
    assert "video/mp4" == await pipe.begun()
    with pytest.raises(Fault, match="torn"):
        assert [b"abc"] == [each async for each in pipe.pieces()]


@pytest.mark.asyncio
async def test_only_where_the_operator_wants_it(jobs, account):
    """By default nothing is kept."""
    ada = await account()
    job = await jobs.begin(order(ada), hold(ada))
    job = await jobs.born(job, ACCOUNT, SeenVideo(id="u", status=VideoStatus.COMPLETED))
    assert (ArchiveState.NO, None) == (job.kept, job.look_at)
