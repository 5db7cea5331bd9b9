"""The history of the catalogue: before and after, by whom, with its undo."""

import pytest

from console.catalogue.editing import CHANNEL, MODEL, editing
from console.visiting import Seen
from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.console.catalogue import changes

pytestmark = pytest.mark.asyncio
PATH = "/admin/changes"


async def test_changes_with_before_and_after(database):
    """Newest first, and no credential."""
    async with editing(database) as editor:
        assert "Nothing was changed yet" in (await editor.get(PATH)).text
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "m", MODEL)
        await editor.put("model", "m", MODEL | {"title": "Wise"})
        page = await editor.get(PATH)
        said = Seen(page.text).text
        assert "canary" not in page.text
        assert "eve" in said
        assert said.index("Wise") < said.index("1.25") < said.index("…6789")
        assert 3 == page.text.count("act=undo")
        [undone, *_] = await editor.console.catalogue.changes()
        await editor.console.catalogue.undo(undone.id, ChangeAuthor(name="machine"))
        said = Seen((await editor.get(PATH)).text).text
        assert all(words in said for words in ("undone by 4", "undoes 3", "machine"))
        of_one = Seen((await editor.get(f"{PATH}?kind=channel&name=main")).text).text
        assert ("…6789" in of_one, "Wise" in of_one) == (True, False)
        for wrong in ("kind=x", "before=x", f"before={'9' * 30}"):
            assert 404 == (await editor.visitor.get(f"{PATH}?{wrong}")).status_code


async def test_a_page_is_bounded(database):
    """In changes, in entries of a change, in members of an entry."""
    async with editing(database) as editor:
        headers = {f"x-{n}": f"value-{n}" for n in range(200)}
        edits = [
            EntryEdit(
                at=EntryName("channel", f"c{n}"),
                document={"provider": "ollama", "headers": headers},
            )
            for n in range(50)
        ]
        await editor.console.catalogue.change(edits, ChangeAuthor(), together=True)
        for n in range(changes.PAGE + 1):
            await editor.put("group", f"g{n}", "0.5")
        text = (await editor.get(PATH)).text
        assert changes.PAGE == text.count("act=undo")
        last = (await editor.get(f"{PATH}?before=3")).text
        assert "and 30 more entries" in Seen(last).text
        assert "and 141 more members" in Seen(last).text
        assert "at the machine" in Seen(last).text
