"""Another version of a video is asked of the account that made the first."""

import pytest

from video_gateway import DOLLAR, SECOND, form, settings_for

KEY = "sk-vendor-0123456789abcdef"


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
async def test_a_remix_tells_of_its_accounts_health(house, vendor):
    """As an order does: it opens what others find open, and closes it."""
    source = await house.done(vendor)
    path = f"/v1/videos/{source['id']}/remix"
    vendor.refuse["/remix"] = 429
    for _ in range(5):
        await house.ask("POST", path, {"prompt": "red"})
    assert {} != house.services.health.open()
