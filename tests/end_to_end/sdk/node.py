"""Runs the tests of the official Node clients, which are written for `node --test`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = Path(__file__).resolve().parents[2] / "node"
FILES = sorted(path.name for path in NODE.glob("*.test.mjs"))
ENGINE = "engine.test.mjs"
"""The one that needs a real model behind the gateway."""
VIDEOS = "videos.test.mjs"
"""The one whose vendor makes videos."""
SPEECH = "speech.test.mjs"
"""The one that needs real models of speech."""
LIMIT_S = 90


def run(name, gateway, key, vendor=""):
    """Run one file against this gateway; skips when Node.js or its packages are not here."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules").is_dir():
        pytest.skip("Node.js or its packages are missing: make node")
    environ = os.environ | {
        "TRIVIUM_TEST_ORIGIN": gateway.origin,
        "TRIVIUM_TEST_KEY": key,
        "TRIVIUM_TEST_VENDOR": vendor,
    }
    done = subprocess.run(
        [node, "--test", "--test-reporter=tap", name],
        cwd=NODE,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n# fail 0\n" in done.stdout
    assert "\n# pass 0\n" not in done.stdout
