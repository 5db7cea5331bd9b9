"""The audit log over the API."""

import pytest

from console.api.admin.calling import USERS

PATH = "/api/admin/acts"

pytestmark = pytest.mark.asyncio


async def test_acts_are_found(script):
    """Newest first, by kind, by whom or on whom, in pages."""
    for disabled in (True, False):
        await script.done("PATCH", f"{USERS}/{script.ada.id}", {"disabled": disabled})

    async def kinds(query=""):
        found = await script.done("GET", f"{PATH}{query}")
        return [act["act"] for act in found["acts"]], found["before"]

    assert ["user_enabled", "user_disabled"] == (await kinds())[0][:2]
    assert (["user_disabled"], None) == await kinds("?act=user_disabled")
    assert (["user_disabled"], None) == await kinds(f"?act=user_disabled&user={script.ada.id}")
    assert (["user_disabled"], None) == await kinds(f"?act=user_disabled&user={script.root.id}")
    assert ([], None) == await kinds("?act=user_disabled&user=9999")
    first, before = await kinds("?limit=1")
    assert (["user_enabled"], "user_disabled") == (
        first, (await kinds(f"?limit=1&before={before}"))[0][0],
    )  # fmt: skip
    (act,) = (await script.done("GET", f"{PATH}?act=user_disabled"))["acts"]
    assert (script.root.id, script.ada.id, "198.51.100.7") == (
        act["actor_id"], act["subject_id"], act["address"],
    )  # fmt: skip
    assert isinstance(act["detail"], dict)


async def test_a_kind_that_there_is_not_is_named(script):
    """400."""
    status, message = await script.refused("GET", f"{PATH}?act=party")
    assert (400, True) == (status, message.startswith("act: must be one of login, "))
