"""A gateway without a cloud's channels imports nothing of the cloud; one with them imports it at start."""

import json
import os
import subprocess
import sys

import pytest

from .test_start_up import SOURCES

CLOUDS = (
    "trivium.pipeline.framed_attempt", "trivium.pipeline.surface", "trivium.pipeline.wrapped_lane",
    "trivium.providers.bedrock", "trivium.providers.identities.aws",
    "trivium.providers.identities.azure", "trivium.providers.identities.google",
    "trivium.providers.signature_v4", "trivium.providers.vertex", "trivium.providers.videos.google",
    "trivium.providers.wrapping", "trivium.upstream.credentials", "trivium.upstream.finding",
    "trivium.upstream.late_head",
    "trivium.upstream.signing", "trivium.upstream.thread_client", "trivium.upstream.tokens",
    "trivium.wire.aws_errors", "trivium.wire.bedrock", "trivium.wire.cohere",
    "trivium.wire.converse", "trivium.wire.event_stream", "trivium.wire.generate.for_vertex",
    "trivium.wire.messages.hosted", "trivium.wire.vertex", "botocore", "google.auth",
    "azure.identity",
)  # fmt: skip
"""Modules, and those below them, that are for Bedrock, Vertex AI, Azure's tokens and Cohere alone."""
HERE = {"trivium.wire.converse", "trivium.wire.converse.path"}
"""Of these, what every gateway has: the addresses of Amazon's clients are told from others."""

SCRIPT = """
import json, os, sys, threading, time, urllib.request
sys.path.insert(0, sys.argv[1])
address = "http://127.0.0.1:" + sys.argv[2]

def told():
    until = time.monotonic() + 40
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(address + "/login", timeout=5).read()
        except OSError:
            time.sleep(0.05)
        else:
            print("MODULES " + json.dumps(sorted(sys.modules)), flush=True)
            os._exit(0)
    os._exit(3)

threading.Thread(target=told, daemon=True).start()
sys.argv = ["trivium", "serve"]
from trivium.cli.main import main
main()
"""
FILE = """
[server]
listen = "127.0.0.1:{port}"
[storage]
url = "sqlite:///{folder}/t.db"
"""
CHANNEL = """
[[channels]]
name = "{name}"
provider = "{provider}"
{more}
[[models]]
name = "{name}"
free = true
bindings = [{{ channel = "{name}" }}]
"""
KEY = 'api_key = "sk-test"'
HOST = 'base_url = "https://bedrock-runtime.eu-central-1.amazonaws.com"'
PLACE = 'base_url = "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global"'


@pytest.fixture
def started(tmp_path, unused_tcp_port):
    """Starts a gateway with these channels: the modules of clouds that it has, once it serves pages."""

    def start(**channels):
        rows = [
            CHANNEL.format(name=name, provider=name, more=more) for name, more in channels.items()
        ]
        text = FILE.format(port=unused_tcp_port, folder=tmp_path) + "".join(rows)
        (tmp_path / "trivium.toml").write_text(text)
        done = subprocess.run(
            [sys.executable, "-I", "-c", SCRIPT, str(SOURCES), str(unused_tcp_port)],
            capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        )  # fmt: skip
        found = [line for line in done.stdout.splitlines() if line.startswith("MODULES ")]
        assert found, done.stdout + done.stderr
        names = json.loads(found[0].removeprefix("MODULES "))
        return {n for n in names for c in CLOUDS if n == c or n.startswith(f"{c}.")} - HERE

    return start


def test_a_gateway_without_clouds_imports_nothing_of_them(started):
    """Neither what serves callers, nor what shows pages: not one module."""
    assert set() == started(openai=KEY, anthropic=KEY, gemini=KEY, groq=KEY)


def test_channels_of_clouds_are_imported_before_a_request_comes(started):
    """What reads, writes and wraps is there; libraries of vendors come with the first look-up."""
    found = started(
        **{"bedrock": HOST, "vertex-claude": f'{PLACE}\ncredential = {{ identity = "metadata" }}'},
        cohere=KEY,
    )
    assert {
        "trivium.providers.signature_v4", "trivium.providers.identities.google",
        "trivium.providers.wrapping", "trivium.wire.converse.write_request",
        "trivium.wire.cohere.write_request", "trivium.wire.cohere.passage",
    } <= found  # fmt: skip
    assert not {n for n in found if not n.startswith("trivium.")}
