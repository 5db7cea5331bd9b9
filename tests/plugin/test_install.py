"""The example as a package of its own: installed beside the gateway, switched on, served, billed."""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from end_to_end.sdk.served import TRIVIUM, served
from plugin.northwind import ANSWER, DOWN, EXAMPLE, KEY_ID, SECRET, STREAM, is_signed
from plugin.test_example import PLAIN
from scripted_upstream import Double

SETTINGS = """
[plugins]
enabled = {enabled}
[[channels]]
name = "north"
provider = "northwind"
api_key = "{secret}"
credential = {{ key_id = "{key_id}" }}
base_url = "http://127.0.0.1:{north}"
[[channels]]
name = "other"
provider = "openai"
api_key = "sk-other"
base_url = "http://127.0.0.1:{other}/v1"
[[models]]
name = "gale"
price = {{ input = "1", output = "2" }}
[[models.bindings]]
channel = "north"
[[models.bindings]]
channel = "other"
priority = 1
"""
ASKED = {"model": "gale", "messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package in it, as ``pip`` puts it there."""
    folder = tmp_path_factory.mktemp("northwind")
    source = shutil.copytree(EXAMPLE, folder / "source")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--target", folder / "site", source],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.fspath(folder / "site"))
        yield


def settings(north=1, other=1, enabled='["trivium-northwind"]'):
    """A model at Northwind, and at another vendor when that fails."""
    return SETTINGS.format(enabled=enabled, secret=SECRET, key_id=KEY_ID, north=north, other=other)


def post(gateway, key, body):
    """One chat request: status, headers, text."""
    request = urllib.request.Request(
        f"{gateway.origin}/v1/chat/completions",
        json.dumps(body).encode(),
        {"authorization": f"Bearer {key}", "content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


@pytest.mark.asyncio
async def test_a_package_serves_streams_is_billed_and_fails_over(installed, tmp_path):
    """All that a shipped provider does, and its hook has its say."""
    async with contextlib.AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(Double([ANSWER, STREAM, DOWN]))
        other = await stack.enter_async_context(Double([PLAIN]))
        gateway = stack.enter_context(served(tmp_path, settings(vendor.port, other.port)))
        key = await asyncio.to_thread(gateway.key)
        whole = await asyncio.to_thread(post, gateway, key, ASKED)
        streamed = await asyncio.to_thread(post, gateway, key, ASKED | {"stream": True})
        over = await asyncio.to_thread(post, gateway, key, ASKED)
        refused = await asyncio.to_thread(
            post, gateway, key, ASKED | {"messages": [{"role": "user", "content": "iceberg"}]}
        )
        log = gateway.log
    assert (200, "north", "0.002") == (
        whole[0],
        whole[1]["trivium-channel"],
        whole[1]["trivium-cost"],
    )
    assert "Hello from the north" == json.loads(whole[2])["choices"][0]["message"]["content"]
    assert (200, True, True) == (streamed[0], "Hello " in streamed[2], "[DONE]" in streamed[2])
    assert (200, "other") == (over[0], over[1]["trivium-channel"])
    assert (400, "Northwind does not speak of icebergs.") == (
        refused[0], json.loads(refused[2])["error"]["message"],
    )  # fmt: skip
    assert (3, 1) == (len(vendor.requests), len(other.requests))
    assert all(is_signed(seen, time.time()) for seen in vendor.requests)
    assert "northwind: 1001 tokens so far" in log
    assert SECRET not in log


CHECKS = {
    "listed": ('["trivium-northwind"]', True, "2 channels"),
    "not listed": ("[]", False, "is not a provider"),
    "not there": (
        '["trivium-southwind"]',
        False,
        'names "trivium-southwind", which is not installed',
    ),
    "no plug-in": ('["msgspec"]', False, "brings neither provider nor hook"),
}


@pytest.mark.parametrize("name", CHECKS)
def test_check_tells_what_a_list_lacks(installed, tmp_path, name):
    """Installing alone changes nothing, and a name without a package is named."""
    enabled, ok, said = CHECKS[name]
    (tmp_path / "trivium.toml").write_text(settings(enabled=enabled))
    done = subprocess.run(
        [TRIVIUM, "check", "--json"], cwd=tmp_path, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    found = next(c for c in json.loads(done.stdout)["checks"] if c["check"] == "catalogue")
    assert (ok, True) == (found["ok"], said in " ".join(found["details"]))
