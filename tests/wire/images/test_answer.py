"""Whole images answers."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.images.answer import answer, pictures, used, view, with_urls
from trivium.wire.passage import RequestFacts

BODY = b'{"created":1,"data":[{"b64_json":"QUI="},{"b64_json":"Q0Q="}],"usage":{"input_tokens":3,"output_tokens":9},"size":"1024x1024","extra":[1]}'
ASKED = RequestFacts(model="m", size="512x512", quality="high")


def test_usage_is_tokens_and_pictures():
    """What the vendor leaves out is as asked for."""
    found = used(view(BODY), ASKED)
    assert (3, 9, 2) == (found.fresh, found.image_output, found.images[0].count)
    assert ("1024x1024", "high") == (found.images[0].size, found.images[0].quality)
    assert found.images[0].count == answer(BODY).usage.images[0].count


def test_a_vendor_that_tells_no_tokens_has_made_pictures_all_the_same():
    """They are billed by the piece."""
    found = used(view(b'{"created":1,"data":[{"url":"https://x"}]}'), ASKED)
    assert (0, 1, "512x512") == (found.output_total, found.images[0].count, found.images[0].size)


def test_an_error_in_a_good_answer_is_told():
    """It is not relayed as a success."""
    assert b'{"message":"no"}' == answer(b'{"error":{"message":"no"}}').error


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"[]", b'{"data":"x"}', b'{"data":null}'])
def test_anything_else_is_broken(body):
    """A web page, half a document."""
    with pytest.raises(Fault):
        answer(body)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{}],
        [{"b64_json": None}, {"url": None}],
        [{"b64_json": "", "url": ""}],
        [{"b64_json": 7}],
        [{"revised_prompt": "A cat."}],
    ],
)
def test_an_answer_without_a_picture_is_none(rows):
    """Whoever takes the first picture, as every client does, would fall over it."""
    with pytest.raises(Fault, match="without a picture") as caught:
        answer(msgspec.json.encode({"created": 1, "data": rows, "usage": {"input_tokens": 3}}))
    assert (Kind.UPSTREAM_BROKE, True) == (caught.value.kind, caught.value.row.fallback)


def test_only_pictures_that_came_are_counted():
    """A row without one is not paid for."""
    body = b'{"data":[{"b64_json":"QUI="},{"b64_json":""},{"url":"https://x"},{}]}'
    assert 2 == used(view(body), ASKED).images[0].count


def test_bytes_give_way_to_addresses():
    """Everything else stays; what came by address keeps its own."""
    body = b'{"created":1,"data":[{"b64_json":"QUI=","revised_prompt":"x"},{"url":"https://v"}],"k":[1,2]}'
    assert [b"QUI=", b""] == pictures(view(body))
    assert {
        "created": 1,
        "data": [{"revised_prompt": "x", "url": "https://us"}, {"url": "https://v"}],
        "k": [1, 2],
    } == msgspec.json.decode(with_urls(body, ["https://us", ""]))


def test_a_picture_that_is_no_text_is_broken():
    """Nothing else can be kept."""
    with pytest.raises(Fault):
        pictures(view(b'{"data":[{"b64_json":7}]}'))
