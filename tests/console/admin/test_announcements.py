"""An administrator announces something; everybody sees it until they dismiss it."""

import pytest

from console.visiting import Seen, console_over, user_of, visiting
from trivium.identity.model import UserRole


@pytest.mark.asyncio
async def test_what_is_announced_is_seen_and_dismissed(database, clock):
    """On every page, in both languages of the frame; whoever dismissed it comes back there."""
    console = console_over(database, clock)
    eve, ada = await user_of(console, "eve", UserRole.ADMIN), await user_of(console)
    async with visiting(database, console) as boss, visiting(database, console) as user:
        await boss.log_in(eve)
        await user.log_in(ada)
        await boss.get("/admin/announcements")
        made = await boss.post("/admin/announcements", text="We <move> on Sunday", level="warn")
        assert 303 == made.status_code
        assert "We &lt;move&gt; on Sunday" in (await boss.get("/admin/announcements")).text
        clock.advance(10)
        page = await user.get("/account/keys")
        assert "We &lt;move&gt; on Sunday" in page.text
        await console.accounts.prefer(ada.id, language="zh-Hans")
        page = await user.get("/account/keys")
        assert "We &lt;move&gt; on Sunday" in page.text
        assert "Dismiss" not in page.text
        fields = {
            of["name"]: of["value"]
            for name, of in Seen(page.text).elements
            if of.get("name") in ("announcement", "place")
        }
        done = await user.post("/account/announcements/dismiss", **fields)
        assert (303, "/account/keys") == (done.status_code, done.headers["location"])
        assert "Sunday" not in (await user.get("/account/profile")).text
        assert "Sunday" in (await boss.get("/account/profile")).text
        await boss.post("/admin/announcements/remove", announcement=fields["announcement"])
        page = await boss.get("/admin/announcements")
        assert "Nothing was announced" in page.text
        await boss.post("/admin/announcements/remove", announcement=fields["announcement"])
        assert "no such announcement" in (await boss.get("/admin/announcements")).text


@pytest.mark.asyncio
async def test_what_is_wrong_stands_beside_its_field(database, clock):
    """Days that are over, an empty text, a level that is none."""
    console = console_over(database, clock)
    eve = await user_of(console, "eve", UserRole.ADMIN)
    async with visiting(database, console) as boss:
        await boss.log_in(eve)
        await boss.get("/admin/announcements")
        for wrong, said in (
            ({"text": ""}, "fill in this field"),
            ({"level": "loud"}, "one of what is offered"),
            ({"until": "2001-01-01"}, "must end after it begins"),
            ({"since": "soon"}, "such as 2027-01-31"),
        ):
            answer = await boss.post("/admin/announcements", **{"text": "x", **wrong})
            assert 422 == answer.status_code, wrong
            assert said in answer.text, wrong
        assert [] == await console.announcements.all()
