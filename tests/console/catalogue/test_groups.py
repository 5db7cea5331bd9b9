"""Price groups in the browser."""

import pytest

from console.catalogue.editing import FILE, editing, fields
from console.visiting import Seen
from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.console.catalogue import groups

pytestmark = pytest.mark.asyncio
EDIT = "/admin/groups/edit?name=half"


async def test_groups_are_made_edited_and_deleted(database, tmp_path):
    """Beside those of the file."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        form = await editor.filled(groups.NEW, name="half", factor="1/2")
        tried = await editor.send(groups.NEW, 200, **form | {"act": "try"})
        assert "1/2" in Seen(tried.text).text
        await editor.send(groups.NEW, **form)
        text = (await editor.get(groups.LIST)).text
        assert "half 1/2 database" in Seen(text).text
        assert "trivium.toml:3" in text or "trivium.toml:4" in text
        assert "name=students" not in text
        await editor.send(EDIT, **await editor.filled(EDIT, factor="0.4"))
        assert "0.4" == await editor.document("group", "half")
        ask = "/admin/catalogue/ask?act=delete&kind=group&name=half"
        await editor.send("/admin/catalogue/ask", **fields(await editor.get(ask)))
        assert await editor.document("group", "half") is None
        assert 404 == (await editor.visitor.get(EDIT)).status_code
        assert 404 == (await editor.visitor.get("/admin/groups/edit?name=students")).status_code


async def test_what_is_wrong_stands_beside_its_field(database, tmp_path):
    """A factor that is none, a name that is none, a name that the file has."""
    async with editing(database, file=FILE, folder=tmp_path) as editor:
        form = await editor.filled(groups.NEW, name="g", factor="cheap")
        for sent, field in (
            (form, "factor"),
            (form | {"name": "a b", "factor": "1"}, "name"),
            (form | {"name": "students", "factor": "1"}, "factor"),
            (form | {"factor": ""}, "factor"),
        ):
            answer = await editor.send(groups.NEW, 422, **sent)
            assert f'id="{field}-error"' in answer.text, sent


async def test_of_two_who_edit_the_second_is_told(database):
    """Also when it is gone."""
    async with editing(database) as editor:
        assert "No price groups" in (await editor.get(groups.LIST)).text
        await editor.put("group", "half", "0.5")
        form = await editor.filled(EDIT, factor="0.6")
        await editor.put("group", "half", "0.7")
        told = await editor.send(EDIT, 409, **form)
        assert "0.7 0.6" in Seen(told.text).text
        await editor.send(EDIT, **fields(told))
        assert "0.6" == await editor.document("group", "half")
        form = await editor.filled(EDIT, factor="0.9")
        await editor.put("group", "half", None)
        await editor.send(groups.NEW, **fields(await editor.send(EDIT, 409, **form)))
        assert "0.9" == await editor.document("group", "half")


async def test_groups_are_paged(database):
    """There may be as many as there are customers."""
    async with editing(database) as editor:
        edits = [EntryEdit(at=EntryName("group", f"g{n:04}"), document="1") for n in range(500)]
        await editor.console.catalogue.change(edits, ChangeAuthor(), together=True)
        text = (await editor.get(f"{groups.LIST}?from=100")).text
        assert ("g0100" in text, "g0200" in text) == (True, False)
