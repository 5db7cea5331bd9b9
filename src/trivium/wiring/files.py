"""Files that the settings name: whether they can be used, before a caller finds out."""

import os
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from trivium.settings.model import ServerSettings, Settings
from trivium.upstream import tls

_NAME_MAX: Final = 256
"""Bytes in the name of a file, on every system there is."""


def named(settings: Settings) -> bool:
    """Whether the settings name any file at all."""
    server = settings.server
    given = (server.tls_certificate, server.upload_folder, settings.upstream.ca_file)
    return any(given) or settings.assets.url.startswith("file:")


def unusable(settings: Settings) -> list[str]:
    """One line for each setting whose file or folder cannot be used; empty when all can."""
    found = [*_certificate(settings.server), *_folder(settings.server.upload_folder)]
    found += _assets(settings.assets.url)
    if settings.upstream.ca_file is not None:
        try:
            tls.context(settings.upstream.ca_file)
        except ValueError as error:
            found.append(str(error))
    return found


def server_tls(server: ServerSettings) -> ssl.SSLContext | None:
    """Return the TLS context of the ports; ``None`` when they speak plain HTTP. Raises OSError,
    ssl.SSLError among them.
    """
    if not server.tls_certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # some systems leave it to a file of OpenSSL
    # without a password here, OpenSSL would ask for one at the terminal, and wait
    context.load_cert_chain(server.tls_certificate, server.tls_key, password="")
    context.set_alpn_protocols(["http/1.1"])
    return context


def _certificate(server: ServerSettings) -> Iterator[str]:
    pair = (("tls_certificate", server.tls_certificate), ("tls_key", server.tls_key))
    unread = [line for name, path in pair if path and (line := _unread(f"server.{name}", path))]
    yield from unread
    if unread:
        return
    try:
        server_tls(server)
    except OSError:
        yield (
            f"server.tls_certificate: {server.tls_certificate!r} is no certificate that goes with "
            f"the key {server.tls_key!r}; give both as PEM, the key without a passphrase, for "
            'example tls_certificate = "tls/server.pem"'
        )


def _assets(url: str) -> Iterator[str]:
    """A folder for generated files that is there, or can be made."""
    if not url.startswith("file:"):
        return
    folder = Path(unquote(urlsplit(url).path))
    try:
        above = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
        if above.is_dir() and os.access(above, os.W_OK | os.X_OK) and len(folder.name) < _NAME_MAX:
            return
        why = f"{above} is no folder that we may write to"
    except OSError as error:
        why = str(error.strerror)
    yield (
        f"assets.url: {str(folder)!r} cannot be written: {why}, for example "
        'url = "file:///var/lib/trivium/assets"'
    )


def is_dir(path: Path) -> bool:
    """As ``Path.is_dir``, which raises OSError for a name that is too long."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _unread(setting: str, path: str) -> str:
    try:
        with Path(path).open("rb"):
            return ""
    except OSError as error:
        return f"{setting}: cannot read {path!r} ({error.strerror})"


def _folder(folder: str | None) -> Iterator[str]:
    if folder is not None and not (is_dir(Path(folder)) and os.access(folder, os.W_OK | os.X_OK)):
        yield (
            f"server.upload_folder: {folder!r} is no folder that can be written to, for example "
            'upload_folder = "/var/tmp"'
        )
