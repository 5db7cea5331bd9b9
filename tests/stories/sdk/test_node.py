"""The official Node clients: `node --test` over tests/node, against the same gateway."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = Path(__file__).resolve().parents[2] / "node"
FILES = sorted(path.name for path in NODE.glob("*.test.mjs"))
LIMIT_S = 90


@pytest.mark.node
@pytest.mark.parametrize("name", FILES)
def test_the_node_clients(gateway, key, vendor, name):
    """Every test of one file passes; its output is the report when one does not."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules").is_dir():
        pytest.skip("Node.js or its packages are missing: make node")
    environ = os.environ | {
        "TRIVIUM_TEST_ORIGIN": gateway.origin,
        "TRIVIUM_TEST_KEY": key,
        "TRIVIUM_TEST_VENDOR": vendor.origin,
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


def test_there_are_tests_to_run():
    """The folder is where it is looked for."""
    assert len(FILES) >= 4
