"""Formats and media types, both ways, as the vendor's model has them."""

import pytest
from botocore.loaders import Loader

from trivium.wire.converse import media

MODEL = Loader().load_service_model("bedrock-runtime", "service-2")["shapes"]


@pytest.mark.parametrize(
    ("shape", "written", "read"),
    [
        ("ImageFormat", media.IMAGES, media.IMAGE_TYPES),
        ("DocumentFormat", media.DOCUMENTS, media.DOCUMENT_TYPES),
        ("VideoFormat", media.VIDEOS, media.VIDEO_TYPES),
        ("AudioFormat", media.SOUNDS, media.SOUND_TYPES),
    ],
)
def test_the_tables_are_the_vendors(shape, written, read):
    """Every format that there is has a media type, and none is written that there is not."""
    formats = set(MODEL[shape]["enum"])
    assert formats == set(read)
    assert set(written.values()) <= formats
    for name, mime in read.items():
        assert written.get(mime, name) in formats


@pytest.mark.parametrize(
    ("mime", "expected"),
    [
        ("application/pdf", "pdf"),
        ("Text/Plain; charset=utf-8", "txt"),
        ("text/x-python", "txt"),
        ("application/json", "txt"),
        ("text/markdown", "md"),
        ("application/zip", None),
        ("", None),
    ],
)
def test_any_text_is_a_document(mime, expected):
    """And what else the shape takes; nothing more."""
    assert expected == media.document_format(mime)


def test_a_media_type_is_bare_without_parameters():
    """In lower case."""
    assert "audio/wav" == media.bare(" Audio/WAV ; codecs=1")
