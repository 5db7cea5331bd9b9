"""How a vendor's certificate is checked: always, against the system's authorities or a file."""

import ssl


def context(ca_file: str | None) -> ssl.SSLContext:
    """Settings for every TLS connection to a vendor: verified, host name checked, HTTP/1.1.

    ``ca_file`` is a PEM bundle that replaces the system's; ``None``: the system's. Raises
    ``ValueError`` naming the setting when the file cannot be used.
    """
    try:
        made = ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # ssl.SSLError, for a file that is not PEM, is one
        reason = error.strerror or "not a PEM bundle"
        raise ValueError(
            f"upstream.ca_file: cannot read certificates from {ca_file!r} ({reason}); "
            'give a PEM bundle, for example "/etc/ssl/certs/ca-certificates.crt"'
        ) from error
    # some systems' Python leaves it to a file of OpenSSL's (Debian's 3.11.2)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.set_alpn_protocols(["http/1.1"])
    return made
