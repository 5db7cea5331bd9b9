"""In which language a page speaks: catalogues, and how each writes numbers, money and dates.

A catalogue is a folder ``locale/<language>/`` of ``.po`` files, one for each part of the pages;
they are compiled in memory when the language is first asked for (some 20 ms), so neither installing
nor changing one takes a tool. English is what the sources say. ``docs/console.md`` tells how to add
one.
"""

import datetime as dt
import functools
import gettext
import io
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec
from babel import Locale, dates, numbers
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from trivium.ledger.model import NANOS

FOLDER: Final = Path(__file__).parent / "locale"
ENGLISH: Final = "en"
COOKIE: Final = "gw_language"


class Language(msgspec.Struct, frozen=True):
    """A language that the pages can be read in."""

    tag: str
    """BCP 47, as ``lang`` and cookies have it."""
    locale: str
    """As Babel and the folder have it."""
    name: str
    """In the language itself."""


LANGUAGES: Final = {
    language.tag: language
    for language in (Language("en", "en", "English"), Language("zh-Hans", "zh_Hans", "简体中文"))
}
_REGIONS: Final = {"zh": "zh-Hans", "zh-cn": "zh-Hans", "zh-sg": "zh-Hans", "zh-my": "zh-Hans"}
"""What browsers ask for, where it is not simply the beginning of a tag of ours."""


class LazyText(msgspec.Struct, frozen=True):
    """A sentence that is translated when it is shown."""

    message: str
    values: Mapping[str, Any] = {}


def N_(message: str) -> str:  # noqa: N802 - gettext's name for it, which extractors know
    """Mark a message that is translated elsewhere."""
    return message


def text(message: str, **values: Any) -> LazyText:
    """A message of ours, marked with ``N_``, and what its placeholders stand for."""
    return LazyText(message, values)


class PageLanguage:
    """A language with its catalogue and its formats."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.locale = Locale.parse(language.locale)
        self.translations = _translations(language)

    def say(self, message: LazyText | str) -> str:
        """Translate a message into this language."""
        if isinstance(message, str):
            return self.translations.gettext(message) if message else ""
        said = self.translations.gettext(message.message)
        values = {
            name: self.number(value) if isinstance(value, int) else value
            for name, value in message.values.items()
        }
        return said % values if values else said

    def number(self, value: int) -> str:
        """With the language's separators."""
        return numbers.format_decimal(value, locale=self.locale)

    def compact(self, value: int) -> str:
        """Format a number in short form, such as ``1.2M``."""
        return numbers.format_compact_decimal(value, locale=self.locale, fraction_digits=1)

    def money(self, nanos: int) -> str:
        """Nano-dollars as dollars and cents; of a charge below a cent its first two figures."""
        digits = 2
        if 0 < abs(nanos) < NANOS // 100:
            digits = min(9, 11 - len(str(abs(nanos))))
        return self._dollars(nanos, digits)

    def exact(self, nanos: int) -> str:
        """Nano-dollars as dollars, to the last one."""
        return self._dollars(nanos, 9)

    def _dollars(self, nanos: int, digits: int) -> str:
        amount = Decimal(nanos) / NANOS
        pattern = f"$#,##0.00{'#' * (digits - 2)};-$#,##0.00{'#' * (digits - 2)}"
        return numbers.format_decimal(amount, pattern, locale=self.locale)

    def price(self, usd: Fraction) -> str:
        """A price in dollars, whole to the twelfth decimal, beyond it rounded up."""
        amount = Decimal(-(-usd.numerator * 10**12 // usd.denominator)).scaleb(-12)
        return numbers.format_decimal(amount, f"$#,##0.00{'#' * 10}", locale=self.locale)

    def day(self, at: float) -> str:
        """A date in UTC."""
        return dates.format_date(_utc(at), "medium", self.locale)

    def short_day(self, at: float) -> str:
        """A date without its year, in UTC."""
        return dates.format_skeleton("MMMd", _utc(at), locale=self.locale)

    def duration(self, milliseconds: int) -> str:
        """How long something took: ``340 ms``, ``2.4 s``."""
        if milliseconds < 1000:
            return f"{self.number(milliseconds)} ms"
        return f"{numbers.format_decimal(milliseconds / 1000, '#,##0.0', self.locale)} s"

    def clock(self, at: float) -> str:
        """The time of a day in UTC: ``14:30``."""
        return dates.format_time(_utc(at), "HH:mm", locale=self.locale)

    def percent(self, share: float) -> str:
        """A share from 0 to 1, to a tenth of a hundredth: ``2.5%``."""
        return numbers.format_percent(share, "#,##0.#%", locale=self.locale)

    def million(self, usd: str) -> str:
        """The price of a million, of the price of one in decimal dollars."""
        return numbers.format_decimal(Decimal(usd) * 10**6, "$#,##0.00####", self.locale)

    def time(self, at: float) -> str:
        """A date with its time, in UTC."""
        return dates.format_datetime(_utc(at), "medium", locale=self.locale)

    def ago(self, at: float, now: float) -> str:
        """How long ago, or in how long: ``3 hours ago``."""
        return dates.format_timedelta(
            dt.timedelta(seconds=at - now), add_direction=True, locale=self.locale
        )


@functools.cache
def speech(tag: str) -> PageLanguage:
    """Return the language of one of our tags."""
    return PageLanguage(LANGUAGES[tag])


def choose(chosen: str | None, accepted: str) -> str:
    """The tag of the language to speak: the one chosen, else the best of ``Accept-Language``."""
    if chosen in LANGUAGES:
        return chosen
    for wanted in _by_preference(accepted):
        found = _REGIONS.get(wanted) or next(
            (
                tag
                for tag in LANGUAGES
                if wanted == tag.lower() or wanted.startswith(f"{tag.lower()}-")
            ),
            None,
        )
        if found:
            return found
    return ENGLISH


def speech_tag(cookies: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """Return the tag of the language for a request with these cookies and headers."""
    chosen = cookies.get(f"__Host-{COOKIE}") or cookies.get(COOKIE)
    return choose(chosen, headers.get("accept-language", ""))


def _by_preference(accepted: str) -> list[str]:
    """Language ranges of a header, lower-case, the most wanted first; what is malformed is not."""
    ranked: list[tuple[float, str]] = []
    for part in accepted[:500].split(","):
        tag, _, quality = part.partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if weight > 0:
            ranked.append((-weight, tag.strip().lower()))
    return [tag for _, tag in sorted(ranked, key=lambda pair: pair[0])]


def _translations(language: Language) -> gettext.NullTranslations:
    found: gettext.NullTranslations = gettext.NullTranslations()
    for path in sorted((FOLDER / language.locale).glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language.locale, abort_invalid=True)
        compiled = io.BytesIO()
        write_mo(compiled, catalogue)
        compiled.seek(0)
        translations = gettext.GNUTranslations(compiled)
        translations.add_fallback(found)
        found = translations
    return found


def _utc(at: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(at, dt.UTC)


def iso(at: float) -> str:
    """Format a time for programs: ``2026-11-21T09:30:00Z``."""
    return _utc(at).strftime("%Y-%m-%dT%H:%M:%SZ")
