"""What the layout tests look at: the project's own sources, parsed once."""

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """One Python file: where it lies and what it says."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def where(self) -> str:
        """Path below the repository, for messages."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        """Dotted name below the package: ``wire.sse``; a package's ``__init__`` is the package."""
        parts = self.path.relative_to(ROOT / "src" / "trivium").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @classmethod
    def of(cls, where: str, text: str) -> "Source":
        """A source that need not exist, for showing that a rule can fail."""
        return cls(ROOT / where, text, ast.parse(text))


def _read(folder: Path) -> list[Source]:
    return [
        Source(path, text := path.read_text(encoding="utf-8"), ast.parse(text))
        for path in sorted(folder.rglob("*.py"))
        if not _installed(path.relative_to(folder))
    ]


def _installed(path: Path) -> bool:
    """Whether it is a package of somebody else's, in an environment that some tests have."""
    return any(part.startswith(".") or part == "node_modules" for part in path.parts)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def sources() -> list[Source]:
    """Every module of the package."""
    found = _read(ROOT / "src" / "trivium")
    assert len(found) > 20, "the package moved: these tests would pass by seeing nothing"
    return found


@pytest.fixture(scope="session")
def tests() -> list[Source]:
    """Every Python file of the tests and the bench."""
    return _read(ROOT / "tests") + _read(ROOT / "bench")


@pytest.fixture(scope="session")
def invent() -> type[Source]:
    """Makes sources that do not exist: ``invent.of("src/trivium/wire/x.py", "import os")``."""
    return Source
