"""A served gateway with a real model behind it: llama.cpp with SmolLM2.

The engine's packages are looked for in the tests' own interpreter, else in the environment of the
one that ``TRIVIUM_TEST_ENGINE_PYTHON`` names.
"""

import contextlib
import os
import sqlite3
import subprocess
import time

import pytest

from end_to_end.sdk.served import served
from trivium.demo.engine import Engine
from trivium.demo.install import missing

RECORD_S = 5.0
CHANNEL = """
[[channels]]
name = "local"
provider = "llamacpp"
base_url = "{address}/v1"
api_key = "{key}"
"""


MODEL = """
[[models]]
name = "{name}"
price = {{ input = "1", output = "2" }}
[[models.bindings]]
channel = "local"
model = "smollm2"
{shape}
"""
MODELS = MODEL.format(name="smol", shape="") + "".join(
    MODEL.format(name=f"by-{shape}", shape=f'shape = "{shape}"')
    for shape in ("chat", "messages", "responses")
)
"""One model in every shape that the engine serves, and one for each shape alone."""


@contextlib.contextmanager
def engine_behind(folder):
    """A gateway whose only channel, ``local``, is the engine; ``MODELS`` are its models."""
    environ = _elsewhere() | {"PATH": os.environ["PATH"]}
    with Engine.start(folder / "engine.log", environ) as engine:
        channel = CHANNEL.format(address=engine.address, key=engine.key)
        with served(folder, channel + MODELS) as running:
            yield running


def recorded(gateway, request_id):
    """What the database knows of one request, once it is written."""
    database = gateway.folder / "trivium.db"
    deadline = time.monotonic() + RECORD_S
    while time.monotonic() < deadline:
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as line:
            line.row_factory = sqlite3.Row
            row = line.execute(
                "SELECT * FROM records WHERE request_id = ?", (request_id,)
            ).fetchone()
        if row is not None:
            return row
        time.sleep(0.05)
    raise AssertionError("no record in time")


def _elsewhere():
    """``PYTHONPATH`` of an engine outside this environment; skips the tests when there is none."""
    other = os.environ.get("TRIVIUM_TEST_ENGINE_PYTHON")
    if other:
        ask = "import sysconfig; print(sysconfig.get_path('platlib'))"
        done = subprocess.run([other, "-c", ask], capture_output=True, text=True, check=True)
        return {"PYTHONPATH": done.stdout.strip()}
    if missing():
        pytest.skip("the local engine is not installed: scripts/environment.sh engine")
    return {}
