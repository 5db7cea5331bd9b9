"""Files that the settings name: whether they can be used, before a caller finds out."""

import os
import ssl
from collections.abc import Iterator
from pathlib import Path

from trivium.settings.model import Server, Settings
from trivium.upstream import tls


def named(settings: Settings) -> bool:
    """Whether any is named at all."""
    server = settings.server
    return any((server.tls_certificate, server.upload_folder, settings.upstream.ca_file))


def unusable(settings: Settings) -> list[str]:
    """One line for each setting whose file or folder cannot be used; empty when all can."""
    found = [*_certificate(settings.server), *_folder(settings.server.upload_folder)]
    if settings.upstream.ca_file is not None:
        try:
            tls.context(settings.upstream.ca_file)
        except ValueError as error:
            found.append(str(error))
    return found


def server_tls(server: Server) -> ssl.SSLContext | None:
    """How the ports speak TLS; ``None``: they do not. Raises OSError, ssl.SSLError among them."""
    if not server.tls_certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # some systems leave it to a file of OpenSSL
    # without a password here, OpenSSL would ask for one at the terminal, and wait
    context.load_cert_chain(server.tls_certificate, server.tls_key, password="")
    context.set_alpn_protocols(["http/1.1"])
    return context


def _certificate(server: Server) -> Iterator[str]:
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


def _unread(setting: str, path: str) -> str:
    try:
        with Path(path).open("rb"):
            return ""
    except OSError as error:
        return f"{setting}: cannot read {path!r} ({error.strerror})"


def _folder(folder: str | None) -> Iterator[str]:
    if folder is not None and not (Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        yield (
            f"server.upload_folder: {folder!r} is no folder that can be written to, for example "
            'upload_folder = "/var/tmp"'
        )
