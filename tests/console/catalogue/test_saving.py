"""Where a form goes on once it is saved."""

import pytest

from console.catalogue.editing import CANARY, editing
from trivium.console.catalogue import saving

NEW = "/admin/channels/new?provider=openai"


def test_nobody_is_sent_elsewhere():
    """Only to the first steps."""
    assert ["start", "", "", ""] == [
        saving.onward(said) for said in ("start", "", "https://elsewhere.example", "//e")
    ]


@pytest.mark.asyncio
async def test_first_steps_go_on_from_a_form(database):
    """Others come back to their list."""
    async with editing(database) as editor:
        form = await editor.filled(f"{NEW}&next=start", name="main", keys=CANARY)
        assert "start" == form["next"]
        answer = await editor.send("/admin/channels/new", **form)
        assert saving.START == answer.headers["location"]
        other = await editor.filled(NEW, name="other", keys=CANARY)
        answer = await editor.send("/admin/channels/new", **other)
        assert "/admin/channels" == answer.headers["location"]
