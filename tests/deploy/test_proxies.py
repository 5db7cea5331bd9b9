"""The settings of deploy/proxies: each program takes them, callers keep their addresses, and
nothing is held back.
"""

import asyncio
import datetime as dt
import http.client
import re
import subprocess
import sys

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from end_to_end.fleet.balancers import NAMES, PROXIES, balancer, program
from end_to_end.running import ANSWER, CHAT, identity, running
from ports import free_port
from scripted_upstream import Close, Double, Send, Until, sized
from trivium.settings.model import ServerSettings, UpstreamSettings

CALLER = "127.0.0.2"
CLAIMED = "203.0.113.9"
JSON = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
FILES = {
    "nginx": "nginx.conf",
    "caddy": "Caddyfile",
    "haproxy": "haproxy.cfg",
    "envoy": "envoy.yaml",
}


@pytest.fixture
def certificate(tmp_path):
    """Files of a certificate, its key, and both in one."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gateway.example.com")])
    now = dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 7, now, now.replace(year=2099))
    text = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    kept = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    for ending, content in (("crt", text), ("key", kept), ("pem", text + kept)):
        (tmp_path / f"gateway.{ending}").write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_each_program_takes_its_file_as_it_is(name, certificate):
    """But for where the certificate lies."""
    found = program(name)
    text = (PROXIES / FILES[name]).read_text()
    text = re.sub(r"/etc/\w+/(?=gateway\.)", f"{certificate}/", text)
    file = certificate / FILES[name]
    file.write_text(text)
    main = certificate / "main.conf"
    main.write_text(
        f"pid {certificate}/pid;\nevents {{}}\nhttp {{\naccess_log off;\ninclude {file};\n}}\n"
    )
    check = {
        "nginx": ["-t", "-c", str(main), "-e", str(certificate / "log"), "-p", str(certificate)],
        "caddy": ["validate", "--config", str(file), "--adapter", "caddyfile"],
        "haproxy": ["-c", "-f", str(file)],
        "envoy": ["--mode", "validate", "-c", str(file), "--use-dynamic-base-id"],
    }
    done = subprocess.run(
        [found, *check[name]], check=False, capture_output=True, text=True,
        env={"HOME": str(certificate), "PATH": "/usr/sbin:/usr/bin"},
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout + done.stderr


def test_their_time_limits_fit_the_gateways_own():
    """Idle connections are closed sooner, models may take their time, checks notice an end."""
    server, upstream = ServerSettings(), UpstreamSettings()
    said = {name: (PROXIES / file).read_text() for name, file in FILES.items()}
    idle = [
        float(re.search(pattern, said[name])[1])
        for name, pattern in (
            ("nginx", r"keepalive_timeout (\d+)s;"), ("caddy", r"keepalive (\d+)s"),
            ("haproxy", r"pool-purge-delay (\d+)s"), ("envoy", r" idle_timeout: (\d+)s"),
        )
    ]  # fmt: skip
    assert max(idle) < server.drain_idle_s
    for name, text in said.items():
        if name != "caddy":  # which has no limit
            assert f"{upstream.first_byte_timeout_s:.0f}s" in text
    every = [
        float(n) / 1000
        for n in re.findall(r"(?:health_interval|inter) (\d+)ms", "".join(said.values()))
    ]
    every += [float(n) for n in re.findall(r"interval: ([\d.]+)s", said["envoy"])]
    assert 4 == len(every)
    assert max(every) * 2 <= server.drain_notice_s


def asked(port, key, *headers, body):
    """A chat from the caller's address: the answer, its body not yet read."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(CALLER, 0))
    said = {"Host": "gateway.example.com", "Authorization": f"Bearer {key}", "Connection": "close"}
    line.request("POST", CHAT, msgspec.json.encode(body), said | dict(headers))
    return line.getresponse()  # which closes it at the answer's end


@pytest.mark.asyncio
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="127.0.0.2 is Linux's")
@pytest.mark.parametrize("name", NAMES)
async def test_callers_keep_their_addresses_and_streams_their_pace(tmp_path, name):
    """What a caller claims to be is not believed; what was said arrives before the end."""
    go_on = asyncio.Event()
    frame = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
    end = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    script = [JSON, [Send(head + frame), Until(go_on), Send(end), Close()]]
    trusted = 'trusted_proxies = ["127.0.0.1/32"]'
    port = free_port()
    chat = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    async with Double(script) as vendor, running(tmp_path, vendor, server=trusted) as gateway:
        async with identity(tmp_path) as people:
            own, other = [
                (await people.create_key("ada", allowed, networks=(f"{allowed}/32",)))[1]
                for allowed in (CALLER, CLAIMED)
            ]
        node = f"127.0.0.1:{gateway.port}"
        async with balancer(name, tmp_path / name, port, [node, node]):
            claim = ("X-Forwarded-For", CLAIMED)

            def ask(key, **more):
                return asyncio.to_thread(asked, port, key, claim, body=chat | more)

            answer = await ask(other)
            said = answer.read()
            assert (403, True, False) == (
                answer.status, CALLER.encode() in said, CLAIMED.encode() in said
            )  # fmt: skip
            answer = await ask(own)
            assert (200, ANSWER) == (answer.status, answer.read())
            answer = await ask(own, stream=True)
            first = await asyncio.to_thread(answer.read1)
            assert frame.startswith(first[:20])
            assert not go_on.is_set()
            go_on.set()
            assert frame + end == first + await asyncio.to_thread(answer.read)
