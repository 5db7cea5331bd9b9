"""What an entry stores, out of a document that somebody sent."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from trivium.catalogue.documents import (
    DocumentError,
    checked,
    kept,
    moved,
    sealed_apart,
    unsealed,
)
from trivium.catalogue.model import CredentialMark, EntryBody, EntryName
from trivium.catalogue.sealing import CredentialSeal, hint
from trivium.settings.secrets import REGISTERED
from trivium.storage.vault import VaultError


class BodyMaker:
    """Seals the credentials of documents, and keeps those that they refer to."""

    def __init__(
        self,
        seal: CredentialSeal,
        values_of: Callable[[EntryName, EntryBody], Mapping[str, str]],
    ) -> None:
        """``values_of``: opens what an entry has. Raises VaultError."""
        self._seal = seal
        self._values_of = values_of

    def body(
        self, at: EntryName, document: Any, current: EntryBody | None, now_ms: int
    ) -> EntryBody:
        """What the entry will store; the very ``current`` where the document says the same.

        Raises DocumentError, which names the member.
        """
        document = checked(at, document)
        _check_proxy(document)
        former: Mapping[str, str] = {}
        if current is not None:
            former = self._former(at, document, current)
        apart, values = sealed_apart(at, document, former)
        if current is not None:
            before = unsealed(at, current.document, former)
            _check_place(at, before, apart, values, kept(at, document))
            if values == former and same(apart, current.document):
                return current
        marks = {} if current is None else {mark.at: mark for mark in current.marks}
        # a key that has moved up in the list was not given anew
        given_ms = {former[at]: mark.set_ms for at, mark in marks.items() if at in former}
        return EntryBody(
            document=apart,
            sealed=self._seal.seal(at.kind, at.name, values) if values else None,
            marks=tuple(
                marks[place]
                if place in marks and former.get(place) == value
                else self._mark(at, place, value, given_ms.get(value, now_ms))
                for place, value in values.items()
            ),
        )

    def _former(self, at: EntryName, document: Any, current: EntryBody) -> Mapping[str, str]:
        try:
            return self._values_of(at, current)
        except VaultError:
            if places := kept(at, document):
                raise DocumentError(
                    f"{places[0]}: cannot be kept: it was sealed with another secret than this "
                    "gateway's (TRIVIUM_SECRET). Give it again"
                ) from None
            return {}

    def _mark(self, at: EntryName, place: str, value: str, now_ms: int) -> CredentialMark:
        fingerprint = self._seal.fingerprint(at.kind, at.name, place, value)
        return CredentialMark(at=place, hint=hint(value), fingerprint=fingerprint, set_ms=now_ms)


def _check_proxy(document: Any) -> None:
    """A proxy is looked up where it is read, whoever named it: it is given itself."""
    proxy = document.get("proxy") if isinstance(document, dict) else None
    if isinstance(proxy, str) and proxy.startswith(REGISTERED):
        raise DocumentError(
            "proxy: cannot be a reference in the database: give the address itself, it is sealed"
        )


def _check_place(
    at: EntryName, before: Any, document: Any, values: Mapping[str, str], places: list[str]
) -> None:
    """Raises DocumentError where credentials are kept and calls would go elsewhere."""
    member = moved(before, unsealed(at, document, values)) if places else None
    if member is not None:
        raise DocumentError(
            f"{member}: is another than before, so that calls would go elsewhere: give the "
            f"credentials again ({', '.join(places[:5])}), not references to the sealed ones"
        )


def same(one: Any, other: Any) -> bool:
    """Whether two documents say the same: in any order, and 1 is not true."""
    encode = msgspec.json.Encoder(order="deterministic").encode
    return encode(one) == encode(other)
