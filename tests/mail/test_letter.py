"""A letter in a log says little."""

from trivium.mail.letter import Letter


def test_neither_link_nor_address_is_printed():
    """Whoever reads logs must not come in by them."""
    letter = Letter(to="ada@example.com", subject="A new password", text="https://x/t0ken")
    assert "Letter(subject='A new password')" == repr(letter)
