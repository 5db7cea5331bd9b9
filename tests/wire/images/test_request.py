"""What an images request asks for, from JSON and from a form."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.images.request import of_fields, read
from trivium.wire.peek import members


def asked(**values):
    return read(members(msgspec.json.encode(values)))


def test_json_and_form_say_the_same():
    """Whatever the way in."""
    form = {"prompt": "A cat.", "model": "m", "n": "2", "stream": "true", "partial_images": "1",
            "size": "1024x1024", "quality": "high", "output_compression": "7", "user": "u",
            "background": "", "other": "x"}  # fmt: skip
    json = {"prompt": "A cat.", "model": "m", "n": 2, "stream": True, "partial_images": 1,
            "size": "1024x1024", "quality": "high", "output_compression": 7, "user": "u",
            "background": None, "other": "x"}  # fmt: skip
    assert asked(**json) == of_fields(form)


@pytest.mark.parametrize(
    ("form", "param"),
    [({"n": "two"}, "n"), ({"n": "1e3"}, "n"), ({"stream": "1"}, "stream"), ({"n": "11"}, "n"),
     ({"quality": "best"}, "quality"), ({"n": "9" * 30}, "n"), ({"n": "--5"}, "n"), ({"n": "\u0663"}, "n"),
     ({"output_compression": "-"}, "output_compression")],
)  # fmt: skip
def test_a_field_that_is_wrong_is_named(form, param):
    """As in JSON."""
    with pytest.raises(Fault) as told:
        of_fields({"prompt": "x"} | form)
    assert param == told.value.param


def test_a_prompt_is_required():
    """Of all but variations."""
    with pytest.raises(Fault) as told:
        asked(model="m")
    assert (Kind.MISSING_MEMBER, "prompt") == (told.value.kind, told.value.param)
    assert of_fields({"model": "m"}, prompt=False).prompt is None


def test_a_model_is_not_empty():
    """Left out it is the default; empty it is a mistake."""
    assert asked(prompt="x").model is None
    with pytest.raises(Fault):
        asked(prompt="x", model="")


@pytest.mark.parametrize(
    ("values", "gpt"),
    [
        ({}, False),
        ({"quality": "auto", "n": 2, "size": "512x512", "style": "vivid"}, False),
        ({"quality": "hd"}, False),
        ({"response_format": "b64_json"}, False),
        ({"stream": False}, False),
        ({"output_format": None, "background": None}, False),
        ({"output_format": "png"}, True),
        ({"output_compression": 0}, True),
        ({"stream": True}, True),
        ({"partial_images": 0}, True),
        ({"moderation": "auto"}, True),
        ({"background": "auto"}, True),
        ({"quality": "low"}, True),
        ({"quality": "high"}, True),
    ],
)
def test_some_members_mean_a_gpt_image_model(values, gpt):
    """Their presence moves the default model; null is no presence."""
    assert gpt is asked(prompt="x", **values).is_for_gpt


def test_the_facts_leave_auto_open():
    """Size and quality are known where they are said."""
    facts = asked(prompt="x", model="m", n=3, size="auto", quality="high", stream=True).facts()
    assert ("m", 3, "", "high", True) == (
        facts.model, facts.choices, facts.size, facts.quality, facts.stream,
    )  # fmt: skip


def test_words_of_its_own_can_be_allowed():
    """For a model whose operator says so."""
    body = members(b'{"prompt":"x","quality":"best"}')
    assert "best" == read(body, words=False).quality
    with pytest.raises(Fault):
        read(body)
