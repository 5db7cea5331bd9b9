"""Published Node clients go the whole way: `node --test` over tests/node/oauth."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from end_to_end.oauth.browsing import AUTH_JS, CALLBACK, PASSWORD

NODE = Path(__file__).resolve().parents[2] / "node"
LIMIT_S = 90


@pytest.mark.node
def test_the_node_clients(service):
    """openid-client, @auth/core, passport-oauth2 and simple-oauth2."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules").is_dir():
        pytest.skip("Node.js or its packages are missing: make node")
    other, other_secret = service.other
    environ = os.environ | {
        "TRIVIUM_TEST_ORIGIN": service.origin,
        "TRIVIUM_TEST_CLIENT_ID": service.app.client_id,
        "TRIVIUM_TEST_CLIENT_SECRET": service.secret,
        "TRIVIUM_TEST_CALLBACK": CALLBACK,
        "TRIVIUM_TEST_AUTH_JS": AUTH_JS,
        "TRIVIUM_TEST_AUTH_JS_ID": other.client_id,
        "TRIVIUM_TEST_AUTH_JS_SECRET": other_secret,
        "TRIVIUM_TEST_PASSWORD": PASSWORD,
    }
    done = subprocess.run(
        [node, "--test", "--test-reporter=tap", "oauth/clients.test.mjs"],
        cwd=NODE,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n# fail 0\n" in done.stdout
    assert "\n# pass 5\n" in done.stdout
