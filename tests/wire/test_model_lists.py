"""Lists of models of all vendors come down to names and entries; what is none is refused."""

import msgspec
import pytest

from trivium.wire.model_lists import OBJECTS_MAX, ModelListError, read_page

ENTRY = {"object": "model", "created": 1, "owned_by": "v"}


def page(document):
    return read_page(msgspec.json.encode(document))


@pytest.mark.parametrize(
    ("document", "names", "more"),
    [
        ({"object": "list", "data": [ENTRY | {"id": "a"}, {"id": "b/c"}]}, ["a", "b/c"], None),
        ([{"id": "a"}], ["a"], None),
        (
            {"data": [{"id": "a", "type": "model"}], "has_more": True, "last_id": "a b"},
            ["a"],
            "limit=1000&after_id=a+b",
        ),
        ({"data": [], "has_more": False, "last_id": "a"}, [], None),
        (
            {"models": [{"name": "models/g-1"}], "nextPageToken": "t&"},
            ["g-1"],
            "pageSize=1000&pageToken=t%26",
        ),
        (
            {"models": [{"name": "command-a"}], "next_page_token": "t"},
            ["command-a"],
            "page_size=1000&page_token=t",
        ),
    ],
)
def test_each_vendor_lists_in_its_own_way(document, names, more):
    found = page(document)
    assert (names, 0, more) == ([each.name for each in found.entries], found.unread, found.more)


def test_an_entry_that_is_none_costs_only_itself():
    """Whatever it is instead; a number that no float can hold in one does not lose the others."""
    bad = [b"1", b"null", b"{}", b'{"id":7}', b'{"id":""}', b'{"id":"a\\nb"}', b'{"id":1e999}']
    bad += [b'{"id":"%b"}' % (b"x" * 201), b"[" * 100 + b"]" * 100]
    found = read_page(b'{"data":[' + b",".join([*bad, b'{"id":"a","pricing":1e999}']) + b"]}")
    assert (["a"], len(bad)) == ([each.name for each in found.entries], found.unread)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"null", b"7", b"{}", b'{"data":7}', b'{"data":{}}', b"[", b'{"data":[1',
        b"\xff", b"[" * 100_000, b'{"data":null,"models":null}',
    ],
)  # fmt: skip
def test_what_is_no_list_is_refused(body):
    with pytest.raises(ModelListError):
        read_page(body)


def test_a_crowd_is_refused_before_anything_is_made_of_it():
    with pytest.raises(ModelListError, match="more than 200,000 objects"):
        read_page(b'{"data":[' + b",".join([b"{}"] * (OBJECTS_MAX + 2)) + b"]}")


@pytest.mark.parametrize("cursor", [7, None, [], "", "x" * 2_001])
def test_a_cursor_that_is_none_ends_the_list(cursor):
    assert page({"data": [], "has_more": True, "last_id": cursor}).more is None
    assert page({"models": [], "nextPageToken": cursor}).more is None
