"""What a body names and does not hold is foreseen by its kind."""

import json
import random

import pytest

from growth.measuring import FACTOR, growth
from trivium.wire.operation import Shape
from trivium.wire.references import ANYTHING, PICTURE_TOKENS, tokens
from trivium.wire.state_refs import is_plain

CHAT, RESPONSES, MESSAGES, GENERATE = Shape.CHAT, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE
FAR = "https://example.com/a"
INLINE = "data:image/png;base64,QUJD"


def part(kind, **members):
    return {"content": [{"type": kind, **members}]}


def google(**data):
    return {"contents": [{"parts": [{"text": "hi"}, {"fileData": data}]}]}


@pytest.mark.parametrize(
    ("shape", "body", "expected"),
    [
        (CHAT, {"content": "hi"}, 0),
        (CHAT, part("image_url", image_url={"url": FAR}), PICTURE_TOKENS),
        (CHAT, part("image_url", image_url={"detail": "low", "url": FAR}), PICTURE_TOKENS),
        (CHAT, part("image_url", image_url={"url": INLINE}), 0),
        (CHAT, part("file", file={"file_id": "file-1"}), ANYTHING),
        (CHAT, part("file", file={"file_data": "data:application/pdf;base64,QUJD"}), 0),
        (CHAT, part("video_url", video_url={"url": FAR}), ANYTHING),
        (CHAT, part("video_url", video_url={"url": "data:video/mp4;base64,QUJD"}), 0),
        (CHAT, {"content": 'say "file_id": "x" and "url": "https://y"'}, 0),
        (CHAT, {"tools": [{"properties": {"file_id": {"type": "string"}, "url": {"type": "string"}}}]}, 0),
        (RESPONSES, part("input_image", image_url=FAR), PICTURE_TOKENS),
        (RESPONSES, part("input_image", image_url=INLINE), 0),
        (RESPONSES, part("input_file", file_url=FAR), ANYTHING),
        (RESPONSES, part("input_image", file_id="file-1"), ANYTHING),
        (RESPONSES, {"prompt": {"id": "pmpt_1"}, "input": "hi"}, ANYTHING),
        (RESPONSES, {"tools": [{"type": "code_interpreter", "container": "cntr_1"}]}, ANYTHING),
        (MESSAGES, part("image", source={"type": "url", "url": FAR}), PICTURE_TOKENS),
        (MESSAGES, part("document", source={"type": "url", "url": FAR}), ANYTHING),
        (MESSAGES, part("document", source={"type": "file", "file_id": "file_1"}), ANYTHING),
        (MESSAGES, part("document", source={"type": "text", "data": "hi"}), 0),
        (MESSAGES, {"container": "container_1"}, ANYTHING),
        (GENERATE, google(fileUri=FAR, mimeType="video/mp4"), ANYTHING),
        (GENERATE, google(fileUri=FAR), ANYTHING),
        (GENERATE, google(mimeType="image/png", fileUri=FAR), PICTURE_TOKENS),
        (GENERATE, google(fileUri=FAR, mimeType="image/png"), PICTURE_TOKENS),
        (GENERATE, {"contents": [{"parts": [{"file_data": {"file_uri": FAR}}]}]}, ANYTHING),
        (GENERATE, {"cachedContent": "cachedContents/1"}, ANYTHING),
        (GENERATE, {"cached_content": "cachedContents/1"}, ANYTHING),
        (GENERATE, {"cachedContent": ""}, 0),
        (Shape.EMBEDDINGS, {"input": "hi"}, 0),
    ],
)  # fmt: skip
def test_each_kind_of_reference_is_found(shape, body, expected):
    """However the JSON is spaced; texts and schemas that look alike are none."""
    for raw in (json.dumps(body), json.dumps(body, indent=2, separators=(" ,", " : "))):
        assert expected == tokens(raw.encode(), shape)
        assert not expected or not is_plain(raw.encode(), shape)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb'{"messages":[{"content":[{"source":{"ur\u006c":"https://a"}}]}]}', ANYTHING),
        (rb'{"messages":[{"content":[{"source":{"file\u005fid":"f"}}]}]}', ANYTHING),
        (rb'{"messages":[{"content":[{"source":{"\u0046ile_id":"f"}}]}]}', ANYTHING),
        (rb'{"messages":[{"content":"\\\u0061"}]}', ANYTHING),
        (rb'{"messages":[{"content":"a path: \\u0061, caf\u00e9, \u003cb\u003e, \u007f"}]}', 0),
    ],
)
@pytest.mark.parametrize("shape", [CHAT, RESPONSES, MESSAGES, GENERATE])
def test_a_name_that_is_hidden_by_an_escape_may_be_anything(shape, body, expected):
    """No encoder writes a letter so; texts about escapes, and escapes of others, are none."""
    assert expected == tokens(body, shape)


def test_every_picture_counts():
    """Each may be as dear as any."""
    pictures = [{"type": "image_url", "image_url": {"url": FAR}} for _ in range(7)]
    assert 7 * PICTURE_TOKENS == tokens(json.dumps(pictures).encode(), CHAT)


@pytest.mark.parametrize("shape", [CHAT, RESPONSES, MESSAGES, GENERATE])
def test_no_body_is_slow(shape):
    """Words of references in any order, none of them one: time grows with the size."""
    dice = random.Random(3)
    words = [b'"file_id":', b'"fileUri":', b'"url":', b'"video_url":{', b'"mimeType":"image/', b"  ",
             b'"container":{', b'"prompt":{', b'"cachedContent":', b'"document"',
             b"\\u00", b"\\\\"]  # fmt: skip

    def look(count):
        body = b"".join(dice.choices(words, k=count))
        return lambda: tokens(body, shape)

    _, _, factor = growth(look, 20_000, 2)
    assert factor <= FACTOR
