"""Edits and variations: fields, files and references, and their rules."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.form import FormMembers
from trivium.wire.images.edit import (
    MASK_BYTES_MAX,
    check_pictures,
    inline,
    parts,
    references,
    wish_of,
)
from trivium.wire.images.rules import RULES, ImageClass
from trivium.wire.multipart import Part
from trivium.wire.operation import Operation
from trivium.wire.peek import members

EDIT, VARY = Operation.IMAGES_EDIT, Operation.IMAGES_VARY
A, G = RULES[ImageClass.LEGACY_A], RULES[ImageClass.GPT]
DATA = "data:image/png;base64,QUJD"


def field(name, value):
    return Part(name=name, value=value.encode())


def file(name="image", size=100):
    return Part(name=name, filename="a.png", content_type="image/png", size=size)


def form(*given):
    return FormMembers(given)


def json(**values):
    return members(msgspec.json.encode(values))


def refusal(body, operation=EDIT, rules=G):
    """The fault, or ``None``."""
    try:
        check_pictures(body, operation, rules, "`m`")
    except Fault as fault:
        return fault
    return None


def test_a_form_and_json_ask_the_same():
    """Texts become what they mean."""
    asked = form(field("prompt", "A hat."), field("n", "2"), field("stream", "true"), file())
    assert wish_of(json(prompt="A hat.", n=2, stream=True), EDIT) == wish_of(asked, EDIT)


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ([field("prompt", "x"), field("n", "many")], "n"),
        ([field("prompt", "x"), field("size[]", "a"), field("size[]", "b")], "size"),
        ([field("prompt", "x"), field("prompt", "y")], "prompt"),
        ([file()], "prompt"),
    ],
)
def test_a_field_that_is_wrong_is_named(given, param):
    """Twice, a list, no number, missing."""
    with pytest.raises(Fault) as told:
        wish_of(form(*given), EDIT)
    assert param == told.value.param


def test_a_variation_has_no_prompt_and_is_a_form():
    """There is nothing else that could hold its picture."""
    assert wish_of(form(file()), VARY).prompt is None
    with pytest.raises(Fault) as told:
        wish_of(json(image="x"), VARY)
    assert Kind.MEDIA_TYPE is told.value.kind


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ([file()], None),
        ([file("image[]"), file("image[]"), file("image[]")], G),
        ([file("image"), file("image")], G),
        ([file("image[]")] * 16, G),
        ([file(), file("mask")], G),
        ([file(size=50_000_000)], G),
        ([file(size=4_000_000)], A),
        ([file(size=60_000_000)], None),
    ],
)
def test_pictures_within_the_limits_are_taken(given, rules):
    """One or several, bracketed or not, with a mask."""
    assert refusal(form(*given), rules=rules) is None


@pytest.mark.parametrize(
    ("given", "rules", "param", "status"),
    [
        ([], G, "image", 400),
        ([field("image", "text")], G, "image", 400),
        ([file("image[]")] * 17, G, "image", 400),
        ([file("image[]")] * 17, None, "image", 400),
        ([file("image[]")] * 2, A, "image", 400),
        ([file(size=0)], G, "image", 400),
        ([file(size=50_000_001)], G, "image", 413),
        ([file(size=4_000_001)], A, "image", 413),
        ([file(), file("mask"), file("mask")], G, "mask", 400),
        ([file(), file("mask", MASK_BYTES_MAX + 1)], G, "mask", 413),
        ([file(), file("mask", 0)], G, "mask", 400),
    ],
)
def test_pictures_beyond_the_limits_are_named(given, rules, param, status):
    """By their field."""
    fault = refusal(form(*given), rules=rules)
    assert (param, status) == (fault.param, fault.status)


def test_a_variation_is_of_one_picture():
    """Two are a mistake."""
    assert refusal(form(file()), VARY, A) is None
    assert "image" == refusal(form(file(), file()), VARY, A).param


@pytest.mark.parametrize(
    ("images", "param"),
    [
        (None, "images"),
        ([], "images"),
        ("x", "images"),
        ([{}], "images[0]"),
        ([{"image_url": DATA}, {"image_url": 7}], "images[1]"),
        ([{"image_url": DATA, "file_id": "f"}], "images[0]"),
        ([{"image_url": DATA}] * 17, "images"),
        ([{"image_url": "file:///etc/passwd"}], "images[0].image_url"),
        ([{"image_url": DATA}, {"image_url": "gopher://x"}], "images[1].image_url"),
        ([{"image_url": "data:text/html;base64,QUJD"}], "images[0].image_url"),
    ],
)
def test_references_that_are_wrong_are_named(images, param):
    """With their place."""
    assert param == refusal(json(prompt="x", images=images)).param


@pytest.mark.parametrize(
    ("mask", "param"),
    [("x", "mask"), ({}, "mask"), ({"image_url": "file:///etc/passwd"}, "mask.image_url")],
)
def test_a_mask_is_named_as_pictures_are(mask, param):
    """In JSON it is one of them."""
    assert param == refusal(json(prompt="x", images=[{"image_url": DATA}], mask=mask)).param
    assert refusal(json(prompt="x", images=[{"image_url": DATA}], mask={"image_url": DATA})) is None
    assert refusal(json(prompt="x", images=[{"image_url": DATA}], mask=None)) is None


def test_references_are_for_gpt_image_models():
    """The legacy ones take files."""
    body = json(prompt="x", images=[{"image_url": DATA}, {"file_id": "f"}])
    assert refusal(body) is None
    assert refusal(body, rules=None) is None
    assert Kind.UNREPRESENTABLE is refusal(body, rules=A).kind
    assert [("images[0].image_url", "image_url", DATA), ("images[1].file_id", "file_id", "f")] == (
        references(body)
    )


def test_only_what_is_in_the_body_can_go_inline():
    """An address or an id means nothing to another vendor."""
    (source,) = inline(json(images=[{"image_url": DATA}]))
    assert ("image/png", "QUJD") == (source.mime, source.base64)
    for row in ({"image_url": "https://example.org/a.png"}, {"file_id": "f"}):
        with pytest.raises(Fault) as told:
            inline(json(images=[row]))
        assert told.value.param.startswith("images[0].")


def test_every_part_goes_on_as_it_came():
    """But the model's name, and what is left out."""
    given = [field("model", "ours"), file("image[]"), field("size", "auto"), file("mask"),
             field("other[x]", "1"), file("image[]")]  # fmt: skip
    found = parts(form(*given), "theirs", frozenset({"size"}))
    assert ["model", "image[]", "mask", "other[x]", "image[]"] == [part.name for part in found]
    assert b"theirs" == found[0].value
    assert given[1] is found[1]


def test_a_model_that_is_left_out_is_put_in():
    """The upstream has its own default."""
    assert [b"theirs", b""] == [part.value for part in parts(form(file()), "theirs", frozenset())]
