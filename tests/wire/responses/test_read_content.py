"""Content parts of a responses request."""

import json

import pytest

from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Refusal,
    Remote,
    Stored,
    Text,
)
from trivium.faults import Fault, Kind
from trivium.wire.responses import read_content

PNG = "data:image/png;base64,iVBORw0KGgo="
PDF = "data:application/pdf;base64,JVBERi0="


def read(value):
    return read_content.content(json.dumps(value).encode(), "input[0].content")


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "input_text", "text": "a"}, Text("a")),
        ({"type": "output_text", "text": "a", "annotations": []}, Text("a")),
        ({"type": "text", "text": ""}, Text("")),
        ({"type": "refusal", "refusal": "no"}, Refusal("no")),
        (
            {"type": "input_image", "image_url": PNG, "detail": "high"},
            Image(Inline("image/png", "iVBORw0KGgo="), "high"),
        ),
        (
            {"type": "input_image", "image_url": "https://a.org/x.png"},
            Image(Remote("https://a.org/x.png")),
        ),
        ({"type": "input_image", "file_id": "file-1"}, Image(Stored("responses", "file-1"))),
        (
            {"type": "input_file", "file_data": PDF, "filename": "a.pdf"},
            Document(Inline("application/pdf", "JVBERi0=", "a.pdf"), "a.pdf"),
        ),
        (
            {"type": "input_file", "file_data": "JVBERi0", "filename": None},
            Document(Inline("application/pdf", "JVBERi0=")),
        ),
        (
            {"type": "input_file", "file_url": "https://a.org/x.pdf"},
            Document(Remote("https://a.org/x.pdf")),
        ),
        ({"type": "input_file", "file_id": "file-1"}, Document(Stored("responses", "file-1"))),
        (
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
            Audio(Inline("audio/mpeg", "AAAA")),
        ),
        (
            {"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"ttl": "12h"}},
            Text("a", cache=CacheMark("12h")),
        ),
    ],
)
def test_a_part_is_read(part, expected):
    """Every part of the shape, as the same canonical part that other shapes have (trap 74)."""
    assert (expected,) == read([part])


def test_a_string_is_a_text():
    """The short form."""
    assert (Text("hi"),) == read("hi")


@pytest.mark.parametrize(
    ("value", "kind", "param"),
    [
        (None, Kind.MISSING_MEMBER, ""),
        (7, Kind.INVALID_TYPE, ""),
        ([{}], Kind.MISSING_MEMBER, "[0].type"),
        ([{"type": "hologram"}], Kind.INVALID_VALUE, "[0].type"),
        ([{"type": "input_text"}], Kind.MISSING_MEMBER, "[0].text"),
        ([{"type": "refusal"}], Kind.MISSING_MEMBER, "[0].refusal"),
        ([{"type": "input_image"}], Kind.MISSING_MEMBER, "[0].image_url"),
        (
            [{"type": "input_image", "image_url": {"url": PNG}}],
            Kind.INVALID_TYPE,
            "[0].image_url",
        ),
        ([{"type": "input_image", "image_url": "x.png"}], Kind.INVALID_VALUE, "[0].image_url"),
        ([{"type": "input_file"}], Kind.MISSING_MEMBER, "[0].file_data"),
        ([{"type": "input_audio"}], Kind.MISSING_MEMBER, "[0].input_audio"),
        (
            [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "ogg"}}],
            Kind.INVALID_VALUE,
            "[0].input_audio.format",
        ),
    ],
)
def test_a_wrong_part_is_named(value, kind, param):
    """By its path in the caller's body."""
    with pytest.raises(Fault) as caught:
        read(value)
    assert (kind, f"input[0].content{param}") == (caught.value.kind, caught.value.param)
