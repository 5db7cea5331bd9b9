"""Announcements over the API."""

import pytest

PATH = "/api/admin/announcements"

pytestmark = pytest.mark.asyncio


async def test_one_is_made_listed_and_removed(script):
    """From now on unless it says otherwise; asked again, there is none."""
    made = await script.done("POST", PATH, {"text": "We move on Sunday."})
    assert ("info", "shown", None) == (made["level"], made["state"], made["ends_at"])
    later = {"text": "x", "level": "bad", "starts_at": made["starts_at"] + 60}
    second = await script.done("POST", PATH, later)
    assert "waiting" == second["state"]
    found = await script.done("GET", PATH)
    assert [second["id"], made["id"]] == [each["id"] for each in found["announcements"]]
    await script.done("DELETE", f"{PATH}/{made['id']}")
    status, message = await script.refused("DELETE", f"{PATH}/{made['id']}")
    assert (404, "announcement: is not there") == (status, message)


async def test_what_is_wrong_is_named(script):
    """400 with the member."""
    for wrong, member in (
        ({"text": ""}, "text"),
        ({"text": "  "}, "text"),
        ({"text": "x", "level": "loud"}, "level"),
        ({"text": "x", "ends_at": 1}, "ends_at"),
        ({"text": "x", "starts_at": -1}, "starts_at"),
        ({}, "text"),
    ):
        status, message = await script.refused("POST", PATH, wrong)
        assert (400, True) == (status, member in message), (wrong, message)
