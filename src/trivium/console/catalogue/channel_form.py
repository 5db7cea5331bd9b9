"""A channel as a form: its fields out of a document, and the document out of what was sent. Pure.

Every member has its field, so that nothing of an entry is lost by editing it here. A credential is
never in a field again once it is saved: its reference is kept unless another is given.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.catalogue.documents import SEALED
from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.console import forms
from trivium.console.catalogue.changing import Fields
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.catalogue.values import number, put, said
from trivium.providers.base import Provider
from trivium.providers.credential import finder_of, parts_of
from trivium.settings.secrets import REGISTERED

KEYS: Final = ("api_key", "api_keys")
KEYS_SHOWN: Final = 100
"""Keys that can be taken away one by one; more go together."""
TEXTS: Final = ("base_url", "probe.kind", "probe.model", "probe.path")
NUMBERS: Final = (
    "requests_per_minute",
    "tokens_per_minute",
    "max_concurrency",
    "queue_max",
    "queue_s",
    "timeouts.connect",
    "timeouts.first_byte",
    "timeouts.idle",
    "timeouts.total",
    "probe.every_s",
)
FIELDS: Final = frozenset(
    {"name", "provider", "keys", "added_headers", "proxy", "disabled", *TEXTS, *NUMBERS}
)
"""Names of fields that every channel has."""
_PLACED: Final = {"api_key": "keys", "api_keys": "keys", "headers": "added_headers"}


class KeptSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A credential that an entry has, as a page shows it."""

    at: str
    """Its place: ``api_keys.0``."""
    id: str
    """Its place and what it is, so that no other is taken away in its place."""
    text: str
    """What stands in the document."""
    reference: str = ""
    """``env:NAME`` or a store's; empty: it is sealed, or the file's own."""
    hint: str = ""
    """Its last characters; empty of a short one."""
    set_ms: int = 0
    """When it was given; 0: it is not known."""


class CredentialField(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the credential that the provider asks for beside the key."""

    name: str
    is_needed: bool
    is_secret: bool
    kept: KeptSecret | None


class ChannelNeeds(msgspec.Struct, frozen=True, kw_only=True):
    """What the form of a provider's channels asks for."""

    takes_key: bool
    needs_key: bool
    needs_address: bool
    parts: tuple[CredentialField, ...]
    keys: tuple[KeptSecret, ...]
    proxy: KeptSecret | None

    @property
    def shown(self) -> frozenset[str]:
        """Names of the fields of this form, for problems beside them."""
        return FIELDS | {f"credential.{part.name}" for part in self.parts}


def needs(provider: Provider, entry: ShownEntry | None) -> ChannelNeeds:
    """What a channel of this provider is asked for, and what of that the entry has."""
    needed, optional = parts_of(provider.credential)
    finder = finder_of(provider.credential)
    plain = frozenset() if finder is None else finder.plain
    kept = secrets(entry)
    given = [place.removeprefix("credential.") for place in kept if place.startswith("credential.")]
    names = dict.fromkeys(name for name in (*needed, *optional, *given) if name != "api_key")
    return ChannelNeeds(
        takes_key="api_key" in needed or "api_key" in optional or any(_keys(kept)),
        needs_key="api_key" in needed and not provider.key_optional,
        needs_address=provider.base_url is None,
        parts=tuple(
            CredentialField(
                name=name,
                is_needed=name in needed,
                is_secret=name not in plain,
                kept=kept.get(f"credential.{name}"),
            )
            for name in names
        ),
        keys=tuple(_keys(kept)),
        proxy=kept.get("proxy"),
    )


def secrets(entry: ShownEntry | None) -> dict[str, KeptSecret]:
    """Keys, parts of the credential and the proxy of an entry, by their place."""
    if entry is None:
        return {}
    document = entry.document
    found: dict[str, str] = {}
    for name in ("api_key", "proxy"):
        if isinstance(document.get(name), str):
            found[name] = document[name]
    found |= {f"api_keys.{i}": each for i, each in enumerate(document.get("api_keys", ()))}
    found |= {f"credential.{name}": each for name, each in document.get("credential", {}).items()}
    marks = {mark.at.replace("/", ".", 1): mark for mark in entry.marks}
    return {
        place: KeptSecret(
            at=place,
            id=f"{place}:{marks[place].fingerprint if place in marks else text}",
            text=text,
            reference=text if text.startswith(REGISTERED) else "",
            hint=marks[place].hint if place in marks else text[1:] if entry.place else "",
            set_ms=marks[place].set_ms if place in marks else 0,
        )
        for place, text in found.items()
    }


def _keys(kept: Mapping[str, KeptSecret]) -> list[KeptSecret]:
    return [each for place, each in kept.items() if place.partition(".")[0] in KEYS]


def shown(entry: ShownEntry) -> Fields:
    """Return the form of a channel that is there, with the version it was made of."""
    document = entry.document
    given = {name: said(document, name) for name in (*TEXTS, *NUMBERS)}
    given |= {
        "name": entry.name,
        "provider": document.get("provider", ""),
        "added_headers": "\n".join(
            f"{name}: {text}" for name, text in document.get("headers", {}).items()
        ),
        "disabled": "1" if document.get("disabled") else "",
        "version": str(entry.version),
    }
    return forms.empty(forms.Form, **given)


def copied(entry: ShownEntry, name: str) -> Fields:
    """The form of a channel like that one, with another name and without its credentials."""
    document = {
        **entry.document,
        "headers": {
            at: text
            for at, text in entry.document.get("headers", {}).items()
            if text.startswith(REGISTERED)
        },
    }
    alike = msgspec.structs.replace(entry, document=document)
    given = {at: values[0] for at, values in shown(alike).given.items() if at != "version"}
    return forms.empty(forms.Form, **{**given, "name": name})


def document(form: Fields, entry: ShownEntry | None) -> dict[str, Any]:
    """What the channel is to be. What is empty is left out; what is not understood goes on as it
    was typed, and is refused in the words of the settings.
    """
    made: dict[str, Any] = {"provider": form.first("provider").strip()}
    kept = secrets(entry)
    made |= _keys_of(form, _keys(kept))
    for name in TEXTS:
        put(made, name, form.first(name).strip() or None)
    for name in NUMBERS:
        put(made, name, number(form.first(name)))
    parts = {place.partition(".")[2] for place in kept if place.startswith("credential.")}
    parts |= {at.partition(".")[2] for at in form.given if at.startswith("credential.")}
    for part in sorted(parts):
        put(made, f"credential.{part}", _secret(form, f"credential.{part}", kept))
    put(made, "proxy", _secret(form, "proxy", kept))
    if headers := _headers(form):
        made["headers"] = headers
    if form.first("disabled"):
        made["disabled"] = True
    return made


def _keys_of(form: Fields, kept: list[KeptSecret]) -> dict[str, Any]:
    """The keys that stay and those that were pasted, one a line."""
    gone = set(form.given.get("remove", ()))
    left = [] if "keys" in gone else [each.text for each in kept if each.id not in gone]
    given = [line for each in form.first("keys").splitlines() if (line := each.strip())]
    keys = list(dict.fromkeys([*left, *given]))
    if not keys:
        return {}
    return {"api_key": keys[0]} if len(keys) == 1 else {"api_keys": keys}


def _secret(form: Fields, name: str, kept: Mapping[str, KeptSecret]) -> str | None:
    given = form.first(name).strip()
    if given:
        return given
    if name in kept and kept[name].id not in form.given.get("remove", ()):
        return kept[name].text
    return None


def _headers(form: Fields) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in form.first("added_headers").splitlines():
        name, colon, value = line.partition(":")
        if line.strip():
            found[name.strip()] = value.strip() if colon else ""
    return found


def field_of(member: str) -> str:
    """The field that a problem with a member belongs to."""
    first = member.partition(".")[0]
    return _PLACED.get(first, member)


def free_name(wanted: str, taken: Mapping[str, str]) -> str:
    """The name, with a number behind it where it is taken."""
    if wanted not in taken:
        return wanted
    count = 2
    while f"{wanted}-{count}" in taken:
        count += 1
    return f"{wanted}-{count}"


def named(name: str) -> EntryName:
    """A channel's name as an entry's."""
    return EntryName(CatalogueKind.CHANNEL.value, name)


def is_sealed(text: str) -> bool:
    """Whether it is a reference to a credential of the entry's own."""
    return text.startswith(SEALED)
