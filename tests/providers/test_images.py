"""Image models by name."""

import pytest

from trivium.providers.images import frame, row_of, table
from trivium.wire.images.rules import ImageClass

A, B = ImageClass.LEGACY_A, ImageClass.LEGACY_B
G, G2, OPEN = ImageClass.GPT, ImageClass.GPT_SIZES, ImageClass.OPEN


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("dall-e-2", A),
        ("DALL-E-3", B),
        ("openai/dall-e-3", B),
        ("gpt-image-1", G),
        ("gpt-image-1-mini", G),
        ("gpt-image-1.5", G),
        ("chatgpt-image-latest", G),
        ("gpt-image-2", G2),
        ("gpt-image-2-2026-04-21", G2),
        ("gpt-image-2.5-sunburst", G2),
        ("gemini-2.5-flash-image", OPEN),
        ("gemini-3-pro-image-preview", OPEN),
        ("models/gemini-3.1-flash-image", OPEN),
        ("gemini-3-pro", None),
        ("gpt-5", None),
        ("flux", None),
    ],
)
def test_a_name_has_its_class(name, of):
    """Whatever vendor stands before the slash; of most names nothing is known."""
    row = row_of(name)
    assert of is (None if row is None else row.of)


def test_only_some_draw_by_generate_content():
    """Not every model that is asked in that shape."""
    assert [row.models for row in table().row if row.draws] == [
        ("gemini-*-image", "gemini-*-image-*", "gemini-*-flash-image*", "gemini-*-pro-image*")
    ]


def test_the_defaults_are_models_of_their_class():
    """Legacy model A, and a GPT image model."""
    defaults = table().defaults
    assert A is row_of(defaults.legacy).of
    assert row_of(defaults.gpt).of in (G, G2)


def test_every_row_names_its_page():
    """With the day it was read."""
    for row in (*table().row, table().ratios, table().resolutions):
        assert row.source.startswith("https://")
        assert row.read.year >= 2026


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("1024x1024", ("1:1", "1K", True)),
        ("1536x1024", ("3:2", "1K", True)),
        ("1792x1024", ("16:9", "2K", False)),
        ("3840x2160", ("16:9", "4K", True)),
        ("4096x4096", ("1:1", "4K", True)),
        ("3072x1024", None),
        ("auto", None),
    ],
)
def test_a_size_is_the_nearest_frame(size, found):
    """Within three in a hundred."""
    assert found == frame(size)
