"""Files that the settings name."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from trivium.settings.model import ServerSettings, Settings, UpstreamSettings
from trivium.wiring.files import named, server_tls, unusable
from upstream.conftest import Authority


@pytest.fixture
def pem(tmp_path):
    authority = Authority(tmp_path)
    authority.server("127.0.0.1")
    return str(tmp_path / "127.0.0.1.pem")


def with_server(**given):
    return Settings(server=ServerSettings(**given))


def test_without_any_there_is_nothing_to_look_at():
    """Most set-ups name none."""
    assert not named(Settings())
    assert [] == unusable(Settings())
    assert server_tls(ServerSettings()) is None


def test_what_can_be_used_is_not_told(pem, tmp_path):
    """A certificate with its key, authorities, a folder."""
    settings = Settings(
        server=ServerSettings(tls_certificate=pem, tls_key=pem, upload_folder=str(tmp_path)),
        upstream=UpstreamSettings(ca_file=str(tmp_path / "ca.pem")),
    )
    assert named(settings)
    assert [] == unusable(settings)


def test_files_that_are_not_there_are_named_with_their_settings(tmp_path):
    """All of them at once."""
    settings = Settings(
        server=ServerSettings(
            tls_certificate=f"{tmp_path}/a", tls_key=f"{tmp_path}/b", upload_folder=f"{tmp_path}/c"
        ),
        upstream=UpstreamSettings(ca_file=f"{tmp_path}/d"),
    )
    starts = [
        f"server.tls_certificate: cannot read '{tmp_path}/a' (No such file or directory)",
        f"server.tls_key: cannot read '{tmp_path}/b' (No such file or directory)",
        f"server.upload_folder: '{tmp_path}/c' is no folder",
        f"upstream.ca_file: cannot read certificates from '{tmp_path}/d'",
    ]
    found = unusable(settings)
    assert len(starts) == len(found)
    assert starts == [line[: len(start)] for line, start in zip(found, starts, strict=True)]


def test_a_key_of_another_certificate_is_told(pem, tmp_path):
    """Before any caller sees a handshake fail."""
    (tmp_path / "other").mkdir()
    other = Authority(tmp_path / "other")
    other.server("127.0.0.1")
    settings = with_server(tls_certificate=pem, tls_key=f"{tmp_path}/other/127.0.0.1.pem")
    (told,) = unusable(settings)
    assert told.startswith(f"server.tls_certificate: '{pem}' is no certificate that goes with the")


def test_a_key_with_a_passphrase_is_told_and_nobody_is_asked_for_it(pem, tmp_path):
    """OpenSSL would ask at the terminal, and a service has none."""
    key = serialization.load_pem_private_key(Path(pem).read_bytes(), None)
    sealed = tmp_path / "sealed.pem"
    sealed.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    (told,) = unusable(with_server(tls_certificate=pem, tls_key=str(sealed)))
    assert "the key without a passphrase" in told
