"""Cells of a CSV file as spreadsheets read them. Pure."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence


def spreadsheet_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; amounts may begin with a minus."""
    risky = text[:1] in ("=", "+", "@", "\t", "\r") or (
        text[:1] == "-" and not text[1:].replace(".", "").isdigit()
    )
    return f"'{text}" if risky else text


def csv_lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a CSV file, its heads first, each cell one that is no formula."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(heads)
    yield written.getvalue()
    for row in rows:
        written.seek(0)
        written.truncate()
        writer.writerow([spreadsheet_cell(cell) for cell in row])
        yield written.getvalue()
