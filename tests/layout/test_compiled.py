"""What the compiled wheel compiles, and that it can be: hatch_build.py."""

import ast
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from layout.conftest import Source

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "trivium"

_spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
assert _spec is not None
assert _spec.loader is not None
hatch_build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(hatch_build)


def test_every_pattern_finds_something() -> None:
    assert not [pattern for pattern in hatch_build.HOT if not list(PACKAGE.glob(pattern))]
    assert all((PACKAGE / path).is_file() for path in hatch_build.LEFT)


def test_what_compiled_would_be_something_else_is_not() -> None:
    compiled = hatch_build.compilable(PACKAGE)
    names = {path.relative_to(PACKAGE).as_posix() for path in compiled}
    assert "wire/peek.py" in names
    assert "pipeline/handle.py" in names
    assert "pipeline/structs.py" not in names  # has Structs
    assert "conversation/usage.py" not in names
    assert "pipeline/fetch_inputs.py" not in names  # awaits in an except
    assert not names & hatch_build.LEFT


def test_no_interpreted_class_descends_from_a_compiled_one() -> None:
    """Python would refuse it when the module is imported."""
    compiled = {hatch_build.named(path, PACKAGE) for path in hatch_build.compilable(PACKAGE)}
    descends = [
        (name, base)
        for path in PACKAGE.rglob("*.py")
        if hatch_build.named(path, PACKAGE) not in compiled
        for name, bases in hatch_build.classes(path, hatch_build.named(path, PACKAGE)).items()
        for base in bases
        if base.rpartition(".")[0] in compiled
    ]
    assert not descends


def test_no_compiled_protocol_is_looked_for_at_run_time() -> None:
    """A compiled one is none to Python, which refuses ``runtime_checkable`` at the import."""
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in hatch_build.compilable(PACKAGE)
        if "runtime_checkable" in path.read_text(encoding="utf-8")
    ]
    assert not found


def _foreign(source: Source) -> set[str]:
    """First names of the modules that a source imports from other packages, anywhere in it."""
    names = [
        name
        for node in ast.walk(source.tree)
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    ]
    # Python 3.14 brought compression
    ours = {"trivium", "compression", ""}
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - ours


def test_types_are_found_without_the_extras(sources: list[Source]) -> None:
    """A release is built with what serving needs and no more; mypyc stops at a module it misses."""
    pins = re.findall(r"(?m)^([a-z0-9._-]+)", (ROOT / "requirements" / "run.txt").read_text())
    served = set(pins)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    excused = {
        name.partition(".")[0]
        for table in settings
        if table.get("ignore_missing_imports")
        for name in table["module"]
    }
    places = importlib.metadata.packages_distributions()
    missed = {
        (source.where, name)
        for source in sources
        if source.where.startswith("src/")
        for name in _foreign(source) - excused
        if not any(
            re.sub(r"[-_.]+", "-", place).lower() in served for place in places.get(name, ())
        )
    }
    assert not missed


def _can_compile() -> bool:
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which("gcc") is not None and headers.is_file()


@pytest.mark.skipif(not _can_compile(), reason="needs gcc and Python's headers")
def test_a_small_compiled_module_does_what_its_source_does(tmp_path: Path) -> None:
    """One that imports nothing, not optimised: types and C are a second's work."""
    asked = (
        "from trivium.wire import length_prefixed\n"
        "assert length_prefixed.__file__.endswith('.so'), length_prefixed.__file__\n"
        "print(length_prefixed.Frames(width=2).feed(b'\\0\\2ab\\0\\1c\\0\\2d'))\n"
    )
    done = _compiled_says(tmp_path, [PACKAGE / "wire" / "length_prefixed.py"], asked, "0")
    assert done.stdout == "[b'ab', b'c']\n", done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.skipif(not _can_compile(), reason="needs gcc and Python's headers")
def test_a_compiled_module_does_what_its_source_does(tmp_path: Path) -> None:
    """Two modules in place of two hundred: the whole takes minutes (make compiled-check)."""
    asked = (
        "from trivium.wire import peek, frame_template\n"
        "assert peek.__file__.endswith('.so'), peek.__file__\n"
        'found = peek.members(b\'{"model":"m","n":1,"n":2}\')\n'
        "print(len(found.pairs), bytes(found.table['model']), found.splice({'model': b'\"x\"'}))\n"
    )
    modules = [PACKAGE / "wire" / "peek.py", PACKAGE / "wire" / "frame_template.py"]
    done = _compiled_says(tmp_path, modules, asked, "3")
    assert done.stdout == '3 b\'"m"\' b\'{"model":"x","n":1,"n":2}\'\n', done.stderr[-2000:]


def _compiled_says(
    folder: Path, modules: list[Path], asked: str, opt_level: str
) -> subprocess.CompletedProcess[str]:
    """How a program went that has these modules compiled, all others as they are."""
    hatch_build.build(ROOT / "src", folder, modules, opt_level)
    shutil.copytree(PACKAGE, folder / "trivium", dirs_exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", asked],
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
