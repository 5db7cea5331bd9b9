"""What most shapes can say of a source."""

import pytest

from trivium.conversation.parts import Citation
from trivium.conversation.shape_capabilities import linked


@pytest.mark.parametrize(
    ("citation", "expected"),
    [(Citation(url="https://example.com/"), True), (Citation(title="a book"), False)],
)
def test_a_source_is_linked_by_its_address(citation, expected):
    """A title alone leads nowhere."""
    assert expected is linked(citation)
