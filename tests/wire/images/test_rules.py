"""The specification's table of image rules, cell by cell: what each class takes and refuses."""

import msgspec
import pytest

from trivium.faults import Fault
from trivium.wire.images.request import read
from trivium.wire.images.rules import ImageClass, check, unsent
from trivium.wire.operation import Operation
from trivium.wire.peek import members

A, B = ImageClass.LEGACY_A, ImageClass.LEGACY_B
G, G2 = ImageClass.GPT, ImageClass.GPT_SIZES
ALL = (A, B, G, G2)
SMALL, MIDDLE = "256x256", "512x512"
SQUARE, WIDE, TALL = "1024x1024", "1536x1024", "1024x1536"
WIDER, TALLER = "1792x1024", "1024x1792"

# member, value -> the classes that take it; all others refuse it
CELLS = [
    ({"prompt": "x"}, ALL),
    ({"prompt": "x" * 1000}, ALL),
    ({"prompt": "x" * 1001}, (B, G, G2)),
    ({"prompt": "é" * 1000}, ALL),
    ({"prompt": "x" * 4000}, (B, G, G2)),
    ({"prompt": "x" * 4001}, (G, G2)),
    ({"prompt": "x" * 32000}, (G, G2)),
    ({"prompt": "x" * 32001}, ()),
    ({"n": 1}, ALL),
    ({"n": 2}, (A, G, G2)),
    ({"n": 10}, (A, G, G2)),
    ({"n": 0}, ()),
    ({"n": 11}, ()),
    ({"n": -1}, ()),
    ({"n": 1.5}, ()),
    ({"n": "1"}, ()),
    ({"quality": "auto"}, ALL),
    ({"quality": "standard"}, (A, B)),
    ({"quality": "hd"}, (B,)),
    ({"quality": "low"}, (G, G2)),
    ({"quality": "medium"}, (G, G2)),
    ({"quality": "high"}, (G, G2)),
    ({"quality": "best"}, ()),
    ({"response_format": "url"}, (A, B)),
    ({"response_format": "b64_json"}, ALL),  # left out for GPT image models, and told
    ({"response_format": "file"}, ()),
    ({"output_format": "png"}, (G, G2)),
    ({"output_format": "jpeg"}, (G, G2)),
    ({"output_format": "webp"}, (G, G2)),
    ({"output_format": "gif"}, ()),
    ({"output_compression": 0, "output_format": "webp"}, (G, G2)),
    ({"output_compression": 100, "output_format": "jpeg"}, (G, G2)),
    ({"output_compression": 101, "output_format": "jpeg"}, ()),
    ({"output_compression": -1, "output_format": "jpeg"}, ()),
    ({"output_compression": 50, "output_format": "png"}, ()),
    ({"output_compression": 50}, ()),
    ({"stream": False}, ALL),
    ({"stream": True}, (G, G2)),
    ({"stream": "yes"}, ()),
    ({"partial_images": 0}, (G, G2)),
    ({"partial_images": 0, "stream": True}, (G, G2)),
    ({"partial_images": 3, "stream": True}, (G, G2)),
    ({"partial_images": 4, "stream": True}, ()),
    ({"partial_images": -1, "stream": True}, ()),
    ({"partial_images": 1}, ()),
    ({"partial_images": 1, "stream": False}, ()),
    ({"size": "auto"}, ALL),
    ({"size": SMALL}, (A, G2)),
    ({"size": MIDDLE}, (A, G2)),
    ({"size": SQUARE}, ALL),
    ({"size": WIDE}, (G, G2)),
    ({"size": TALL}, (G, G2)),
    ({"size": WIDER}, (B, G2)),
    ({"size": TALLER}, (B, G2)),
    ({"size": "1536x864"}, (G2,)),
    ({"size": "2560x1440"}, (G2,)),
    ({"size": "3840x2160"}, (G2,)),  # experimental, and taken
    ({"size": "2160x3840"}, (G2,)),
    ({"size": "3072x1024"}, (G2,)),
    ({"size": "1024x3072"}, (G2,)),
    ({"size": "3088x1024"}, ()),
    ({"size": "1024x3088"}, ()),
    ({"size": "1000x1000"}, ()),
    ({"size": "1024x1000"}, ()),
    ({"size": "3856x2160"}, ()),
    ({"size": "3840x2176"}, ()),
    ({"size": "3072x3072"}, ()),
    ({"size": "1024X1024"}, ()),
    ({"size": "1024"}, ()),
    ({"size": "01024x1024"}, ()),
    ({"size": "large"}, ()),
    ({"size": 1024}, ()),
    ({"moderation": "low"}, (G, G2)),
    ({"moderation": "auto"}, (G, G2)),
    ({"moderation": "high"}, ()),
    ({"background": "transparent"}, (G, G2)),
    ({"background": "opaque"}, (G, G2)),
    ({"background": "auto"}, (G, G2)),
    ({"background": "white"}, ()),
    ({"background": "transparent", "output_format": "png"}, (G, G2)),
    ({"background": "transparent", "output_format": "webp"}, (G, G2)),
    ({"background": "transparent", "output_format": "jpeg"}, ()),
    ({"background": "opaque", "output_format": "jpeg"}, (G, G2)),
    ({"style": "vivid"}, (B,)),
    ({"style": "natural"}, (B,)),
    ({"style": "wild"}, ()),
    ({"user": "u"}, ALL),
    ({"user": 7}, ()),
]
NULLABLE = ("n", "quality", "response_format", "output_format", "output_compression", "stream",
            "partial_images", "moderation", "background", "style")  # fmt: skip


def wanted(**asked):
    """What a JSON body asks for."""
    return read(members(msgspec.json.encode({"prompt": "A cat."} | asked)))


def refusal(of, operation=Operation.IMAGES, **asked):
    """The fault, or ``None``."""
    try:
        check(wanted(**asked), of, "m", operation)
    except Fault as fault:
        return fault
    return None


@pytest.mark.parametrize("of", ALL, ids=lambda of: of.value)
@pytest.mark.parametrize(("asked", "takers"), CELLS, ids=lambda cell: str(cell)[:60])
def test_every_cell_of_the_table(of, asked, takers):
    """Taken, or a 400 that names the member."""
    fault = refusal(of, **asked)
    if of in takers:
        assert fault is None
        return
    assert fault is not None
    assert 400 == fault.status
    assert fault.param in asked
    assert f"`{fault.param}`" in fault.message


@pytest.mark.parametrize("of", ALL, ids=lambda of: of.value)
@pytest.mark.parametrize("name", NULLABLE)
def test_null_is_no_error_for_any_class(of, name):
    """It is as good as leaving the member out."""
    assert refusal(of, **{name: None}) is None


@pytest.mark.parametrize(
    ("of", "asked", "told"),
    [
        (A, {"quality": "hd"}, "be one of auto, standard for `m`, legacy image model A, not hd"),
        (B, {"n": 2}, "be 1 for `m`, legacy image model B, not 2"),
        (G, {"quality": "hd"}, "be one of auto, low, medium, high"),
        (G, {"size": "1792x1024"}, "be one of auto, 1024x1024, 1536x1024, 1024x1536"),
        (G2, {"size": "big"}, "or WIDTHxHEIGHT"),
        (G2, {"size": "1000x1000"}, "have sides divisible by 16"),
        (G2, {"size": "3200x1024"}, "have an aspect ratio from 1:3 to 3:1"),
        (G2, {"size": "3840x3840"}, "be at most 3840x2160"),
        (A, {"prompt": "x" * 1001}, "have at most 1000 characters"),
        (G, {"style": "vivid"}, "It is for legacy image model B."),
        (A, {"background": "opaque"}, "It is for GPT image models."),
        (B, {"stream": True}, "It is for GPT image models."),
        (G, {"response_format": "url"}, "it always answers with base64"),
        (G, {"output_compression": 5}, "stand beside `output_format` jpeg or webp"),
        (G, {"partial_images": 2}, "stand beside `stream`: true, or be 0"),
        (None, {"n": 11}, "be from 1 to 10, not 11"),
        (None, {"quality": "best"}, "be one of auto, low, medium, high, standard, hd, not 'best'"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_would_be_right(of, asked, told):
    """Values and class, for people."""
    assert told in refusal(of, **asked).message


@pytest.mark.parametrize("of", [None, ImageClass.OPEN])
@pytest.mark.parametrize(
    "asked",
    [{"size": "2K"}, {"style": "vivid", "background": "opaque", "quality": "hd"}, {"n": 10},
     {"stream": True, "partial_images": 3}, {"prompt": "x" * 40000}],
)  # fmt: skip
def test_of_a_model_without_a_class_the_upstream_decides(of, asked):
    """Types and numbers alone are held."""
    assert refusal(of, **asked) is None


@pytest.mark.parametrize(
    ("of", "operation", "able"),
    [
        (A, Operation.IMAGES_EDIT, True),
        (A, Operation.IMAGES_VARY, True),
        (B, Operation.IMAGES_EDIT, False),
        (B, Operation.IMAGES_VARY, False),
        (G, Operation.IMAGES_EDIT, True),
        (G, Operation.IMAGES_VARY, False),
        (G2, Operation.IMAGES_VARY, False),
    ],
)
def test_not_every_class_edits_or_varies(of, operation, able):
    """The member at fault is the model."""
    fault = refusal(of, operation)
    assert able == (fault is None)
    assert able or fault.param == "model"


@pytest.mark.parametrize(
    ("of", "asked", "left"),
    [
        (A, {"size": "auto", "quality": "auto"}, ("size", "quality")),
        (B, {"size": "auto", "stream": False}, ("size", "stream")),
        (A, {"size": SMALL, "quality": "standard"}, ()),
        (G, {"size": "auto", "quality": "auto"}, ()),
        (G, {"response_format": "b64_json"}, ("response_format",)),
        (A, {"response_format": "b64_json"}, ()),
        (None, {"size": "auto", "response_format": "b64_json"}, ()),
    ],
)
def test_what_changes_nothing_is_not_sent_on(of, asked, left):
    """The default, written out, would be refused by an upstream that has no word for it."""
    assert left == unsent(wanted(**asked), of)
