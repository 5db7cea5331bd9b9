"""How a secret in a store is written: ``vault:PATH#FIELD`` and the others. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

SCHEMES: Final[Mapping[str, str]] = {
    "vault": "vault:PATH#FIELD",
    "aws-sm": "aws-sm:NAME or aws-sm:NAME#FIELD",
    "gcp-sm": "gcp-sm:projects/PROJECT/secrets/NAME/versions/latest, perhaps with #FIELD",
}
"""Each store by its scheme, and how its references are written."""
PREFIXES: Final = tuple(f"{scheme}:" for scheme in SCHEMES)
_NAMES: Final = {
    "vault": re.compile(r"[!-.0-~][!-~]{0,1023}"),
    "aws-sm": re.compile(r"[A-Za-z0-9/_+=.@:-]{1,2048}"),
    "gcp-sm": re.compile(
        r"projects/[A-Za-z0-9][A-Za-z0-9.:_-]*(?:/locations/[a-z0-9-]+)?/secrets/[A-Za-z0-9_-]+/versions/[A-Za-z0-9_-]+"
    ),
}
_NEEDS_FIELD: Final = frozenset({"vault"})


class StoredReference(msgspec.Struct, frozen=True):
    """Where a secret is kept."""

    scheme: str
    name: str
    """The store's own name for the document."""
    field: str
    """The member of it that is meant; empty: the whole text."""


def parse(text: str) -> StoredReference:
    """Read a reference. Raises ValueError that says how it is written."""
    scheme, _, rest = text.partition(":")
    name, mark, field = rest.partition("#")
    needs = scheme in _NEEDS_FIELD
    if needs and ("?" in name or "/" not in name or {"", ".", ".."} & {*name.split("/")}):
        name = ""
    if not _NAMES[scheme].fullmatch(name) or (mark and not field) or (needs and not field):
        raise ValueError(f"is no reference to a secret of this kind: write {SCHEMES[scheme]}")
    return StoredReference(scheme, name, field)


def field_of(document: str | Mapping[str, Any], field: str) -> str:
    """The text of one member of a document, or a whole text. Raises ValueError, without values."""
    if not field:
        if isinstance(document, str):
            return document
        raise ValueError("has several fields: name one with #FIELD")
    if isinstance(document, str):
        try:
            document = msgspec.json.decode(document, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise ValueError("is no JSON object, so it has no fields") from None
    value = document.get(field)
    if isinstance(value, str):
        return value
    raise ValueError(f"has no field {field}" if value is None else f"has no text as {field}")
