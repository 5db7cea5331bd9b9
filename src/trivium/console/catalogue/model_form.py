"""A model as a form: its fields out of a document, and the document out of what was sent. Pure.

What has no field of its own is edited as JSON beside them, so that nothing of an entry is lost.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.console import forms
from trivium.console.catalogue.changing import Fields
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.catalogue.values import as_json, number, put, said
from trivium.console.language import N_, text
from trivium.settings.prices import KINDS

ROWS_MAX: Final = 20
"""Bindings that have rows of fields; a model with more has them all as JSON."""
ROWS_SPARE: Final = 2
TEXTS: Final = ("title", "owned_by", "strategy", "image_class")
NUMBERS: Final = (
    "hedge_s",
    "context_max",
    "output_max",
    "requests_per_minute",
    "tokens_per_minute",
    "max_concurrency",
)
COLUMNS: Final = ("channel", "model", "shape", "priority", "weight", "cost")
"""Members of a binding that have fields."""
_COUNTED: Final = ("priority", "weight")
MORE: Final = "more"
_OWN: Final = frozenset({"name", "free", "price", "fallbacks", "bindings", *TEXTS, *NUMBERS})
FIELDS: Final = frozenset(
    {"name", "free", "price", "fallbacks", "bindings", MORE, *TEXTS, *NUMBERS}
    | {f"price.{kind}" for kind in KINDS}
)


def rows(form: Fields) -> int:
    """How many rows of bindings the form has, filled in or not."""
    typed = form.first("rows")
    least = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 3 else 1
    return min(ROWS_MAX, max(1, least))


def shown(entry: ShownEntry) -> Fields:
    """Return the form of a model that is there, with the version it was made of."""
    return _form(entry.name, entry.document, version=str(entry.version))


def copied(entry: ShownEntry, name: str) -> Fields:
    """The form of a model like that one, with another name."""
    return _form(name, entry.document)


def fresh(name: str, channel: str, priced: Mapping[str, Any]) -> Fields:
    """The form of a model to be made: at a channel, at prices that are suggested. ``priced``: the
    members that say them and whose they are.
    """
    document: dict[str, Any] = {"bindings": [{"channel": channel}]} if channel else {}
    return _form(name, {**document, **priced})


def _form(name: str, document: Mapping[str, Any], **more: str) -> Fields:
    given = {at: said(document, at) for at in (*TEXTS, *NUMBERS)}
    given |= {f"price.{kind}": said(document, f"price.{kind}") for kind in KINDS}
    other = {at: value for at, value in document.items() if at not in _OWN}
    bindings = document.get("bindings", [])
    if len(bindings) > ROWS_MAX:
        other["bindings"], bindings = bindings, []
    for i, binding in enumerate(bindings):
        given |= {f"bindings.{i}.{at}": said(binding, at) for at in COLUMNS}
        rest = {at: value for at, value in binding.items() if at not in COLUMNS}
        given[f"bindings.{i}.{MORE}"] = as_json(rest)
    return forms.empty(
        forms.Form,
        **given,
        **more,
        name=name,
        free="1" if document.get("free") else "",
        fallbacks="\n".join(document.get("fallbacks", ())),
        rows=str(min(ROWS_MAX, len(bindings) + ROWS_SPARE)),
        more=as_json(other),
    )


def compact(form: Fields) -> None:
    """Close the gaps between rows, so that a binding's number is that of its row."""
    filled = []
    for i in range(ROWS_MAX):
        row = {at: form.first(f"bindings.{i}.{at}") for at in (*COLUMNS, MORE)}
        if any(value.strip() for value in row.values()):
            filled.append(row)
    given = {at: value for at, value in form.given.items() if not at.startswith("bindings.")}
    for i, row in enumerate(filled):
        given |= {f"bindings.{i}.{at}": [value] for at, value in row.items()}
    given["rows"] = [str(min(ROWS_MAX, max(rows(form), len(filled) + ROWS_SPARE)))]
    form.given = given


def document(form: Fields) -> dict[str, Any]:
    """What the model is to be, of a form that is compact. JSON that cannot be read is said to be
    none in the form.
    """
    made: dict[str, Any] = {}
    for name in TEXTS:
        put(made, name, form.first(name).strip() or None)
    for name in NUMBERS:
        put(made, name, number(form.first(name)))
    if form.first("free"):
        made["free"] = True
    for kind in KINDS:
        put(made, f"price.{kind}", form.first(f"price.{kind}").strip().removeprefix("$") or None)
    if fallbacks := form.first("fallbacks").split():
        made["fallbacks"] = fallbacks
    bindings = [_binding(form, i) for i in range(ROWS_MAX) if f"bindings.{i}.channel" in form.given]
    if bindings:
        made["bindings"] = bindings
    return made | _more(form, MORE, _OWN - ({"bindings"} if not bindings else set()))


def _binding(form: Fields, i: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in COLUMNS:
        typed = form.first(f"bindings.{i}.{name}").strip()
        put(made, name, number(typed) if name in _COUNTED else typed or None)
    return made | _more(form, f"bindings.{i}.{MORE}", frozenset(COLUMNS))


def _more(form: Fields, field: str, own: frozenset[str] | set[str]) -> dict[str, Any]:
    """Further members, as JSON. What is wrong with it is said in the form."""
    typed = form.first(field)
    if not typed.strip():
        return {}
    try:
        found = msgspec.json.decode(typed)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        form.fail(field, text(N_("This is no JSON: %(why)s."), why=str(error)))
        return {}
    if not isinstance(found, dict):
        form.fail(field, N_('This is no JSON object, such as {"tiers": []}.'))
        return {}
    double = next((name for name in found if name in own), None)
    if double is not None:
        form.fail(field, text(N_("%(member)s has a field of its own."), member=double))
        return {}
    return found


def field_of(member: str) -> str:
    """The field that a problem with a member belongs to."""
    first, _, rest = member.partition(".")
    if first == "bindings" and rest:
        number_, _, inner = rest.partition(".")
        if int(number_) >= ROWS_MAX:
            return MORE
        return f"bindings.{number_}.{inner if inner in COLUMNS else MORE}"
    if first == "fallbacks":
        return first
    return member if member in FIELDS else MORE


def shown_fields(form: Fields) -> frozenset[str]:
    """Names of the fields of this form, for problems beside them."""
    names = {f"bindings.{i}.{at}" for i in range(rows(form)) for at in (*COLUMNS, MORE)}
    return FIELDS | names
