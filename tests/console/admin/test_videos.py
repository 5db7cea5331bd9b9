"""Everybody's videos, for administrators alone."""

import pytest
import pytest_asyncio

from console.account.test_videos import asked_for
from console.visiting import Seen, user_of, visiting
from trivium.identity.model import UserRole
from trivium.wire.videos.answer import VideoStatus

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def boss(database):
    """An administrator's browser over the videos of two users."""
    async with visiting(database) as visitor:
        visitor.ada = await user_of(visitor.console)
        visitor.bob = await user_of(visitor.console, "bob")
        visitor.key, _ = await visitor.console.identity.create_key("ada", "laptop")
        await asked_for(visitor.console, visitor.ada.id, 0, visitor.key.id)
        await asked_for(visitor.console, visitor.bob.id, 1, 99, status=VideoStatus.FAILED)
        await visitor.log_in(await user_of(visitor.console, "eve", UserRole.ADMIN))
        yield visitor


async def test_each_field_finds_its_own(boss):
    """With whose it is and where it is made; whoever is gone by their number."""
    for query, wanted in (
        ("", ["model-000", "model-001"]),
        ("?user=ada", ["model-000"]),
        (f"?user=%23{boss.bob.id}", ["model-001"]),
        ("?key=laptop", ["model-000"]),
        ("?key=99", ["model-001"]),
        ("?model=model-001", ["model-001"]),
        ("?channel=main", ["model-000", "model-001"]),
        ("?channel=spare", []),
        ("?state=failed", ["model-001"]),
        ("?from=2000-01-01&to=2001-01-01", []),
        ("?before=x", ["model-000", "model-001"]),
    ):
        answer = await boss.get(f"/admin/videos{query}")
        words = Seen(answer.text).words
        assert (200, wanted) == (
            answer.status_code,
            sorted({word for word in words if word.startswith("model-")}),
        ), query
    seen = Seen((await boss.get("/admin/videos")).text)
    assert {"ada", "bob", "laptop", "main"} <= set(seen.words)
    links = [attrs.get("href", "") for _, attrs in seen.elements]
    assert "/admin/requests/req_0" in links


async def test_what_cannot_be_meant_stands_beside_its_field(boss):
    """Nothing is looked for meanwhile."""
    answer = await boss.get("/admin/videos?user=nobody&from=yesterday")
    words = Seen(answer.text).words
    assert 422 == answer.status_code
    assert "Nobody has this name, address or number." in words
    assert "Write a date and time such as 2026-11-28T09:30." in words
    assert not [word for word in words if word.startswith("model-")]
