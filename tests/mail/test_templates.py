"""Every letter is there in every language, with its link where it needs one."""

import pytest

from trivium.mail.templates import letter, wordings

ENGLISH = wordings()["en"]


@pytest.mark.parametrize("language", wordings())
def test_every_language_has_every_letter(language):
    """With a link where the English one has it, and no other blank."""
    for kind, english in ENGLISH.items():
        wording = wordings()[language][kind]
        assert set(wording) == {"subject", "text"}
        for blank in ("{link}", "{about}"):
            assert english["text"].count(blank) == wording["text"].count(blank)
        blanks = wording["text"].count("{link}") + wording["text"].count("{about}")
        assert blanks == wording["text"].count("{")
        assert wording["subject"].isprintable()
        assert 0 < len(wording["subject"]) <= 60
    assert set(ENGLISH) == set(wordings()[language])


@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("en", "A new password"),
        ("zh", "重新设置密码"),
        ("zh-Hans", "重新设置密码"),
        ("zh_Hans", "重新设置密码"),
        ("ZH-CN", "重新设置密码"),
        ("fr", "A new password"),
        ("", "A new password"),
    ],
)
def test_the_language_is_found_by_its_tag(language, subject):
    """English where there is no other."""
    made = letter("reset", language, to="ada@example.com", link="https://gateway.example/x")
    assert ("ada@example.com", subject) == (made.to, made.subject)
    assert "\nhttps://gateway.example/x\n" in made.text


def test_a_letter_that_there_is_not_is_a_bug():
    """Not an empty letter."""
    with pytest.raises(KeyError):
        letter("spam", "en", to="ada@example.com", link="")
