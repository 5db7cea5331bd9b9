"""A served gateway with real models of speech behind it: a voice, and ears that write down.

Their packages are looked for in the tests' own interpreter, else in the environment of the one that
``TRIVIUM_TEST_SPEECH_PYTHON`` names.
"""

import contextlib
import os
import subprocess

import pytest

from end_to_end.sdk.served import served
from trivium.demo.engine import Engine
from trivium.demo.install import speech_missing
from trivium.demo.speech import EARS, VOICE

SETTINGS = """
[[channels]]
name = "local"
provider = "openai-compatible"
base_url = "{address}/v1"
api_key = "{key}"

[[models]]
name = "voice"
price = {{ per_character = "0.000015" }}
[[models.bindings]]
channel = "local"
model = "{voice}"

[[models]]
name = "ears"
price = {{ per_second = "0.0001" }}
[[models.bindings]]
channel = "local"
model = "{ears}"

[[models]]
name = "timed"
price = {{ per_second = "0.0001" }}
[[models.bindings]]
channel = "local"
model = "{ears}"
audio = "timed"
"""


@contextlib.contextmanager
def speech_behind(folder):
    """A gateway whose only channel speaks and listens."""
    environ = _elsewhere() | {"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"}
    log = folder / "speech.log"
    with Engine.start(log, environ, module="trivium.demo.speech") as engine:
        told = SETTINGS.format(address=engine.address, key=engine.key, voice=VOICE, ears=EARS)
        with served(folder, told) as running:
            yield running


def _elsewhere():
    """``PYTHONPATH`` of packages outside this environment; skips the tests when there are none."""
    own = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    other = os.environ.get("TRIVIUM_TEST_SPEECH_PYTHON")
    if other:
        ask = "import sysconfig; print(sysconfig.get_path('platlib'))"
        done = subprocess.run([other, "-c", ask], capture_output=True, text=True, check=True)
        paths = [path for path in (own["PYTHONPATH"], done.stdout.strip()) if path]
        return {"PYTHONPATH": os.pathsep.join(paths)}
    if speech_missing():
        pytest.skip("the speech engines are not installed: scripts/environment.sh speech")
    return own
