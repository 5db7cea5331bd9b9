"""Sockets, TLS, and the limits of connections."""

import asyncio
import contextlib
import socket
import ssl

import pytest

from end_to_end.running import ANSWER, settings
from scripted_upstream import Double, Send, sized
from trivium.settings.model import ServerSettings
from trivium.wiring import ports
from upstream.conftest import Authority
from wiring.serving import Nobody, serving

OK = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
PAGES = ("/healthz", "/readyz", "/openapi.json")


@pytest.mark.asyncio
async def test_the_port_speaks_tls_when_it_has_a_certificate(tmp_path):
    """HTTP/1.1 by ALPN, nothing older than TLS 1.2, and plain HTTP is no answer to anything."""
    authority = Authority(tmp_path)
    authority.server("127.0.0.1")
    pem = tmp_path / "127.0.0.1.pem"
    own = settings(Nobody(), server=f'tls_certificate = "{pem}"\ntls_key = "{pem}"')
    trusting = ssl.create_default_context(cafile=authority.ca_file)
    trusting.set_alpn_protocols(["h2", "http/1.1"])
    async with (
        Double([OK]) as vendor,
        serving(tmp_path, own.replace(":9/", f":{vendor.port}/")) as gateway,
    ):
        assert gateway.origins[0].startswith("https://127.0.0.1:")
        status, _, body = await gateway.chat(tls=trusting)
        assert (200, ANSWER) == (status, body)
        assert 200 == (await gateway.get("/healthz", tls=trusting))[0]
        _, writer = await asyncio.open_connection("127.0.0.1", gateway.port(), ssl=trusting)
        found = writer.get_extra_info("ssl_object")
        assert "http/1.1" == found.selected_alpn_protocol()
        assert found.version() in ("TLSv1.2", "TLSv1.3")
        writer.close()
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            await writer.wait_closed()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await gateway.get("/healthz")


@pytest.mark.asyncio
async def test_who_never_shakes_hands_is_let_go(tmp_path):
    """Such a connection is not among those that are counted yet, so only time can end it."""
    authority = Authority(tmp_path)
    authority.server("127.0.0.1")
    pem = tmp_path / "127.0.0.1.pem"
    server = f'tls_certificate = "{pem}"\ntls_key = "{pem}"\nheader_timeout_s = 0.3'
    async with serving(tmp_path, settings(Nobody(), server=server)) as gateway:
        reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port())
        with contextlib.suppress(ConnectionError):
            assert b"" == await asyncio.wait_for(reader.read(), 20)
        writer.close()


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


@pytest.mark.asyncio
@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 on this machine")
async def test_it_listens_on_ipv6(tmp_path):
    """With the address in brackets, as it is written in the settings and in a URL."""
    async with Double([OK]) as vendor:
        own = settings(vendor).replace('listen = "127.0.0.1:0"', 'listen = "[::1]:0"')
        async with serving(tmp_path, own) as gateway:
            assert gateway.origins[0].startswith("http://[::1]:")
            status, _, body = await gateway.chat(host="::1")
            assert (200, ANSWER) == (status, body)


def test_every_limit_of_the_settings_reaches_its_part():
    """None is forgotten on the way."""
    server = ServerSettings(
        header_bytes_max=1, headers_max=2, body_bytes_max=3, header_timeout_s=4, body_timeout_s=5,
        keepalive_s=6, pipeline_max=7, write_high_bytes=8, connections_max=9, half_closed="answer",
        objects_max=10, upload_bytes_max=11,
    )  # fmt: skip
    edge = ports.edge_limits(server)
    assert edge.half_closed_cancels is False
    for name in ("header_bytes_max", "headers_max", "body_bytes_max", "header_timeout_s",
                 "body_timeout_s", "keepalive_s", "pipeline_max", "write_high_bytes",
                 "connections_max", "objects_max", "upload_bytes_max"):  # fmt: skip
        assert getattr(server, name) == getattr(edge, name)
