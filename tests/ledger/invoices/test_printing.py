"""An invoice as PDF, read back: nothing is lost, and nothing is markup."""

import io

import msgspec
import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.invoices import printing
from trivium.ledger.invoices.model import InvoiceDocument, InvoiceLine, InvoiceTax

pytest.importorskip("reportlab")
pypdf = pytest.importorskip("pypdf")

LINE = InvoiceLine(("gpt-5",), 12, 3456, 789, "1.234567891")
DOCUMENT = InvoiceDocument(
    name="INV-7",
    issued_on="2026-12-01",
    since="2026-11-01",
    until="2026-11-30",
    seller=("Example Ltd", "1 High Street"),
    customer=("Söhne & Cie", "Größe 5"),
    account="acme",
    by=("model",),
    lines=(LINE,),
    rounding="-0.004567891",
    subtotal="1.23",
    taxes=(InvoiceTax(text="VAT", rate="19", amount="0.23"), InvoiceTax(text="Reverse charge")),
    total="1.46",
)


def lines_of(data):
    """The lines of text of every page."""
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return [page.extract_text().splitlines() for page in pages]


def printed(**changes):
    """The text of an invoice with these changes, and what could not be printed."""
    data, lacking = printing.pdf(msgspec.structs.replace(DOCUMENT, **changes), printing.fonts(()))
    return lines_of(data), lacking


def test_all_that_is_there_is_printed():
    """In the order in which one reads it."""
    (page,), lacking = printed()
    assert [] == lacking
    assert [
        "Example Ltd", "1 High Street", "Söhne & Cie", "Größe 5", "Invoice INV-7",
        "Date: 2026-12-01", "Period: 2026-11-01 to 2026-11-30 (UTC)", "Account: acme",
        "model", "Requests", "Input tokens", "Output tokens", "Amount USD",
        "gpt-5", "12", "3456", "789", "1.234567891",
        "Sum", "1.234567891", "Rounded to cents", "-0.004567891", "Subtotal", "1.23",
        "VAT (19 %)", "0.23", "Reverse charge", "0.00", "Total USD", "1.46",
        "INV-7 · page 1 of 1",
    ] == [line for line in page if line]  # fmt: skip


def test_the_same_invoice_has_the_same_bytes():
    """Whenever it is printed; another has others, and a void one says so."""
    found = printing.fonts(())
    data, _ = printing.pdf(DOCUMENT, found)
    assert data == printing.pdf(DOCUMENT, found)[0]
    other = msgspec.structs.replace(DOCUMENT, name="INV-8")
    assert data != printing.pdf(other, found)[0]
    assert "VOID since 2026-12-02" in lines_of(printing.pdf(DOCUMENT, found, "2026-12-02")[0])[0]


def test_its_fonts_are_embedded():
    """So that it looks alike everywhere, and its text can be copied."""
    reader = pypdf.PdfReader(io.BytesIO(printing.pdf(DOCUMENT, printing.fonts(()))[0]))
    fonts = [font.get_object() for font in reader.pages[0]["/Resources"]["/Font"].values()]
    used = [font for font in fonts if "/ToUnicode" in font]
    assert used
    assert all("/FontFile2" in font["/FontDescriptor"].get_object() for font in used)


@pytest.mark.parametrize(
    ("name", "shown", "lacking"),
    [
        ("<b>bold</b> &amp; <para>", "<b>bold</b> &amp; <para>", []),
        ("two\nlines\r\t", "two<U+000A>lines<U+000D><U+0009>", ["U+0009", "U+000A", "U+000D"]),
        ("שלום", "<U+05E9><U+05DC><U+05D5><U+05DD>", ["U+05D5", "U+05DC", "U+05DD", "U+05E9"]),
        ("a\u202egpj", "a<U+202E>gpj", ["U+202E"]),
        ("見本", "<U+898B><U+672C>", ["U+672C", "U+898B"]),
        ("e\u0301", "é", []),
        ("x\u0301", "x<U+0301>", ["U+0301"]),
        ("\U0001f600", "<U+1F600>", ["U+1F600"]),
        ("(a) \\ %", "(a) \\ %", []),
    ],
)  # fmt: skip
def test_names_are_printed_as_they_are(name, shown, lacking):
    """Or by their code points, which are told; never as markup, and never left out."""
    line = msgspec.structs.replace(LINE, names=(name,))
    (page,), found = printed(lines=(line,))
    assert lacking == found
    assert shown in page


def test_long_names_go_on_in_the_next_line():
    """At a blank where there is one."""
    line = msgspec.structs.replace(LINE, names=("w" * 200,))
    (page,), _ = printed(lines=(line,), customer=("word " * 39 + "end",))
    assert "w" * 200 == "".join(each for each in page if each and not each.strip("w"))
    words = [each for each in page if each.startswith("word")]
    assert len(words) > 1
    assert " ".join(["word"] * 39 + ["end"]) == " ".join(words)


def test_every_page_of_many_has_the_heading():
    """And no line is on two of them."""
    lines = [msgspec.structs.replace(LINE, names=(f"m{n}",)) for n in range(300)]
    pages, _ = printed(lines=tuple(lines))
    assert len(pages) > 4
    assert all(page.count("Amount USD") == 1 for page in pages)
    assert [f"INV-7 · page {n} of {len(pages)}" for n in range(1, len(pages) + 1)] == [
        next(line for line in page if line.startswith("INV-7 ·")) for page in pages
    ]
    named = [line for page in pages for line in page if line.startswith("m") and line[1:].isdigit()]
    assert [f"m{n}" for n in range(300)] == named
    assert "Total USD" in pages[-1]


@pytest.mark.slow
def test_ten_thousand_lines():
    """The most there are."""
    lines = tuple(msgspec.structs.replace(LINE, names=(f"m{n}",)) for n in range(10_000))
    pages, _ = printed(lines=lines)
    assert 10_000 == sum(page.count("1.234567891") for page in pages) - 1


def test_a_font_that_is_none_is_named(tmp_path):
    """With what would be right."""
    (tmp_path / "a.ttf").write_bytes(b"OTTO" + bytes(100))
    for path in (tmp_path / "a.ttf", tmp_path / "gone.ttf"):
        with pytest.raises(LedgerError, match=rf"invoices.fonts: {path} cannot .*TrueType"):
            printing.fonts((str(path),))


def test_fonts_are_asked_in_turn():
    """Each for what those before it lack, and each piece is drawn in its own."""
    import reportlab

    found = printing.fonts((f"{reportlab.__path__[0]}/fonts/hb-test.ttf",))
    fonts = {char: of[0] for char in map(chr, range(33, 256)) if (of := found.of(char))}
    first = next(char for char, name in fonts.items() if name == "invoice0")
    second = next(char for char, name in fonts.items() if name == "invoice1")
    text = first + second * 2 + first
    assert [("invoice0", first), ("invoice1", second * 2), ("invoice0", first)] == found.runs(text)
    line = msgspec.structs.replace(LINE, names=(text,))
    data, lacking = printing.pdf(msgspec.structs.replace(DOCUMENT, lines=(line,)), found)
    assert [] == lacking
    assert text in "".join("".join(page) for page in lines_of(data))


def test_without_the_library_it_says_what_to_install(monkeypatch):
    """Whoever has no invoices need not have it."""
    import sys

    monkeypatch.setitem(sys.modules, "reportlab", None)
    with pytest.raises(LedgerError, match=r"pip install 'trivium\[invoices\]'"):
        printing.fonts(("/nowhere/else.ttf",))
