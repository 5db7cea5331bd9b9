"""Keys and certificates of Entra ID's double, and how it refuses."""

import base64
import datetime as dt
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

_KEYS = {}


def rsa_key(name):
    """A key of its own for each name; making one takes long, so it is made once."""
    if name not in _KEYS:
        _KEYS[name] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return _KEYS[name]


def private_pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def certificate_of(name, key, issuer, signer, *, ca=False):
    now = dt.datetime.now(dt.UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names = [
        x509.DNSName("localhost"),
        x509.DNSName("login.contoso.example"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(signer, hashes.SHA256())
    )


def application_certificate(name="gateway"):
    """(the certificate with its key as PEM, the certificate): what an operator uploads."""
    key = rsa_key(name)
    made = certificate_of(name, key, None, key)
    return (private_pem(key) + made.public_bytes(serialization.Encoding.PEM)).decode(), made


def entra_refusal(status, error, number, text):
    """A refusal as Entra writes it."""
    stamp = "2026-11-28 01:50:00Z"
    trace = "5d1f0c9e-7c64-4f0e-9b8f-3a7c1b2d4e5f"
    return status, {
        "error": error,
        "error_description": f"AADSTS{number}: {text} Trace ID: {trace} Correlation ID: {trace} Timestamp: {stamp}",
        "error_codes": [number],
        "timestamp": stamp,
        "trace_id": trace,
        "correlation_id": trace,
        "error_uri": f"https://login.microsoftonline.com/error?code={number}",
    }


def thumbprint(certificate, algorithm):
    return base64.urlsafe_b64encode(certificate.fingerprint(algorithm)).decode().rstrip("=")


def server_context(folder, ca_file):
    """A server's certificate, whose authority is written to a file."""
    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in "ab")
    root = certificate_of("authority of a test", authority, None, authority, ca=True)
    leaf = certificate_of("localhost", own, root.subject, authority)
    Path(ca_file).write_bytes(root.public_bytes(serialization.Encoding.PEM))
    chain = folder / "entra-server.pem"
    chain.write_bytes(private_pem(own) + leaf.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    return context
