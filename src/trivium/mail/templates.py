"""The letters that the gateway sends, in each language; their texts are in ``letters.toml``.

They are plain text: nothing is loaded or tracked, and links show where they lead.
"""

import functools
import tomllib
from importlib.resources import files
from typing import Final

from trivium.mail.outbox import MailMessage

FALLBACK: Final = "en"


def letter(kind: str, language: str, *, to: str, link: str, about: str = "") -> MailMessage:
    """Return a letter of this kind. ``language``: a tag such as ``en`` or ``zh-Hans``; any that is
    missing becomes English. ``about``: one line, where the letter has a place for it. Raises
    KeyError for an unknown kind.
    """
    short = language.replace("_", "-").partition("-")[0].lower()
    wording = wordings().get(short, wordings()[FALLBACK])[kind]
    return MailMessage(
        to=to, subject=wording["subject"], text=wording["text"].format(link=link, about=about)
    )


@functools.cache
def wordings() -> dict[str, dict[str, dict[str, str]]]:
    """Subject and text of every kind of letter, by language."""
    return tomllib.loads(files("trivium.mail").joinpath("letters.toml").read_text("utf-8"))
