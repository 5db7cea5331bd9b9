"""No stranger runs at interpreter start: a ``.pth`` file or ``sitecustomize`` is how thieves stay.

In 2026 two poisoned releases of a widely used package arrived exactly so. What the locked packages
bring themselves is listed with the text it must have.
"""

import re
import sysconfig
from pathlib import Path

import pytest

KNOWN = {
    r"(_editable_impl_|__editable__\.)trivium.*\.pth": r"/[^\n;]*/src\n?",
    r"a1_coverage\.pth": r"import sys; ?exec\('import os\\n\\n"
    r"if os\.getenv\(\"COVERAGE_PROCESS_START\"\)[^;]*process_startup\(slug=\"pth\"\)'\)\n?",
    r"distutils-precedence\.pth": r"import os; var = 'SETUPTOOLS_USE_DISTUTILS'; "
    r"enabled = os\.environ\.get\(var, '\w+'\) == 'local'; "
    r"enabled and __import__\('_distutils_hack'\)\.add_shim\(\);? ?\n?",
    r"_virtualenv\.pth": r"import _virtualenv\n?",
}
"""File name to the whole text it may have; both are patterns that must match in full."""

STARTERS = ("sitecustomize", "usercustomize")


def strangers(folder):
    """Files of a package folder that Python would run unasked, apart from those known."""
    found = [path for name in STARTERS for path in sorted(folder.glob(f"{name}*"))]
    found += [path for path in sorted(folder.glob("*.pth")) if not known(path)]
    return [path.name for path in found]


def known(path):
    """Whether a ``.pth`` file is one we expect, to the letter."""
    text = path.read_text(encoding="utf-8")
    return any(
        re.fullmatch(name, path.name) and re.fullmatch(content, text)
        for name, content in KNOWN.items()
    )


def test_nothing_unknown_runs_at_start():
    """The environment the tests run in holds only start-up files we know."""
    folders = {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    assert all(folder.is_dir() for folder in folders)
    assert [] == [name for folder in folders for name in strangers(folder)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cook.pth", "import os; os.system('x')"),
        ("a1_coverage.pth", "import os; os.system('x')"),
        ("_editable_impl_trivium.pth", "/home/x/src\nimport os; os.system('x')"),
        ("distutils-precedence.pth", "import base64"),
        ("sitecustomize.py", ""),
        ("usercustomize.py", ""),
        ("paths.pth", "/somewhere"),
    ],
)
def test_a_stranger_is_caught(tmp_path, name, text):
    """An unknown file, and a known name with another text, are both strangers."""
    (tmp_path / name).write_text(text)
    assert [name] == strangers(tmp_path)


def test_a_package_named_sitecustomize_is_caught(tmp_path):
    """A folder runs as well as a file."""
    (tmp_path / "sitecustomize").mkdir()
    assert ["sitecustomize"] == strangers(tmp_path)


def test_known_files_pass(tmp_path):
    """Our own editable install is no stranger."""
    (tmp_path / "_editable_impl_trivium.pth").write_text("/somewhere/trivium/src")
    (tmp_path / "package.py").write_text("")
    assert [] == strangers(tmp_path)
