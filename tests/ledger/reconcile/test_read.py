"""Every documented form of an export is told by itself and read into the same rows."""

from fractions import Fraction
from pathlib import Path

import pytest

from trivium.ledger.errors import LedgerError
from trivium.ledger.reconcile import read as reading
from trivium.ledger.reconcile.read import read

EXPORTS = Path(__file__).parents[2] / "fixtures" / "exports"
GPT5, SONNET = "gpt-5-2025-08-07", "claude-sonnet-4-5-20250929"


def told(rows):
    """(model, key, amounts) with plain numbers."""
    return [(row.model, row.key, {k: float(v) for k, v in row.amounts.items()}) for row in rows]


@pytest.mark.parametrize(
    ("name", "form", "providers", "rows"),
    [
        (
            "openai-usage.json",
            "OpenAI usage or costs, JSON",
            ("openai",),
            [
                (GPT5, "key_one", {"input": 200, "cache_read": 800, "output": 500, "requests": 5}),
                (
                    GPT5,
                    "key_two",
                    {"input": 20, "cache_read": 20, "output": 7, "cache_write": 30, "requests": 1},
                ),
            ],
        ),
        (
            "openai-costs.json",
            "OpenAI usage or costs, JSON",
            ("openai",),
            [(GPT5, "", {"cost": 0.06}), (GPT5, "", {"cost": 0.1234567890123})],
        ),
        (
            "openai-usage.csv",
            "OpenAI usage, CSV",
            ("openai",),
            [
                (
                    "gpt-4o-2024-08-06",
                    "key_one",
                    {"input": 53440, "cache_read": 5760, "output": 10646, "requests": 10},
                )
            ],
        ),
        ("openai-costs.csv", "OpenAI costs, CSV", ("openai",), [("", "", {"cost": 0.895874})]),
        (
            "anthropic-usage.json",
            "Anthropic report, JSON",
            ("anthropic",),
            [
                (
                    SONNET,
                    "apikey_01",
                    {"input": 1500, "cache_read": 200, "cache_write": 1500, "output": 400},
                )
            ],
        ),
        (
            "anthropic-costs.json",
            "Anthropic report, JSON",
            ("anthropic",),
            [(SONNET, "", {"cost": 1.2345})],
        ),
        (
            "anthropic-usage.csv",
            "Anthropic usage, CSV",
            ("anthropic",),
            [
                (
                    SONNET,
                    "main-key",
                    {"input": 100000, "cache_read": 40, "cache_write": 50, "output": 50},
                )
            ],
        ),
        (
            "anthropic-costs.csv",
            "Anthropic costs, CSV",
            ("anthropic",),
            [
                ("Claude Sonnet 4.5", "main-key", {"cost": 1.5}),
                ("Claude Sonnet 4.5", "main-key", {"cost": 0.25}),
            ],
        ),
        (
            "google-costs.csv",
            "Google Cloud cost table, CSV",
            ("gemini",),
            [
                ("gemini 2.5 flash", "", {"cost": 0.5951898, "input": 1983966}),
                ("gemini 2.5 flash", "", {"cost": 1.1532, "output": 461280}),
                ("gemini 2.5 flash", "", {"cost": 0.00003, "cache_read": 1000}),
            ],
        ),
    ],
)
def test_an_export_is_told_and_read(name, form, providers, rows):
    """Whatever its name; all of these are of the first of January."""
    export = read((EXPORTS / name).read_bytes())
    assert (form, providers, rows) == (export.form, export.providers, told(export.rows))
    assert {"2027-01-01"} == {str(row.span) for row in export.rows}


def test_amounts_are_exact():
    """A number in JSON is what is written there, not the float beside it."""
    export = read((EXPORTS / "openai-costs.json").read_bytes())
    assert Fraction("0.1234567890123") == export.rows[1].amounts["cost"]


def test_several_pages_are_one_export():
    """As a list of pages."""
    page = (EXPORTS / "openai-usage.json").read_bytes()
    assert 4 == len(read(b"[%b,%b]" % (page, page)).rows)


def test_tabs_and_a_mark_in_front_do_not_matter():
    """Spreadsheets write both."""
    text = (EXPORTS / "anthropic-usage.csv").read_text().replace(",", "\t")
    assert "Anthropic usage, CSV" == read(f"\ufeff{text}".encode()).form


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no export we know"),
        (b"a,b\n1,2\n", "no export we know"),
        (b"\xff\xfe", "neither JSON nor text"),
        (b"{", "no page"),
        (b'{"data": 1}', "no page"),
        (b'{"data": []}', "no buckets"),
        (b'{"data": [{}]}', "without start_time"),
        (b'{"data": [{"start_time": 1}]}', "no page"),
        (b'{"data": [{"starting_at": "x"}]}', "no page"),
        (b"usage_date_utc,model,cost_usd\n2027-01-01,m,1\nsoon,m,1\n", "line 3: usage_date_utc"),
    ],
)
def test_what_is_no_export_is_refused(data, said):
    """With what would be one, or the line that is wrong."""
    with pytest.raises(LedgerError, match=said):
        read(data)


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    """It is read whole."""
    monkeypatch.setattr(reading, "BYTES_MAX", 3)
    with pytest.raises(LedgerError, match="above 3 bytes"):
        read(b"abcd")
