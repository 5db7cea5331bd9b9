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
CASES = {"few": 4 * 5 * 2, "all": (4 * 4 * 5 - 3) * 2}


@pytest.mark.langchain
@pytest.mark.parametrize("which", ["few", pytest.param("all", marks=pytest.mark.slow)])
def test_every_client_against_an_upstream(tmp_path, which):
    """Text, tools, signed reasoning, an image and a schema, whole and streamed: against one other
    shape, or against all.
    """
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
            [PYTHON, FOLDER / "pairs.py", which],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    assert done.returncode == 0, done.stdout + done.stderr[-5_000:]
    assert CASES[which] == sum(line.startswith("ok ") for line in done.stdout.splitlines())
