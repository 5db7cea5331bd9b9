"""A model's document out of fields, and fields out of a document; pure."""

import pytest

from trivium.catalogue.model import EntryName
from trivium.console import forms
from trivium.console.catalogue import model_form
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.catalogue.model_form import ROWS_MAX
from trivium.settings.entries import BindingEntry, ModelEntry
from trivium.settings.prices import KINDS


def form(**given):
    return forms.empty(forms.Form, **given)


def entry(document):
    return ShownEntry(at=EntryName("model", "m"), document=document, version=3)


WHOLE = {
    "bindings": [
        {
            "channel": "main", "model": "x", "shape": "chat", "priority": 1, "weight": 2,
            "cost": "1.5", "timeouts": {"idle": 3}, "audio": "whisper", "profile": {"thinks": "none"},
        },
        {"channel": "other"},
    ],
    "price": dict.fromkeys(KINDS, "1.5"),
    "tiers": [{"above": 5, "price": {"input": "2"}}],
    "images": [{"price": "0.04", "size": "1024x1024", "quality": "high"}],
    "videos": [{"price": "0.1", "size": "1280x720"}],
    "price_changes": [{"since": "2027-01-01", "price": {"input": "2"}}],
    "free": True, "strategy": "latency", "hedge_s": 5.0, "fallbacks": ["a", "b/c"], "title": "T",
    "owned_by": "o", "context_max": 5, "output_max": 6, "image_class": "gpt",
    "price_origin": "bundled 2026-11-10 0f3c9a7be21d4c58 openai/gpt-5",
    "requests_per_minute": 7, "tokens_per_minute": 8, "max_concurrency": 9,
}  # fmt: skip


def test_nothing_is_lost_by_a_form_as_it_is():
    """Whatever a model may say."""
    assert set(ModelEntry.__struct_fields__) == {"name", *WHOLE}
    assert set(BindingEntry.__struct_fields__) == set(WHOLE["bindings"][0])
    shown = model_form.shown(entry({"name": "m", **WHOLE}))
    model_form.compact(shown)
    assert WHOLE == model_form.document(shown)
    assert {} == shown.errors
    assert "3" == shown.first("version")


@pytest.mark.parametrize("count", [0, 1, ROWS_MAX, ROWS_MAX + 1, 100])
def test_however_many_bindings_there_are(count):
    """With more than there are rows all are JSON."""
    document = {"free": True, "bindings": [{"channel": f"c{n}"} for n in range(count)]}
    shown = model_form.shown(entry(document))
    model_form.compact(shown)
    assert len([at for at in shown.given if at.endswith(".channel")]) <= ROWS_MAX
    left = document if count else {"free": True}
    assert left == model_form.document(shown)
    assert 1 <= model_form.rows(shown) <= ROWS_MAX
    assert len(shown.given) < forms.FIELDS_MAX


def test_rows_are_closed_up():
    """So that a problem finds its row."""
    given = form(**{"bindings.1.channel": "a", "bindings.7.model": "x", "rows": "9"})
    model_form.compact(given)
    assert ("a", "x", "9") == (
        given.first("bindings.0.channel"), given.first("bindings.1.model"), given.first("rows")
    )  # fmt: skip
    assert {"bindings": [{"channel": "a"}, {"model": "x"}]} == model_form.document(given)


@pytest.mark.parametrize("said", ["", "x", "-1", "999", "٣", "0"])
def test_rows_are_bounded(said):
    """Whatever a browser says."""
    assert 1 == model_form.rows(form(rows=said))
    assert ROWS_MAX == model_form.rows(form(rows="99"))


def test_problems_find_their_field():
    """Of a binding without a field of its own: its JSON."""
    assert [
        "price.input", "price", "bindings.0.cost", "bindings.0.more", "bindings", "more", "fallbacks",
        "more", "more", "title",
    ] == [
        model_form.field_of(member)
        for member in (
            "price.input", "price", "bindings.0.cost", "bindings.0.profile.thinks", "bindings",
            "bindings.20.cost", "fallbacks.2", "tiers.0.above", "price.odd", "title",
        )
    ]  # fmt: skip
    assert {"bindings.1.more", "price.input"} <= model_form.shown_fields(form(rows="2"))
