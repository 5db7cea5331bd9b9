"""What a disk that fails is told as."""

import pytest

from trivium.ledger.errors import TornError, UnwrittenError


def test_a_torn_write_says_how_much_was_taken():
    """In bytes; and it is caught as any fault of a disk."""
    with pytest.raises(OSError, match="a part of a record") as told:
        raise TornError(20)
    assert 20 == told.value.taken


def test_what_was_not_written_is_told_with_its_reason():
    """The disk's own words, and whose holds are not noted."""
    with pytest.raises(OSError, match="No space left") as told:
        raise UnwrittenError(OSError(28, "No space left on device"), ["r1"])
    assert ["r1"] == told.value.holds
