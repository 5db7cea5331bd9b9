"""The input of a stored response, page by page."""

import msgspec
import pytest

from trivium.faults import Fault
from trivium.response_store.model import StoredResponse
from trivium.response_store.page import input_items

ROWS = tuple(b'{"id":"msg_%d","role":"user","content":"x"}' % n for n in range(5))


def page(rows=ROWS, **query):
    kept = StoredResponse(
        user_id=3, id="resp_1", key_id=7, model="m", channel="c", status="completed",
        created_at=1, expires_at=2, response=b"{}", input=rows,
    )  # fmt: skip
    return msgspec.json.decode(input_items(kept, query))


@pytest.mark.parametrize(
    ("query", "numbers", "more"),
    [
        ({}, [4, 3, 2, 1, 0], False),
        ({"order": "asc"}, [0, 1, 2, 3, 4], False),
        ({"order": "asc", "limit": "2"}, [0, 1], True),
        ({"order": "asc", "limit": "2", "after": "msg_1"}, [2, 3], True),
        ({"limit": "2", "after": "msg_2"}, [1, 0], False),
        ({"after": "msg_0"}, [], False),
    ],
)
def test_a_page_has_its_items_in_order(query, numbers, more):
    """Newest first unless asked otherwise, from after the cursor, no more than wanted."""
    found = page(**query)
    names = [f"msg_{n}" for n in numbers]
    assert names == [item["id"] for item in found["data"]]
    assert more is found["has_more"]
    ends = (names[0], names[-1]) if names else (None, None)
    assert ends == (found["first_id"], found["last_id"])


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "00000000199999999"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"order": "random"}, "order"),
        ({"order": ""}, "order"),
        ({"after": "msg_9"}, "after"),
    ],
)
def test_a_wrong_parameter_is_named(query, name):
    """With what would be right."""
    with pytest.raises(Fault, match=name) as caught:
        page(**query)
    assert name == caught.value.param


def test_twenty_are_shown_unless_told():
    """The vendor's default."""
    found = page(tuple(b'{"id":"m%d","role":"user","content":"x"}' % n for n in range(30)))
    assert (20, True) == (len(found["data"]), found["has_more"])
