"""The letters that there are, in each language: the texts are in ``letters.toml``.

Plain text: there is nothing in it to load, to track or to disguise.
"""

import functools
import tomllib
from importlib.resources import files
from typing import Final

from trivium.mail.letter import Letter

FALLBACK: Final = "en"


def letter(kind: str, language: str, *, to: str, link: str) -> Letter:
    """A letter of this kind. ``language``: a tag such as ``en`` or ``zh-Hans``; English otherwise.

    Raises KeyError for a kind that there is not.
    """
    short = language.replace("_", "-").partition("-")[0].lower()
    wording = wordings().get(short, wordings()[FALLBACK])[kind]
    return Letter(to=to, subject=wording["subject"], text=wording["text"].format(link=link))


@functools.cache
def wordings() -> dict[str, dict[str, dict[str, str]]]:
    """Subject and text of every kind of letter, by language."""
    return tomllib.loads(files("trivium.mail").joinpath("letters.toml").read_text("utf-8"))
