"""What stands in front of several nodes, started with the settings that our page prints."""

import asyncio
import contextlib
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from edge.wires import Wire

PAGE = Path(__file__).parents[3] / "docs" / "operate" / "nodes.md"
NODES = ("10.0.0.11:8080", "10.0.0.12:8080")
"""The nodes' addresses on the page."""
NAMES = ("nginx", "caddy", "haproxy")


def printed(language):
    """The settings on the page in one language of its code blocks."""
    (block,) = re.findall(rf"(?ms)^```{language}\n(.*?)^```", PAGE.read_text())
    return block


def replaced(text, *pairs):
    """The text with each first word in place of its second; each must be there."""
    for old, new in pairs:
        assert old in text, f"the page does not say {old}"
        text = text.replace(old, new)
    return text


def nginx(folder, port, nodes):
    """Its settings and command."""
    servers = replaced(
        printed("nginx"), ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
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
        printed("caddyfile"), ("gateway.example.com {", f"http://gateway.example.com:{port} {{"),
        *zip(NODES, nodes, strict=True),
    )  # fmt: skip
    path = folder / "Caddyfile"
    path.write_text(f"{{\n admin off\n auto_https off\n default_bind 127.0.0.1\n}}\n{site}")
    return ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"]


def haproxy(folder, port, nodes):
    """Its settings and command."""
    path = folder / "haproxy.cfg"
    bind = ("bind :443 ssl crt /etc/haproxy/gateway.pem", f"bind 127.0.0.1:{port}")
    path.write_text(replaced(printed("haproxy"), bind, *zip(NODES, nodes, strict=True)))
    return ["haproxy", "-db", "-f", str(path)]


COMMANDS = {"nginx": nginx, "caddy": caddy, "haproxy": haproxy}


def started(command, folder):
    """The process, which says what it has to say into a file."""
    environment = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin"}
    with (folder / "out").open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, cwd=folder, env=environment)


@contextlib.asynccontextmanager
async def balancer(name, folder, port, nodes):
    """One of them in front of nodes, which are HOST:PORT each; skipped where it is not installed."""
    if shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin") is None:
        pytest.skip(f"{name} is not installed (Debian: apt install {name})")
    folder.mkdir()
    command = COMMANDS[name](folder, port, nodes)
    command[0] = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin")
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
