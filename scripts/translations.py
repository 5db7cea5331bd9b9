#!/usr/bin/env python
"""Which messages of the pages have no translation, and which translations nobody needs.

    scripts/translations.py               # lists both; exit code 1 if there are any
    scripts/translations.py --into oauth  # adds what is missing to oauth.po, empty

Catalogues are `src/trivium/console/locale/<language>/<part>.po`, one for each part of the pages.
"""

import argparse
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

CONSOLE = Path(__file__).resolve().parents[1] / "src" / "trivium" / "console"
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2.ext.babel_extract")]
OPTIONS = {"templates/**.html": {"trimmed": "true", "silent": "false"}}
KEYWORDS = {"_": None, "N_": None, "gettext": None, "ngettext": (1, 2)}

HEADER = """\
msgid ""
msgstr ""
"Language: {}\\n"
"Plural-Forms: {}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""

Message = str | tuple[str, ...]


def wanted() -> dict[Message, str]:
    """Every message of sources and templates, with the first place where it is said."""
    found: dict[Message, str] = {}
    # mypy knows no signature for the options
    rows = extract_from_dir(CONSOLE, METHODS, OPTIONS, keywords=KEYWORDS)
    for file, line, message, _, _ in rows:
        found.setdefault(message, f"{file}:{line}")
    return found


def catalogues(language: str) -> dict[str, Catalog]:
    """The catalogues of a language by part."""
    found = {}
    for path in sorted((CONSOLE / "locale" / language).glob("*.po")):
        with path.open("rb") as file:
            found[path.stem] = read_po(file, locale=language, abort_invalid=True)
    return found


def gaps(language: str) -> tuple[dict[Message, str], list[Message]]:
    """Messages without a translation, with a place of each, and translations of nothing."""
    needed = wanted()
    translated = {
        message.id
        for catalogue in catalogues(language).values()
        for message in catalogue
        if message.id and message.string and all(message.string)
    }
    missing = {message: where for message, where in needed.items() if message not in translated}
    return missing, sorted(map(str, translated - set(needed)))


def add(language: str, part: str) -> int:
    """Add what is missing to one catalogue, to be filled in; how many that were."""
    path = CONSOLE / "locale" / language / f"{part}.po"
    catalogue = catalogues(language).get(part) or Catalog(
        locale=language, project="trivium", fuzzy=False
    )
    missing = gaps(language)[0]
    for message in missing:
        catalogue.add(message)
    write(path, catalogue)
    return len(missing)


def write(path: Path, catalogue: Catalog) -> None:
    """Write a catalogue, with no more of a header than is true of it."""
    with path.open("wb") as file:
        file.write(HEADER.format(catalogue.locale, catalogue.plural_forms).encode())
        write_po(file, catalogue, width=100, omit_header=True, no_location=True)


def main() -> int:
    """List, or add."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", default="zh_Hans")
    parser.add_argument("--into", metavar="PART", help="add what is missing to this catalogue")
    given = parser.parse_args()
    if given.into:
        sys.stdout.write(f"{add(given.language, given.into)} to be translated in {given.into}.po\n")
        return 0
    missing, unneeded = gaps(given.language)
    for message, where in missing.items():
        sys.stdout.write(f"missing: {message!r} ({where})\n")
    for message in unneeded:
        sys.stdout.write(f"not needed: {message!r}\n")
    return 1 if missing or unneeded else 0


if __name__ == "__main__":
    sys.exit(main())
