"""Moderations on the pass-through lane."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.moderations.passage import MODEL, PASSAGE, answer, facts
from trivium.wire.peek import members


def test_a_request_without_a_model_means_the_protocols_own():
    """And the channel is told so, or its own name for it."""
    body = members(b'{"input":"x"}')
    assert MODEL == facts(body).model
    assert {"model": b'"own"'} == PASSAGE.changes(body, facts(body), "own", False)
    assert {"model": f'"{MODEL}"'.encode()} == PASSAGE.changes(body, facts(body), MODEL, False)


def test_a_named_model_is_that_one():
    """Texts, lists and parts alike."""
    body = members(b'{"model":"m","input":[{"type":"text","text":"x"}]}')
    assert ("m", {}) == (facts(body).model, PASSAGE.changes(body, facts(body), "m", False))


def test_input_is_required():
    """By name."""
    with pytest.raises(Fault) as caught:
        facts(members(b'{"model":"m"}'))
    assert "input" == caught.value.param


TEXT = {"type": "text", "text": "x"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}


def asked(value):
    return facts(members(msgspec.json.encode({"input": value})))


@pytest.mark.parametrize(
    "value",
    ["x", "", ["x"], ["x", "y"], [TEXT], [IMAGE], [TEXT, IMAGE, TEXT], [TEXT | {"more": 1}],
     [{"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}]],
)  # fmt: skip
def test_texts_and_pictures_are_taken(value):
    """One text, several, or parts."""
    assert MODEL == asked(value).model


@pytest.mark.parametrize(
    ("value", "param", "kind"),
    [
        (7, "input", Kind.INVALID_TYPE),
        ({"type": "text", "text": "x"}, "input", Kind.INVALID_TYPE),
        ([], "input", Kind.INVALID_VALUE),
        ([1, 2], "input[0]", Kind.INVALID_VALUE),
        (["x", TEXT], "input[1]", Kind.INVALID_VALUE),
        ([TEXT, "x"], "input[1]", Kind.INVALID_VALUE),
        ([{"text": "x"}], "input[0].type", Kind.MISSING_MEMBER),
        ([{"type": "audio"}], "input[0].type", Kind.INVALID_VALUE),
        ([TEXT, {"type": "text"}], "input[1].text", Kind.MISSING_MEMBER),
        ([{"type": "text", "text": 7}], "input[0].text", Kind.INVALID_TYPE),
        ([{"type": "image_url"}], "input[0].image_url.url", Kind.MISSING_MEMBER),
        ([{"type": "image_url", "image_url": {}}], "input[0].image_url.url", Kind.MISSING_MEMBER),
        ([{"type": "image_url", "image_url": "u"}], "input[0].image_url", Kind.INVALID_TYPE),
    ],
)
def test_what_cannot_be_classified_is_named(value, param, kind):
    """With what would be right."""
    with pytest.raises(Fault) as caught:
        asked(value)
    assert (param, kind) == (caught.value.param, caught.value.kind)
    assert f"`{param}`" in caught.value.message


def test_it_has_no_usage_and_no_error(recorded):
    """The vendor reports none."""
    found = answer(recorded("moderations", "text.json"))
    assert (None, None) == (found.usage, found.error)


@pytest.mark.parametrize(
    "results",
    [b"[]", b"[{}]", b'[{"flagged":null}]', b'[{"flagged":true},{"flagged":"no"}]', b"[1]"],
)
def test_an_answer_without_a_verdict_is_none(results):
    """It would be taken for a clean bill."""
    with pytest.raises(Fault) as caught:
        answer(b'{"id":"m","model":"x","results":%b}' % results)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_is_told_as_one():
    """Whatever else is there."""
    assert b'{"message":"x"}' == answer(b'{"error":{"message":"x"},"results":[]}').error
