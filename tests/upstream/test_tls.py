"""What a TLS context for vendors insists on."""

import ssl

import pytest

from trivium.upstream import tls


def test_certificates_and_names_are_checked():
    """With the system's authorities as with a file."""
    made = tls.context(None)
    assert ssl.CERT_REQUIRED is made.verify_mode
    assert made.check_hostname
    assert made.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_a_file_replaces_the_systems_authorities(authority):
    """Only what it holds is trusted."""
    assert 1 == len(tls.context(str(authority.ca_file)).get_ca_certs())


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_an_unusable_file_is_named(tmp_path, content):
    """With the setting and what would be right."""
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=r"^upstream\.ca_file: .*ca\.pem.*for example"):
        tls.context(str(path))
