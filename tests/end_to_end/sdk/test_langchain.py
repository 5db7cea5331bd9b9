"""LangChain's clients, which keep less of an answer than the SDKs they are built on."""

import os
import subprocess
from pathlib import Path

import pytest

from end_to_end.features.asking import PNG
from end_to_end.features.telling import TEXT
from end_to_end.sdk.pairs import Strict, settings
from end_to_end.sdk.served import served

FOLDER = Path(__file__).resolve().parents[2] / "langchain"
PYTHON = FOLDER / ".venv/bin/python"
LIMIT_S = 110
CASES = (4 * 4 * 5 - 3) * 2


@pytest.mark.langchain
def test_every_client_against_every_upstream(tmp_path):
    """Text, tools, signed reasoning, an image and a schema, whole and streamed."""
    if not PYTHON.exists():
        pytest.skip("LangChain is not installed: make langchain")
    with Strict() as vendor, served(tmp_path, settings(vendor)) as gateway:
        environ = os.environ | {
            "TRIVIUM_TEST_ORIGIN": gateway.origin,
            "TRIVIUM_TEST_KEY": gateway.key(),
            "TRIVIUM_TEST_TEXT": TEXT,
            "TRIVIUM_TEST_PNG": PNG,
            "LANGSMITH_TRACING": "false",
        }
        done = subprocess.run(
            [PYTHON, FOLDER / "pairs.py"],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    assert done.returncode == 0, done.stdout + done.stderr[-5_000:]
    assert CASES == sum(line.startswith("ok ") for line in done.stdout.splitlines())
