"""A vendor's file, whichever it is: told apart by its members or its columns."""

import csv
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile import anthropic, google, openai
from trivium.ledger.reconcile.model import Export, ReportRow

BYTES_MAX: Final = 256 * 2**20
PREAMBLE_LINES: Final = 20
"""Lines about the invoice that may stand before the columns."""

Lines = Callable[[Mapping[str, str]], Iterator[ReportRow]]

_TABLES: Final[tuple[tuple[str, tuple[str, ...], frozenset[str], Lines], ...]] = (
    ("OpenAI usage, CSV", openai.PROVIDERS, openai.USAGE_COLUMNS, openai.rows_of_line),
    ("OpenAI costs, CSV", openai.PROVIDERS, openai.COST_COLUMNS, openai.rows_of_line),
    ("Anthropic usage, CSV", anthropic.PROVIDERS, anthropic.USAGE_COLUMNS, anthropic.rows_of_line),
    ("Anthropic costs, CSV", anthropic.PROVIDERS, anthropic.COST_COLUMNS, anthropic.rows_of_line),
    ("Google Cloud cost table, CSV", google.PROVIDERS, google.COLUMNS, google.rows_of_line),
)


class _Page(msgspec.Struct):
    data: tuple[msgspec.Raw, ...]


class _Either(msgspec.Struct):
    """Enough of a bucket to tell whose it is."""

    start_time: int | None = None
    starting_at: str | None = None


def read(data: bytes) -> Export:
    """An export. Raises ``LedgerError`` saying which forms are known, or which value is none."""
    if len(data) > BYTES_MAX:
        raise LedgerError(f"is above {BYTES_MAX} bytes: export fewer days at a time")
    if data.lstrip()[:1] in (b"{", b"["):
        return _pages(data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LedgerError("is neither JSON nor text in UTF-8") from None
    return _table(text)


def _table(text: str) -> Export:
    lines = text.splitlines()
    separator = "\t" if "\t" in text[:2000] else ","
    for number, head in enumerate(islice(csv.reader(lines, delimiter=separator), PREAMBLE_LINES)):
        columns = {name.strip() for name in head}
        for form, providers, needed, rows_of_line in _TABLES:
            if needed <= columns:
                found = _rows(lines[number:], separator, rows_of_line, number + 1)
                return Export(form=form, providers=providers, rows=tuple(found))
    known = ", ".join(form for form, *_ in _TABLES)
    raise LedgerError(f"has columns of no export we know: {known}, or either vendor's JSON")


def _rows(lines: list[str], separator: str, rows_of_line: Lines, head: int) -> Iterator[ReportRow]:
    reader = csv.DictReader(lines, delimiter=separator, restval="")
    names = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = names
    for line in reader:
        try:
            yield from rows_of_line(line)
        except LedgerError as exc:
            raise LedgerError(f"line {head + reader.line_num - 1}: {exc}") from None


def _pages(data: bytes) -> Export:
    try:
        pages = msgspec.json.decode(data, type=_Page | list[_Page])
        buckets = [b for page in (pages if isinstance(pages, list) else [pages]) for b in page.data]
        if not buckets:
            raise LedgerError("has no buckets: is the time it is about empty?")
        first = msgspec.json.decode(buckets[0], type=_Either)
        if first.starting_at is not None:
            return _export("Anthropic report, JSON", anthropic, buckets)
        if first.start_time is not None:
            return _export("OpenAI usage or costs, JSON", openai, buckets)
    except (msgspec.MsgspecError, RecursionError) as exc:
        raise LedgerError(f"is no page of a vendor's usage or costs: {exc}") from None
    raise LedgerError("has buckets without start_time (OpenAI) or starting_at (Anthropic)")


def _export(form: str, reader: Any, buckets: list[msgspec.Raw]) -> Export:
    decode = msgspec.json.Decoder(reader.Bucket).decode
    rows = [row for bucket in buckets for row in reader.rows_of_bucket(decode(bucket))]
    return Export(form=form, providers=reader.PROVIDERS, rows=tuple(rows))
