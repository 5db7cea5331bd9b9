"""What channels of the database may refer to, and where that may be sent. Pure.

A channel in the file may name any variable and any file: whoever writes it has the machine. Whoever
changes channels through the API has not, and would otherwise read what they like by having it sent
to a server of theirs as a key. So a reference has to be one that the settings let them use, and it
goes to the provider's own address or to hosts that the settings name.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import urlsplit

from trivium.providers.base import Provider
from trivium.providers.credential import CredentialChoice, finder_of
from trivium.settings.entries import ChannelEntry
from trivium.settings.errors import Path
from trivium.settings.secrets import REGISTERED
from trivium.settings.section import SecretsSettings

AMBIENT: Final = "identity:"
"""Begins what stands for the gateway's own identity in a cloud."""


def unusable_references(
    entry: ChannelEntry, provider: Provider, base_url: str, settings: SecretsSettings
) -> list[tuple[Path, str]]:
    """References of a channel that it may not use: where each is, and why. ``base_url`` is
    normalised; empty where the channel has none that can be used.
    """
    given = list(_given(entry))
    has_key = entry.api_key is not None or bool(entry.api_keys)
    if _is_ambient(provider, entry.credential, has_key=has_key):
        given.append((("credential",), f"{AMBIENT}{provider.name}"))
    finder = finder_of(provider.credential)
    shown_to = sorted(finder.elsewhere & entry.credential.keys()) if finder is not None else []
    found: list[tuple[Path, str]] = []
    for path, text in given:
        if not is_reference(text) and not text.startswith(AMBIENT):
            continue
        what = _refused(text, settings)
        if what is None and base_url:
            what = _unsent(provider, base_url, settings)
        if what is None and shown_to and path[0] == "credential":
            what = f"cannot be a reference beside {', '.join(shown_to)}, to which it is shown"
        if what is not None:
            found.append((path, what))
    return found


def secret_texts(entry: ChannelEntry) -> Iterator[str]:
    """Texts of a channel that are secrets or refer to them."""
    for _, text in _given(entry):
        yield text


def _given(entry: ChannelEntry) -> Iterator[tuple[Path, str]]:
    if entry.api_key is not None:
        yield ("api_key",), entry.api_key
    for k, text in enumerate(entry.api_keys):
        yield ("api_keys", k), text
    for name, text in entry.credential.items():
        yield ("credential", name), text
    for name, text in entry.headers.items():
        yield ("headers", name), text


def _refused(text: str, settings: SecretsSettings) -> str | None:
    """Why a reference may not be used; ``None``: it may."""
    if text.startswith("file:"):
        return "names a file, which channels of the database may not: give the secret itself"
    if any(fnmatchcase(text, pattern) for pattern in settings.references):
        return None
    known = ", ".join(settings.references) or "none"
    return (
        f"is a reference that channels of the database may not use: give the secret itself, or "
        f"have secrets.references allow it (there: {known})"
    )


def _unsent(provider: Provider, base_url: str, settings: SecretsSettings) -> str | None:
    """Why references may not be sent to a normalised address; ``None``: they may."""
    parts = urlsplit(base_url)
    own = urlsplit(provider.base_url or "")
    if (parts.scheme, parts.hostname, parts.port) == (own.scheme, own.hostname, own.port):
        return None
    host = (parts.hostname or "").lower()
    if parts.scheme == "https" and any(
        fnmatchcase(host, pattern.lower()) for pattern in settings.reference_hosts
    ):
        return None
    return (
        f"would be sent to {parts.scheme}://{host}, which is not {provider.title}'s own address: "
        "give the secret itself, or have secrets.reference_hosts name the host"
    )


def _is_ambient(provider: Provider, names: Mapping[str, str], *, has_key: bool) -> bool:
    """Whether a channel would be known by what the gateway finds where it runs."""
    finder = finder_of(provider.credential)
    if finder is None or finder.given & names.keys():
        return False
    return not (has_key and isinstance(provider.credential, CredentialChoice))


def is_reference(text: str) -> bool:
    """Whether a text names where a secret is."""
    return text.startswith(REGISTERED)
