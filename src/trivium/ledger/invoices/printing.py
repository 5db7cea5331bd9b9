"""An invoice as PDF, by reportlab: selectable text in embedded fonts, the same bytes each time.

Text is drawn, never parsed: reportlab's paragraphs would read markup in names. A character that
no font has is printed as its code point, ``<U+05D0>``, and so is what this cannot set: letters
written from right to left, marks that combine, and what controls something.
"""

import functools
import io
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from trivium.ledger.amounts import format_usd, parse_usd
from trivium.ledger.errors import LedgerError
from trivium.ledger.invoices.model import InvoiceDocument

MISSING: Final = "invoices need a library: run `pip install 'trivium[invoices]'`"
OWN_FONT: Final = "Vera.ttf"
"""Of reportlab's own: letters of Western Europe."""
PAGE_WIDTH: Final = 595.0
PAGE_HEIGHT: Final = 842.0
"""A4, in points."""
MARGIN: Final = 50.0
RIGHT: Final = PAGE_WIDTH - MARGIN
SIZE: Final = 9.0
TITLE_SIZE: Final = 16.0
LEADING: Final = 13.0
NAMES_WIDTH: Final = 220.0
ENDS: Final = (MARGIN + 275, MARGIN + 345, MARGIN + 415, RIGHT)
"""Where the columns of numbers end."""
LACKING_MAX: Final = 20
"""Characters that are named to whoever asks."""
_UNSET: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Mc", "Me", "Zl", "Zp"})
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_HEADS: Final = ("Requests", "Input tokens", "Output tokens", "Amount")
_ONE_AT_A_TIME: Final = threading.Lock()
"""The library keeps what a document uses of a font with the font."""


class PrintedText(msgspec.Struct, frozen=True):
    """A text, and where it begins or ends."""

    x: float
    text: str
    to_left: bool = False
    """``x`` is where it ends."""
    size: float = SIZE


class PrintedRow(msgspec.Struct, frozen=True):
    """What stands in one line of a page."""

    texts: tuple[PrintedText, ...] = ()
    height: float = LEADING
    ruled: bool = False
    """There is a line above it."""
    in_table: bool = False


class PrintFonts:
    """Fonts in the order in which they are asked for a character."""

    def __init__(self, faces: "Sequence[tuple[str, Any]]") -> None:
        """``faces``: names as they are registered, and the fonts."""
        self._faces = [(name, font, font.face.charToGlyph) for name, font in faces]
        self._found: dict[str, tuple[str, float] | None] = {}
        self._known: set[str] = set()
        self._names: dict[str, str] = {}
        self._widths: dict[str, float] = {}

    def of(self, char: str) -> tuple[str, float] | None:
        """The font of a character and its width at a size of 1; ``None``: it is not printed."""
        if char not in self._found:
            self._found[char] = self._look(char)
        return self._found[char]

    def _look(self, char: str) -> tuple[str, float] | None:
        if (
            unicodedata.category(char) in _UNSET
            or unicodedata.bidirectional(char) in _RIGHT_TO_LEFT
        ):
            return None
        for name, font, glyphs in self._faces:
            if ord(char) in glyphs:
                return name, float(font.stringWidth(char, 1))
        return None

    def lacking(self, text: str) -> list[str]:
        """Which characters are printed as their code points, as ``U+05D0``; the first of them."""
        chars = sorted({c for c in unicodedata.normalize("NFC", text) if self.of(c) is None})
        return [f"U+{ord(char):04X}" for char in chars[:LACKING_MAX]]

    def printable(self, text: str) -> str:
        """A text as it is printed."""
        text = unicodedata.normalize("NFC", text)
        if self._known.issuperset(text):
            return text
        return "".join(c if self.of(c) is not None else f"<U+{ord(c):04X}>" for c in text)

    def width(self, text: str, size: float = SIZE) -> float:
        """Points that a printable text takes."""
        if not self._known.issuperset(text):
            self._learn(text)
        return size * sum(map(self._widths.__getitem__, text))

    def runs(self, text: str) -> list[tuple[str, str]]:
        """Pieces of a printable text, each with its font."""
        if not self._known.issuperset(text):
            self._learn(text)
        names = list(map(self._names.__getitem__, text))
        if len(set(names)) == 1:
            return [(names[0], text)]
        found, begin = [], 0
        for at in range(1, len(text) + 1):
            if at == len(text) or names[at] != names[begin]:
                found.append((names[begin], text[begin:at]))
                begin = at
        return found

    def _learn(self, text: str) -> None:
        for char in set(text) - self._known:
            of = self.of(char)
            assert of is not None, "a text is made printable before"
            self._names[char], self._widths[char] = of
            self._known.add(char)

    def wrapped(self, text: str, width: float, size: float = SIZE) -> list[str]:
        """A text as it is printed, in lines of at most this width, broken at blanks where there are
        any.
        """
        text = self.printable(text)
        whole = self.width(text, size)
        if whole <= width:
            return [text]
        lines: list[str] = []
        begin = taken = blank = 0
        used, widths = 0.0, self._widths
        while taken < len(text):
            used += widths[text[taken]] * size
            if used > width and taken > begin:
                end = blank if blank > begin else taken
                lines.append(text[begin:end].rstrip())
                begin = taken = blank = end
                used = 0.0
                continue
            taken += 1
            if text[taken - 1] == " ":
                blank = taken
        return [*lines, text[begin:]]


def fonts(paths: Sequence[str]) -> PrintFonts:
    """The fonts of these files and the library's own behind them.

    Raises ``LedgerError`` when the library is missing or a font is none that it can embed.
    """
    with _ONE_AT_A_TIME:
        return _fonts(tuple(paths))


@functools.lru_cache(maxsize=4)
def _fonts(paths: tuple[str, ...]) -> PrintFonts:
    try:
        import reportlab
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFError, TTFont
    except ImportError:
        raise LedgerError(MISSING) from None
    own = Path(reportlab.__file__).parent / "fonts" / OWN_FONT
    found = []
    for place, path in enumerate((*paths, str(own))):
        name = f"invoice{place}"
        try:
            font = TTFont(name, path)
        except (TTFError, OSError, ValueError, LookupError) as error:
            raise LedgerError(
                f"invoices.fonts: {path} cannot be embedded ({error}); it takes TrueType outlines, "
                "such as /usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf has"
            ) from None
        pdfmetrics.registerFont(font)
        found.append((name, font))
    return PrintFonts(found)


def pdf(document: InvoiceDocument, found: PrintFonts, voided: str = "") -> tuple[bytes, list[str]]:
    """The pages, and which characters are printed as their code points. ``voided``: since when the
    invoice is void.
    """
    pages = _paged(list(_rows(document, found, voided)), _heading(document))
    with _ONE_AT_A_TIME:
        return _drawn(pages, document, found), found.lacking(_all_text(document))


def _all_text(document: InvoiceDocument) -> str:
    names = (name for line in document.lines for name in line.names)
    texts = [*document.seller, *document.customer, document.account, *names]
    return "".join([*texts, *(tax.text for tax in document.taxes)])


def _drawn(pages: list[list[PrintedRow]], document: InvoiceDocument, found: PrintFonts) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), invariant=1, pageCompression=1)
    canvas.setTitle(found.printable(f"Invoice {document.name}"))
    canvas.setAuthor(found.printable(document.seller[0]))
    canvas.setCreator("trivium")
    for number, rows in enumerate(pages, 1):
        y = PAGE_HEIGHT - MARGIN
        for row in rows:
            y -= row.height
            if row.ruled:
                canvas.setLineWidth(0.5)
                canvas.line(MARGIN, y + LEADING - 3, RIGHT, y + LEADING - 3)
            for text in row.texts:
                _draw(canvas, found, text, y)
        foot = f"{document.name} · page {number} of {len(pages)}"
        _draw(canvas, found, PrintedText(RIGHT, foot, to_left=True), MARGIN - 20)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _draw(canvas: Any, found: PrintFonts, said: PrintedText, y: float) -> None:
    x = said.x - found.width(said.text, said.size) if said.to_left else said.x
    runs = found.runs(said.text)
    for name, piece in runs:
        canvas.setFont(name, said.size)
        canvas.drawString(x, y, piece)
        if len(runs) > 1:
            x += found.width(piece, said.size)


def _paged(rows: list[PrintedRow], heading: PrintedRow) -> list[list[PrintedRow]]:
    """Rows by pages; the table's heading stands on each that goes on with it."""
    pages: list[list[PrintedRow]] = [[]]
    left = room = PAGE_HEIGHT - 2 * MARGIN
    for row in rows:
        if row.height > left:
            pages.append([heading] if row.in_table else [])
            left = room - sum(each.height for each in pages[-1])
        pages[-1].append(row)
        left -= row.height
    return pages


def _heading(document: InvoiceDocument) -> PrintedRow:
    named = " · ".join(word.replace("_", " ") for word in document.by)
    heads = zip(ENDS, (*_HEADS[:3], f"{_HEADS[3]} {document.currency}"), strict=True)
    numbers = (PrintedText(x, head, to_left=True) for x, head in heads)
    return PrintedRow((PrintedText(MARGIN, named), *numbers), LEADING + 4)


def _rows(document: InvoiceDocument, found: PrintFonts, voided: str) -> Iterator[PrintedRow]:
    whole = RIGHT - MARGIN

    def said(text: str, size: float = SIZE) -> Iterator[PrintedRow]:
        for line in found.wrapped(text, whole, size):
            yield PrintedRow((PrintedText(MARGIN, line, size=size),), size + LEADING - SIZE)

    for line in document.seller:
        yield from said(line)
    yield PrintedRow(height=2 * LEADING)
    for line in document.customer:
        yield from said(line)
    yield PrintedRow(height=2 * LEADING)
    yield from said(f"Invoice {document.name}", TITLE_SIZE)
    if voided:
        yield from said(f"VOID since {voided}", TITLE_SIZE)
    yield PrintedRow()
    yield from said(f"Date: {document.issued_on}")
    yield from said(f"Period: {document.since} to {document.until} (UTC)")
    yield from said(f"Account: {document.account}")
    yield PrintedRow()
    yield _heading(document)
    is_first = True
    for each in document.lines:
        names = " · ".join(name or "-" for name in each.names)
        numbers = (str(each.requests), str(each.input_tokens), str(each.output_tokens), each.amount)
        texts = [PrintedText(x, n, to_left=True) for x, n in zip(ENDS, numbers, strict=True)]
        for line in found.wrapped(names, NAMES_WIDTH):
            texts.insert(0, PrintedText(MARGIN, line))
            yield PrintedRow(tuple(texts), ruled=is_first, in_table=True)
            texts, is_first = [], False
    yield from _totals(document, found)


def _totals(document: InvoiceDocument, found: PrintFonts) -> Iterator[PrintedRow]:
    def amount(text: str, number: str, *, ruled: bool = False) -> Iterator[PrintedRow]:
        texts = [PrintedText(RIGHT, number, to_left=True)] if number else []
        for line in found.wrapped(text, RIGHT - MARGIN - 90):
            texts.insert(0, PrintedText(MARGIN, line))
            yield PrintedRow(tuple(texts), ruled=ruled)
            texts, ruled = [], False

    rounding = parse_usd(document.rounding)
    if rounding:
        exact = format_usd(parse_usd(document.subtotal) - rounding)
        yield from amount("Sum", exact, ruled=True)
        yield from amount("Rounded to cents", document.rounding)
    yield from amount("Subtotal", document.subtotal, ruled=True)
    for tax in document.taxes:
        rate = "" if tax.rate is None else f" ({tax.rate} %)"
        yield from amount(f"{tax.text}{rate}", tax.amount)
    yield from amount(f"Total {document.currency}", document.total, ruled=True)
