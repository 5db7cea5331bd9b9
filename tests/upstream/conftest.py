"""What the tests of the upstream client share: both loops, short limits, a client that is closed."""

import asyncio
import datetime as dt
import gc
import ipaddress
import ssl

import pytest
import pytest_asyncio
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream import tls
from trivium.upstream.pool import PooledClient
from trivium.upstream.request import Origin, Request
from trivium.upstream.resolve import Resolver


def pytest_asyncio_loop_factories(config, item):
    """Every test of a coroutine runs on both loops: nothing may depend on one."""
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


PLENTY = TimeLimits(connect=5, first_byte=5, idle=5, total=30)


def ask(double, *, limits=PLENTY, payload=None, **origin):
    """A small request to a double."""
    return Request(
        origin=Origin(
            scheme=origin.get("scheme", "http"),
            host=origin.get("host", "127.0.0.1"),
            port=origin.get("port") or double.port,
            proxy=origin.get("proxy"),
        ),
        payload=payload or b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
        limits=limits,
    )


def limits(**changes):
    """Time limits for one test."""
    values = {"connect": 5.0, "first_byte": 5.0, "idle": 5.0, "total": 30.0} | changes
    return TimeLimits(**values)


@pytest_asyncio.fixture
async def make_client():
    """Builds clients with short limits and closes them."""
    made = []
    gc.freeze()  # what other tests left is not gone through again at the end of each

    def make(*, lookup=None, ca_file=None, now=None, clock=None, **changes):
        loop = asyncio.get_running_loop()
        now = now or loop.time
        values = {
            "keepalive_s": 5.0,
            "connections_max": 100,
            "wait_s": 2.0,
            "header_bytes_max": 65_536,
        } | changes
        context = []

        def trust():
            if not context:
                context.append(tls.context(ca_file))
            return context[0]

        client = PooledClient(
            UpstreamSettings(**values),
            resolver=Resolver(30, now, lookup),
            tls=trust,
            now=now,
            clock=clock,
        )
        made.append(client)
        return client

    yield make
    for client in made:
        await client.close()
    await asyncio.sleep(0.01)
    gc.collect()  # an unclosed socket warns, and warnings are errors


@pytest_asyncio.fixture
async def client(make_client):
    """One client."""
    return make_client()


@pytest.fixture
def standing():
    """How the only pool of a client stands."""

    def read(client):
        (found,) = client.stats().values()
        return found

    return read


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """A certificate authority for one test run."""

    def __init__(self, folder):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._sign(_name("test authority"), self.key.public_key(), None)
        self.ca_file = folder / "ca.pem"
        self.ca_file.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def _sign(self, subject, public, names):
        start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(_name("test authority"))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(start + dt.timedelta(days=36_500))
            .add_extension(x509.BasicConstraints(ca=names is None, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()),
                critical=False,
            )
        )
        if names is None:
            usage = x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=True,
                crl_sign=True,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            )
            builder = builder.add_extension(usage, critical=True)
        else:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def server(self, host):
        """A server's context for one host name or address."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            name = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            name = x509.DNSName(host)
        certificate = self._sign(_name(host), key.public_key(), [name])
        path = self.folder / f"{host}.pem"
        path.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        context.set_alpn_protocols(["h2", "http/1.1"])
        return context


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A certificate authority nobody else knows."""
    return Authority(tmp_path_factory.mktemp("tls"))
