"""Looks secrets up in stores, for one reading of the settings.

A document is fetched once, however many of its fields are named. A store that does not answer is
not asked again in the same reading, so that one that is away costs its time limit once.
"""

import importlib
import time
from collections.abc import Callable, Mapping
from typing import Final

from trivium.settings.secret_stores.reference import StoredReference, field_of, parse
from trivium.settings.secret_stores.store import (
    READING_S,
    TIMEOUT_S,
    Document,
    SecretStore,
    StoreError,
    bounded,
)

_MODULES: Final = {"vault": "vault", "aws-sm": "aws", "gcp-sm": "gcp"}
"""Each has a function ``open_store`` that imports the library."""
_NOTHING: Final[Mapping[str, str]] = {}


def open_store(scheme: str, environ: Mapping[str, str]) -> SecretStore:
    """The store of a scheme, as the environment names it. Raises StoreError."""
    module = importlib.import_module(f"trivium.settings.secret_stores.{_MODULES[scheme]}")
    opened: SecretStore = module.open_store(environ)
    return opened


class StoredSecrets:
    """Everything that one reading finds in stores."""

    def __init__(
        self,
        environ: Mapping[str, str],
        known: Mapping[str, str] = _NOTHING,
        *,
        asking: bool = True,
        opening: Callable[[str, Mapping[str, str]], SecretStore] = open_store,
        limit_s: float = TIMEOUT_S,
        reading_s: float = READING_S,
    ) -> None:
        """``known``: what an earlier reading found, by reference; it stays in force where a store
        does not give the secret now. ``asking``: whether stores are asked for these as well.
        """
        self._asking = asking
        self._environ = environ
        self._known = known
        self._opening = opening
        self._limit_s = limit_s
        self._reading_s = reading_s
        self._spent_s: dict[str, float] = {}
        self._stores: dict[str, SecretStore] = {}
        self._away: dict[str, StoreError] = {}
        self._documents: dict[tuple[str, str], Document] = {}
        self.values: dict[str, str] = {}
        """What this reading uses, by reference."""
        self.stale: dict[str, str] = {}
        """References whose earlier value is used, with why."""

    def look_up(self, text: str) -> str:
        """The secret that a reference names. Raises ValueError, without its value."""
        if text not in self.values:
            self.values[text] = self._find(text)
        return self.values[text]

    def _find(self, text: str) -> str:
        if not self._asking and text in self._known:
            return self._known[text]
        reference = parse(text)
        try:
            return field_of(self._document(reference), reference.field)
        except (StoreError, ValueError) as exc:
            if text in self._known:
                self.stale[text] = str(exc)
                return self._known[text]
            raise ValueError(f"names the secret {text}, which {exc}") from None

    def _document(self, reference: StoredReference) -> Document:
        scheme, name = reference.scheme, reference.name
        if scheme in self._away:
            raise self._away[scheme]
        try:
            if scheme not in self._stores:
                self._stores[scheme] = self._opening(scheme, self._environ)
            if (scheme, name) not in self._documents:
                self._documents[scheme, name] = self._asked(scheme, name)
        except StoreError as exc:
            if exc.whole:
                self._away[scheme] = exc
            raise
        return self._documents[scheme, name]

    def _asked(self, scheme: str, name: str) -> Document:
        """The document as its store has it now, if there is time left. Raises StoreError."""
        spent = self._spent_s.get(scheme, 0.0)
        if spent >= self._reading_s:
            raise StoreError(f"took {self._reading_s:g} s for the others already", whole=True)
        store, began = self._stores[scheme], time.monotonic()
        try:
            limit_s = min(self._limit_s, self._reading_s - spent)
            return bounded(lambda: store.read(name), limit_s)
        finally:
            self._spent_s[scheme] = spent + time.monotonic() - began
