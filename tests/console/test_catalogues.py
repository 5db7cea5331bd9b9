"""Every message of the pages is there in every language."""

import re
import runpy
from pathlib import Path

import pytest

from trivium.console.language import ENGLISH, FOLDER, LANGUAGES

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "translations.py"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]")
LOCALES = [each.locale for each in LANGUAGES.values() if each.tag != ENGLISH]


@pytest.fixture(scope="module")
def tool():
    """The script that looks for them."""
    return runpy.run_path(str(SCRIPT))


def test_the_sources_have_messages(tool):
    """In modules and templates: else these tests would pass by seeing nothing."""
    files = {where.partition(":")[0] for where in tool["wanted"]().values()}
    assert {"app.py", "templates/base.html"} <= files


@pytest.mark.parametrize("locale", LOCALES)
def test_no_message_is_missing_and_none_is_left_over(tool, locale):
    """`scripts/translations.py --into PART` adds what is missing."""
    assert ({}, []) == tool["gaps"](locale)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_translation_has_the_placeholders_of_its_message(tool, locale):
    """One more or less would break the page that shows it."""
    for catalogue in tool["catalogues"](locale).values():
        for message in catalogue:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            said = message.string if isinstance(message.string, tuple) else (message.string,)
            if not message.id:
                continue
            allowed = set(PLACEHOLDER.findall(ids[-1]))
            for each in said:
                assert allowed == set(PLACEHOLDER.findall(each)), ids[0]


def test_every_folder_is_a_language(tool):
    """And every language has its folder."""
    del tool
    assert sorted(LOCALES) == sorted(path.name for path in FOLDER.iterdir())
