"""Usage of pictures: what is generated here is never billed as text."""

import pytest

from trivium.conversation.usage import GeneratedImages, Usage
from trivium.wire.images.usage import counted, read


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        (b'{"input_tokens":9,"output_tokens":100,"total_tokens":109}', (9, 0, 0, 100)),
        (
            (
                b'{"input_tokens":50,"output_tokens":100,"total_tokens":150,'
                b'"input_tokens_details":{"text_tokens":10,"image_tokens":40}}'
            ),
            (10, 40, 0, 100),
        ),
        (
            (
                b'{"input_tokens":9,"output_tokens":110,"output_tokens_details":'
                b'{"text_tokens":10,"image_tokens":100},"input_tokens_details":{}}'
            ),
            (9, 0, 10, 100),
        ),
        (b'{"prompt_tokens":9,"completion_tokens":100}', (9, 0, 0, 100)),
        (b'{"output_tokens":100,"total_tokens":109}', (9, 0, 0, 100)),
        (b'{"input_tokens":"9","output_tokens":5.0}', (9, 0, 0, 5)),
    ],
)
def test_tokens_are_told_apart(raw, usage):
    """With details, without them, in the words of chat."""
    found = read(raw)
    assert usage == (found.fresh, found.image_input, found.output, found.image_output)


@pytest.mark.parametrize("raw", [b"null", b"{}", b"[]", b'{"input_tokens":-1}', b"nonsense"])
def test_nonsense_is_no_usage(raw):
    """An estimate is better than a bill from half of it."""
    assert read(raw) is None


def test_pictures_are_counted_beside_tokens():
    """Which of the two costs something is the tariff's."""
    assert Usage(images=(GeneratedImages(count=2, size="1x1", quality="hd"),)) == counted(
        None, 2, "1x1", "hd"
    )
    assert 7 == counted(Usage(image_output=7), 1, "", "").image_output
    assert counted(None, 0, "", "") is None
