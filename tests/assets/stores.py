"""Object stores for tests: a folder, and a real server that speaks S3."""

import contextlib
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from trivium.assets.objects import Objects
from trivium.settings.section import AssetsSettings

S3RVER = Path(__file__).parents[1] / "s3rver" / "node_modules" / "s3rver" / "bin" / "s3rver.js"


@contextlib.contextmanager
def bucket(folder):
    """An S3-compatible server with the bucket `files`; gives its place."""
    node = shutil.which("node")
    if node is None or not S3RVER.exists():
        pytest.skip("s3rver is not installed: npm ci --ignore-scripts in tests/s3rver")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            node,
            S3RVER,
            "-d",
            folder,
            "-p",
            str(port),
            "-a",
            "127.0.0.1",
            "--configure-bucket",
            "files",
            "--silent",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield AssetsSettings(
            url="s3://files/below/here",
            endpoint=f"http://127.0.0.1:{port}",
            access_key="S3RVER",
            secret_key="S3RVER",
        )
    finally:
        server.terminate()
        server.wait(10)


def folder_objects(tmp_path):
    """A store in a folder of this test's own."""
    return Objects(AssetsSettings(url=(tmp_path / "assets").as_uri()))
