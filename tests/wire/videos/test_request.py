"""A request for a video, in JSON and in every spelling of a form."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.multipart import Part
from trivium.wire.videos.request import (
    PROMPT_MAX,
    URL_MAX,
    Reference,
    VideoRequest,
    model_of,
    read,
    read_form,
    read_remix,
    read_remix_form,
)

URL = "https://example.com/cat.png"
FILE = Part(name="input_reference", filename="cat.png", content_type="image/png", size=9)
DEFAULTS = VideoRequest(model="sora-2", prompt="a cat", seconds=4, size="720x1280")


def in_json(**members):
    return read(peek.members(msgspec.json.encode(members)))


def fields(*pairs):
    return [Part(name=name, value=value.encode()) for name, value in pairs]


def changed(**changes):
    return msgspec.structs.replace(DEFAULTS, **changes)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"prompt": "a cat"}, DEFAULTS),
        (
            {"prompt": "a cat", "model": None, "seconds": None, "size": None,
             "input_reference": None, "user": None},
            DEFAULTS,
        ),
        ({"prompt": "a cat", "model": "m"}, changed(model="m")),
        ({"prompt": "a cat", "seconds": "12"}, changed(seconds=12)),
        ({"prompt": "a cat", "seconds": 8}, changed(seconds=8)),
        ({"prompt": "a cat", "seconds": 8.0}, changed(seconds=8)),
        ({"prompt": "a cat", "size": "1792x1024"}, changed(size="1792x1024")),
        ({"prompt": "ü" * PROMPT_MAX}, changed(prompt="ü" * PROMPT_MAX)),
        (
            {"prompt": "a cat", "input_reference": {"image_url": URL, "file_id": None}},
            changed(reference=Reference(url=URL)),
        ),
    ],
)  # fmt: skip
def test_json_is_read(members, expected):
    """Nulls count as absent, numbers as the text the SDKs send."""
    assert expected == in_json(**members)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (fields(("prompt", "a cat")), DEFAULTS),
        (fields(("prompt", "a cat"), ("seconds", "8"), ("model", "m")), changed(seconds=8, model="m")),
        ([*fields(("prompt", "a cat")), FILE], changed(reference=Reference(part=FILE))),
        (fields(("prompt", "a cat"), ("input_reference[image_url]", URL)),
         changed(reference=Reference(url=URL))),
        (fields(("prompt", "a cat"), ("input_reference.image_url", URL)),
         changed(reference=Reference(url=URL))),
        (fields(("prompt", "a cat"), ("input_reference", msgspec.json.encode({"image_url": URL}).decode())),
         changed(reference=Reference(url=URL))),
        (fields(("prompt[]", "a cat"), ("seconds[0]", "4")), DEFAULTS),
    ],
)  # fmt: skip
def test_a_form_is_read(parts, expected):
    """A file, or an object in whatever spelling clients have for it."""
    assert expected == read_form(parts)


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "prompt"),
        ({"prompt": ""}, Kind.INVALID_VALUE, "prompt"),
        ({"prompt": "x" * (PROMPT_MAX + 1)}, Kind.INVALID_VALUE, "prompt"),
        ({"prompt": ["x"]}, Kind.INVALID_TYPE, "prompt"),
        ({"prompt": "x", "seconds": 5}, Kind.INVALID_VALUE, "seconds"),
        ({"prompt": "x", "seconds": "4.0"}, Kind.INVALID_VALUE, "seconds"),
        ({"prompt": "x", "seconds": True}, Kind.INVALID_VALUE, "seconds"),
        ({"prompt": "x", "seconds": [4]}, Kind.INVALID_VALUE, "seconds"),
        ({"prompt": "x", "size": "640x480"}, Kind.INVALID_VALUE, "size"),
        ({"prompt": "x", "size": 720}, Kind.INVALID_VALUE, "size"),
        ({"prompt": "x", "model": 5}, Kind.INVALID_TYPE, "model"),
        ({"prompt": "x", "model": ""}, Kind.INVALID_TYPE, "model"),
        ({"prompt": "x", "n": 2}, Kind.UNREPRESENTABLE, "n"),
        ({"prompt": "x", "num_frames": 99999}, Kind.UNREPRESENTABLE, "num_frames"),
        ({"Prompt": "x"}, Kind.INVALID_VALUE, "Prompt"),
        ({"prompt": "x", "input_reference": "cat.png"}, Kind.INVALID_TYPE, "input_reference"),
        ({"prompt": "x", "input_reference": {}}, Kind.INVALID_VALUE, "input_reference"),
        ({"prompt": "x", "input_reference": {"image_url": URL, "file_id": "f"}},
         Kind.INVALID_VALUE, "input_reference"),
        ({"prompt": "x", "input_reference": {"file_id": "file-1"}},
         Kind.UNREPRESENTABLE, "input_reference.file_id"),
        ({"prompt": "x", "input_reference": {"video": URL}},
         Kind.UNREPRESENTABLE, "input_reference.video"),
        ({"prompt": "x", "input_reference": {"image_url": "file:///etc/passwd"}},
         Kind.INVALID_VALUE, "input_reference.image_url"),
        ({"prompt": "x", "input_reference": {"image_url": 5}},
         Kind.INVALID_VALUE, "input_reference.image_url"),
        ({"prompt": "x", "input_reference": {"image_url": "https://" + "x" * URL_MAX}},
         Kind.INVALID_VALUE, "input_reference.image_url"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(members, kind, param):
    """The member, and what would be right."""
    with pytest.raises(Fault) as caught:
        in_json(**members)
    assert (kind, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("parts", "kind", "param"),
    [
        (fields(("prompt", "x"), ("prompt", "y")), Kind.DUPLICATE_MEMBER, "prompt"),
        ([*fields(("prompt", "x"), ("input_reference[image_url]", URL)), FILE],
         Kind.INVALID_VALUE, "input_reference"),
        (fields(("prompt", "x"), ("input_reference[image_url]", URL), ("input_reference[file_id]", "f")),
         Kind.INVALID_VALUE, "input_reference"),
        (fields(("prompt", "x"), ("input_reference", "{")), Kind.INVALID_VALUE, "input_reference"),
        (fields(("prompt", "x"), ("input_reference", "[" * 100_000)),
         Kind.INVALID_VALUE, "input_reference"),
        ([Part(name="prompt", filename="p.txt", size=1)], Kind.INVALID_TYPE, "prompt"),
        ([Part(name="prompt", value=b"\xff")], Kind.INVALID_VALUE, "prompt"),
        (fields(("prompt", "x"), ("num_frames", "9")), Kind.UNREPRESENTABLE, "num_frames"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_form_is_named(parts, kind, param):
    """The field as it was sent."""
    with pytest.raises(Fault) as caught:
        read_form(parts)
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_a_size_with_a_price_may_be_asked_for():
    """The operator says that the model makes it."""
    members = peek.members(b'{"prompt": "x", "size": "1920x1080"}')
    assert "1920x1080" == read(members, ["1920x1080"]).size


@pytest.mark.parametrize(
    ("members", "parts", "expected"),
    [
        (b'{"model": "m"}', (), "m"),
        (b"{}", (), "sora-2"),
        (None, fields(("model", "m")), "m"),
        (None, fields(("num_frames", "1")), "sora-2"),
    ],
)
def test_the_model_is_known_before_the_rest(members, parts, expected):
    """Its prices say which sizes there are."""
    read_members = None if members is None else peek.members(members)
    assert expected == model_of(read_members, parts)


def test_a_remix_has_a_prompt_and_nothing_else():
    """Length and size are its source's."""
    assert "y" == read_remix(peek.members(b'{"prompt": "y"}'))
    assert "y" == read_remix_form(fields(("prompt", "y")))
    for wrong in (b"{}", b'{"prompt": "y", "seconds": "8"}', b'{"prompt": ""}'):
        with pytest.raises(Fault):
            read_remix(peek.members(wrong))


@pytest.mark.parametrize(
    ("kind", "size", "is_taken"),
    [
        ("image/png", 9, True),
        ("video/mp4", 9, True),
        ("application/octet-stream", 9, True),
        ("", 9, True),
        ("image/png", 0, False),
        ("text/plain", 9, False),
        ("application/json; charset=utf-8", 9, False),
    ],
)
def test_a_reference_is_a_picture_or_a_clip(kind, size, is_taken):
    """What is empty or says that it is something else is refused before anybody is paid."""
    part = Part(name="input_reference", filename="x", content_type=kind, size=size)
    form = [Part(name="prompt", value=b"a cat"), part]
    if is_taken:
        assert part == read_form(form).reference.part
        return
    with pytest.raises(Fault) as caught:
        read_form(form)
    assert (Kind.INVALID_VALUE, "input_reference") == (caught.value.kind, caught.value.param)
