"""What differs between two documents, without their credentials."""

import ast
import inspect

import pytest

from console.catalogue.editing import CANARY, CHANNEL, MODEL, editing
from trivium.catalogue import preview as catalogue_preview
from trivium.catalogue.model import CatalogueError, CredentialMark, EntryBody, EntryName, UnfitError
from trivium.console import forms
from trivium.console.catalogue import changing
from trivium.console.catalogue.changing import ChangedMember, differences, flat

MAIN = EntryName("channel", "main")


def mark(at, fingerprint="f", hint="cdef"):
    return CredentialMark(at=at, hint=hint, fingerprint=fingerprint, set_ms=1)


def test_members_that_differ():
    """Tables and lists of tables by their parts, other lists whole."""
    at = EntryName("model", "m")
    before = EntryBody(document={"name": "m", "price": {"input": "1"}, "fallbacks": ["a"]})
    after = EntryBody(document={"name": "m", "bindings": [{"channel": "c", "weight": 2}]})
    assert {
        "price.input": ("1", ""),
        "fallbacks": ('["a"]', ""),
        "bindings.0.channel": ("", "c"),
        "bindings.0.weight": ("", "2"),
    } == {each.member: (each.before, each.after) for each in differences(at, before, after)}
    group = EntryName("group", "g")
    assert [ChangedMember(member="factor", before="0.8", after="0.7")] == differences(
        group, EntryBody(document="0.8"), EntryBody(document="0.7")
    )


def test_credentials_are_told_by_their_end():
    """The same characters of another credential differ all the same; nothing is told of it."""
    keys = ["sealed:channels/main/api_keys/0", "env:KEY", CANARY]
    body = EntryBody(
        document={"api_keys": keys, "headers": {"x-a": "sealed:channels/main/headers/x-a"}},
        marks=(mark("api_keys/0"), mark("headers/x-a", hint="")),
    )
    shown = {name: said for name, (said, _) in flat(MAIN, body).items()}
    assert {
        "api_keys.0": "…cdef",
        "api_keys.1": "env:KEY",
        "api_keys.2": "…6789",
        "headers.x-a": "…",
    } == shown
    one, other = (
        EntryBody(document={"api_key": "sealed:x"}, marks=(mark("api_key", each),))
        for each in ("1", "2")
    )
    assert [ChangedMember(member="api_key", before="…cdef", after="…cdef")] == differences(
        MAIN, one, other
    )
    assert [] == differences(MAIN, one, one)


@pytest.mark.parametrize(
    ("read", "theirs", "mine", "both"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, {"a": 3}, {"a": 3, "b": 2}),
        ({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1}),
        ({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 5}, {"b": 5}),
        ({"p": {"x": "1", "y": "1"}}, {"p": {"x": "2", "y": "1"}}, {"p": {"x": "1", "y": "3"}},
         {"p": {"x": "2", "y": "3"}}),
        ({"l": [1]}, {"l": [1, 2]}, {"l": [1]}, {"l": [1, 2]}),
        ({}, {"t": {"x": 1}}, {"t": {"y": 1}}, {"t": {"y": 1}}),
        ("0.5", "0.6", "0.5", "0.6"),
        ("0.5", "0.6", "0.7", "0.7"),
    ],
)  # fmt: skip
def test_what_two_have_changed(read, theirs, mine, both):
    """Mine where I have changed something, else theirs."""
    assert both == changing.merged(read, theirs, mine)


def test_reasons_have_their_words():
    """All that there are, in every language."""
    source = inspect.getsource(catalogue_preview._why)
    said = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    assert {each for each in said if each} - {catalogue_preview._why.__doc__} == set(changing.WHY)


def test_long_values_are_cut():
    """A page is for people."""
    body = EntryBody(document={"title": "x" * 9_000})
    assert changing.CHARS_MAX + 1 == len(flat(EntryName("model", "m"), body)["title"][0])


def test_what_is_wrong_goes_where_it_belongs():
    """Members without a field above the form, by their name."""
    form = forms.empty(forms.Form)
    lines = ['database: channels["main"].api_key is missing', "database: elsewhere"]
    changing.refuse(form, UnfitError(*lines, 'database: channels["main"].odd is odd'), MAIN)
    assert {"api_key", "", "odd"} == set(form.errors)
    above = [said.values["words"] for said in changing.unplaced(form, {"api_key"})]
    assert ["database: elsewhere", "odd is odd"] == above
    form = forms.empty(forms.Form)
    changing.refuse(form, CatalogueError("100% wrong"), MAIN)
    assert {"words": "100% wrong"} == form.errors[""].values


@pytest.mark.asyncio
async def test_a_preview_tells_plans_and_lost_requests(database):
    """Of the models that are concerned."""
    async with editing(database) as editor:
        await editor.put("channel", "main", CHANNEL)
        await editor.put("model", "m", MODEL)
        page = await editor.get("/admin/catalogue/ask?act=delete&kind=model&name=m")
        assert "Every request of the last hour would be served as it was." in page.text
        assert "gone" in page.text
