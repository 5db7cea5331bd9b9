"""Every act can be said."""

from trivium.console.audit.words import WORDS
from trivium.observe.audit.model import ActKind


def test_every_kind_has_its_sentence():
    """And no two the same."""
    assert set(ActKind) == set(WORDS)
    assert len(WORDS) == len(set(WORDS.values()))
