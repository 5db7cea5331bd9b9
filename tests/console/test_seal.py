"""Texts that come back from a browser."""

import pytest

from trivium.console import seal
from trivium.secret import Keyring

OLD, NEW = b"o" * 32, b"n" * 32
RING = Keyring(NEW, OLD)


@pytest.mark.parametrize("text", ["", "/account?before=12", "简体 & <b>", "a\0b"])
def test_what_was_sealed_opens(text):
    """Whatever it was, in characters that an address may hold."""
    sealed = seal.seal(RING, "place", text, "visitor")
    assert text == seal.opened(RING, "place", sealed, "visitor")
    assert sealed.replace("-", "").replace("_", "").isalnum()


def test_an_older_key_still_opens():
    """After the first key was replaced."""
    assert "x" == seal.opened(RING, "place", seal.seal(Keyring(OLD), "place", "x"))
    assert seal.bears(RING, "form", "v", seal.mark(Keyring(OLD), "form", "v"))


@pytest.mark.parametrize(
    ("purpose", "visitor"), [("notice", "v"), ("place", "w"), ("place", ""), ("placev", "")]
)
def test_a_seal_is_for_one_purpose_and_one_visitor(purpose, visitor):
    """What one browser was handed is worth nothing in another."""
    assert None is seal.opened(RING, purpose, seal.seal(RING, "place", "x", "v"), visitor)


def test_a_changed_character_is_found_out():
    """Wherever it is."""
    sealed = seal.seal(RING, "place", "/account")
    for at in range(len(sealed) - 1):
        changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]
        assert None is seal.opened(RING, "place", changed)


@pytest.mark.parametrize("text", ["", "A", "====", "é", "A" * 4, "A" * 400, "../..", "\ud800"])
def test_nonsense_does_not_open(text):
    """And raises nothing."""
    assert None is seal.opened(RING, "place", text)
    assert not seal.bears(RING, "form", "v", text)
