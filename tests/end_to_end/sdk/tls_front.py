"""TLS in front of a gateway, for clients that send a key over nothing else."""

import asyncio
import concurrent.futures
import contextlib
import datetime as dt
import ipaddress
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM


def _certified(folder):
    """A file with a key and a certificate of 127.0.0.1, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    begin = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + dt.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "front.pem"
    path.write_bytes(
        certificate.public_bytes(PEM)
        + key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


@contextlib.contextmanager
def tls_front(folder, origin):
    """An origin that speaks TLS and hands all on to another, and the file to trust it by."""
    path = _certified(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    host, _, port = origin.removeprefix("http://").rpartition(":")

    async def carry(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def accept(reader, writer):
        inner = await asyncio.open_connection(host, int(port))
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(carry(reader, inner[1]), carry(inner[0], writer))
        for each in (writer, inner[1]):
            each.transport.abort()

    async def main(started):
        stop = asyncio.Event()
        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
        loop = asyncio.get_running_loop()
        at = server.sockets[0].getsockname()[1]
        started.set_result((at, lambda: loop.call_soon_threadsafe(stop.set)))
        await stop.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    started = concurrent.futures.Future()
    thread = threading.Thread(target=lambda: asyncio.run(main(started)), daemon=True)
    thread.start()
    at, stop = started.result(10)
    try:
        yield f"https://127.0.0.1:{at}", str(path)
    finally:
        stop()
        thread.join(10)
