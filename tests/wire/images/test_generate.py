"""Pictures from a generate-content model: the request it gets, its answer read and told."""

import base64

import msgspec
import pytest

from trivium.conversation.losses import Report
from trivium.faults import Fault, Kind
from trivium.providers.images import frame
from trivium.wire.images.generate import (
    SourceImage,
    read_answer,
    write_answer,
    write_event,
    write_request,
)
from trivium.wire.images.request import ImageRequest
from trivium.wire.sse import frames

PIXEL = base64.b64encode(b"\xfb\xff\xfepicture").decode()
ANSWER = {
    "candidates": [{
        "content": {"role": "model", "parts": [
            {"text": "thinking", "thought": True},
            {"text": "Here."},
            {"inlineData": {"mimeType": "image/png", "data": PIXEL.replace("+", "-").replace("/", "_")}},
        ]},
        "finishReason": "STOP",
    }],
    "usageMetadata": {"promptTokenCount": 8, "candidatesTokenCount": 1290, "totalTokenCount": 1298,
                      "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 1290}]},
}  # fmt: skip


def written(*sources, strict=False, **asked):
    """The body for the upstream, and what was left out."""
    report = Report("the pictures of g", strict=strict)
    body = write_request(ImageRequest(prompt="A cat.", **asked), sources, frame, report)
    return msgspec.json.decode(body), report


def answered(**changes):
    return read_answer(
        msgspec.json.encode(ANSWER | changes), lambda _: Fault(Kind.INTERNAL, ""), ""
    )


def test_a_prompt_is_one_turn_that_wants_a_picture():
    """Nothing else is said where nothing else was asked."""
    body, report = written()
    assert {
        "contents": [{"role": "user", "parts": [{"text": "A cat."}]}],
        "generationConfig": {"responseModalities": ["TEXT", "IMAGE"]},
    } == body
    assert "" == report.dropped_names()


def test_pictures_to_go_from_stand_before_the_words():
    """As inline data."""
    body, _ = written(SourceImage("image/png", "QUJD"))
    assert [{"inlineData": {"mimeType": "image/png", "data": "QUJD"}}, {"text": "A cat."}] == (
        body["contents"][0]["parts"]
    )


@pytest.mark.parametrize(
    ("size", "config"),
    [
        ("1024x1024", {"aspectRatio": "1:1"}),
        ("256x256", {"aspectRatio": "1:1"}),
        ("1536x1024", {"aspectRatio": "3:2"}),
        ("1024x1536", {"aspectRatio": "2:3"}),
        ("1792x1024", {"aspectRatio": "16:9", "imageSize": "2K"}),
        ("1024x1792", {"aspectRatio": "9:16", "imageSize": "2K"}),
        ("2048x2048", {"aspectRatio": "1:1", "imageSize": "2K"}),
        ("3840x2160", {"aspectRatio": "16:9", "imageSize": "4K"}),
    ],
)
def test_a_size_is_a_ratio_and_a_resolution(size, config):
    """The nearest there is, and that is told."""
    body, report = written(size=size)
    assert config == body["generationConfig"]["imageConfig"]
    assert "size;act=changed" in report.dropped_header()


@pytest.mark.parametrize("size", ["3072x1024", "huge", "100x900"])
def test_a_size_that_is_near_nothing_is_refused(size):
    """By name."""
    with pytest.raises(Fault) as told:
        written(size=size)
    assert ("size", 400) == (told.value.param, told.value.status)


@pytest.mark.parametrize(
    ("asked", "param"),
    [({"n": 2}, "n"), ({"background": "transparent"}, "background"),
     ({"output_format": "webp"}, "output_format"),
     ({"output_format": "png", "output_compression": 5}, "output_compression")],
)  # fmt: skip
def test_what_callers_rely_on_is_refused(asked, param):
    """It cannot be carried."""
    with pytest.raises(Fault) as told:
        written(**asked)
    assert (param, Kind.UNREPRESENTABLE) == (told.value.param, told.value.kind)


@pytest.mark.parametrize(
    "asked",
    [{"quality": "high"}, {"style": "vivid"}, {"moderation": "low"}, {"partial_images": 2},
     {"input_fidelity": "high"}],
)  # fmt: skip
def test_what_is_only_wished_is_left_out_and_told(asked):
    """In strict mode it is refused."""
    (name,) = asked
    assert name in written(**asked)[1].dropped_header()
    with pytest.raises(Fault):
        written(strict=True, **asked)


@pytest.mark.parametrize(
    "asked",
    [{"n": 1}, {"quality": "auto"}, {"background": "opaque"}, {"output_format": "png"},
     {"size": "auto"}, {"moderation": "auto"}, {"partial_images": 0}, {"user": "u"}],
)  # fmt: skip
def test_what_it_does_anyway_needs_no_word(asked):
    """Nothing is reported."""
    assert "" == written(strict=True, **asked)[1].dropped_header()


def test_pictures_usage_and_words_are_read():
    """Thoughts are no words; any base64 becomes the standard one."""
    drawn = answered()
    assert ((PIXEL,), "image/png", "Here.") == (drawn.pictures, drawn.mime, drawn.said)
    assert (8, 1290, 0, 1) == (
        drawn.usage.fresh, drawn.usage.image_output, drawn.usage.output, drawn.usage.images[0].count,
    )  # fmt: skip


def test_output_without_details_is_pictures():
    """Never text at a text price."""
    drawn = answered(usageMetadata={"promptTokenCount": 8, "candidatesTokenCount": 1290})
    assert (1290, 0) == (drawn.usage.image_output, drawn.usage.output)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}}, Kind.CONTENT_POLICY),
        ({"candidates": [{"finishReason": "IMAGE_SAFETY"}]}, Kind.CONTENT_POLICY),
        ({"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]}, Kind.CONTENT_POLICY),
        (
            {
                "candidates": [
                    {"content": {"parts": [{"text": "I cannot"}]}, "finishReason": "STOP"}
                ]
            },
            Kind.UPSTREAM_REJECTED,
        ),
        ({"candidates": [{"finishReason": "NO_IMAGE"}]}, Kind.UPSTREAM_REJECTED),
    ],
)
def test_an_answer_without_a_picture_says_why(changes, kind):
    """It is no success, and the vendor has worked for it."""
    found = answered(**changes)
    assert (kind, (), 8) == (found.declined.kind, found.pictures, found.usage.fresh)


EMPTY = {"content": {"parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"error": {"code": 500}}, Kind.INTERNAL),
        ({"candidates": []}, Kind.UPSTREAM_BROKE),
        ({"candidates": [{"finishReason": "STOP"}]}, Kind.UPSTREAM_BROKE),
        ({"candidates": [EMPTY | {"finishReason": "STOP"}]}, Kind.UPSTREAM_BROKE),
    ],
)
def test_an_answer_that_says_nothing_at_all_is_none(changes, kind):
    """Another channel may draw."""
    with pytest.raises(Fault) as told:
        answered(**changes)
    assert kind is told.value.kind


def test_what_is_no_json_is_broken():
    """So is a picture that is no base64."""
    with pytest.raises(Fault):
        read_answer(b"<html>", lambda _: Fault(Kind.INTERNAL, ""), "")


def test_the_answer_is_the_images_shapes_own():
    """With tokens by kind."""
    told = msgspec.json.decode(write_answer(answered(), 7))
    assert (7, [{"b64_json": PIXEL}], "png") == (
        told["created"],
        told["data"],
        told["output_format"],
    )
    assert {
        "input_tokens": 8,
        "output_tokens": 1290,
        "total_tokens": 1298,
        "input_tokens_details": {"text_tokens": 8, "image_tokens": 0},
        "output_tokens_details": {"text_tokens": 0, "image_tokens": 1290},
    } == told["usage"]


def test_a_stream_has_one_event():
    """Fewer partial pictures than asked for are legal."""
    (frame,) = frames(write_event(answered(), 7, "image_generation"))
    told = msgspec.json.decode(frame.data)
    assert b"image_generation.completed" == frame.event == told["type"].encode()
    assert (PIXEL, 7) == (told["b64_json"], told["created_at"])
