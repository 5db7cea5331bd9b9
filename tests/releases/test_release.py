"""A release says truly what is in it; two of one commit are the same bytes (`make soak`).

Each is built in a clone of its own, with another temporary folder, time zone, language and umask.
The tools are in .release, which `scripts/release.sh environment` makes.
"""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import msgspec
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trivium import __version__

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".release" / "bin" / "python"
PLACES = (
    ("here", {"TZ": "UTC", "LC_ALL": "C"}, 0o022),
    ("elsewhere, deeper", {"TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8", "HATCH_BUILD_NO_HOOKS": "1"}, 0o077),
)  # fmt: skip
COMPILED_S = 1800


def built(folder, *options, places=PLACES):
    """Releases in two places below a folder; where they are."""
    if not PYTHON.exists():
        pytest.skip("scripts/release.sh environment makes what this needs")
    if not (ROOT / ".git").exists():
        pytest.skip("a release is made from a commit, and here is none")
    outs = []
    for name, environ, umask in places:
        place = folder / name
        temporary = place / "temporary"
        temporary.mkdir(parents=True)
        clone = place / "clone"
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(clone)], check=True)
        # what makes it is what stands here, committed or not
        shutil.copy(ROOT / "scripts" / "release.py", clone / "scripts")
        out = place / "dist"
        done = subprocess.run(
            [str(PYTHON), "scripts/release.py", "--out", str(out), "--without-image", *options],
            cwd=clone, env=os.environ | environ | {"TMPDIR": str(temporary)}, umask=umask,
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert 0 == done.returncode, done.stdout + done.stderr
        outs.append(out)
    return outs


def contents(out):
    """Every file's bytes by its name."""
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """One, without what needs a compiler."""
    folder = tmp_path_factory.mktemp("release")
    return built(folder, "--without-compiled", places=PLACES[1:])[0]


def sbom(release):
    """What it says is installed: the document."""
    return msgspec.json.decode((release / f"trivium-{__version__}.cdx.json").read_bytes())


def test_every_file_is_there(release):
    """What a release consists of where nothing is compiled."""
    assert {
        "SHA256SUMS",
        "provenance.intoto.json",
        f"trivium-{__version__}-py3-none-any.whl",
        f"trivium-{__version__}.cdx.json",
        f"trivium-{__version__}.tar.gz",
        f"trivium-{__version__}.tgz",
    } == set(contents(release))


@pytest.mark.slow
def test_two_releases_are_equal(release, tmp_path):
    """Byte for byte, file for file."""
    (other,) = built(tmp_path, "--without-compiled", places=PLACES[:1])
    first, second = contents(release), contents(other)
    assert set(first) == set(second)
    assert [] == [name for name in first if first[name] != second[name]]


def test_the_sums_are_those_of_all_files(release):
    """As `sha256sum -c` reads them."""
    subprocess.run(
        ["sha256sum", "--quiet", "--strict", "-c", "SHA256SUMS"], cwd=release, check=True
    )
    named = {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    assert set(contents(release)) - {"SHA256SUMS"} == named


def test_the_statement_names_the_commit_and_every_file(release):
    """An in-toto statement whose predicate is provenance as SLSA v1 has it."""
    told = msgspec.json.decode((release / "provenance.intoto.json").read_bytes())
    assert "https://in-toto.io/Statement/v1" == told["_type"]
    assert "https://slsa.dev/provenance/v1" == told["predicateType"]
    files = contents(release)
    expected = {
        name: hashlib.sha256(data).hexdigest()
        for name, data in files.items()
        if name not in {"SHA256SUMS", "provenance.intoto.json"}
    }
    assert expected == {each["name"]: each["digest"]["sha256"] for each in told["subject"]}
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    materials = told["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert head.stdout.strip() == materials[0]["digest"]["gitCommit"]
    locks = {each["name"] for each in materials[1:]}
    assert {f"requirements/{name}.txt" for name in ("run", "release", "compile")} == locks


def installed(name):
    """A distribution and all it asks for here, with versions, as `pip list` would name them."""
    found, ahead = {}, [name]
    while ahead:
        wanted = Requirement(ahead.pop())
        one = canonicalize_name(wanted.name)
        for extra in (wanted.extras or {""}) | {""}:
            if (one, extra) in found:
                continue
            found[one, extra] = importlib.metadata.version(one)
            for line in importlib.metadata.requires(one) or ():
                more = Requirement(line)
                if more.marker is None or more.marker.evaluate({"extra": extra}):
                    ahead.append(f"{more.name}[{','.join(more.extras)}]")
    return {one: version for (one, _), version in found.items()}


def test_the_sbom_lists_what_is_installed(release):
    """No package more, none less, in the versions that the tests ran with."""
    told = sbom(release)
    listed = {canonicalize_name(each["name"]): each["version"] for each in told["components"]}
    listed["trivium"] = told["metadata"]["component"]["version"]
    assert installed("trivium") == listed
    assert all(each["hashes"] for each in told["components"])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_sbom_lists_what_pip_lists(release, tmp_path):
    """In an environment made as an image is: from the lock, with the wheel of the release."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    pip = [str(tmp_path / "env" / "bin" / "pip"), "--disable-pip-version-check", "--no-input"]
    install = [*pip, "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
    lock = str(ROOT / "requirements" / "run.txt")
    done = subprocess.run(
        [*install, "--require-hashes", "-r", lock], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip(f"the package index cannot be reached: {done.stderr.decode()[-300:]}")
    (wheel,) = release.glob("*-none-any.whl")
    subprocess.run([*install, str(wheel)], check=True)
    told = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True)
    listed = {each["name"]: each["version"] for each in msgspec.json.decode(told.stdout)}
    there = {canonicalize_name(name): listed[name] for name in listed}
    for installer in ("pip", "setuptools"):
        there.pop(installer, None)
    said = sbom(release)
    expected = {canonicalize_name(each["name"]): each["version"] for each in said["components"]}
    assert there == expected | {"trivium": __version__}


def test_everything_in_the_sbom_is_asked_for(release):
    """From the gateway's own node every package can be reached."""
    told = sbom(release)
    asks = {each["ref"]: each.get("dependsOn", []) for each in told["dependencies"]}
    seen, ahead = set(), [told["metadata"]["component"]["bom-ref"]]
    while ahead:
        one = ahead.pop()
        if one not in seen:
            seen.add(one)
            ahead += asks[one]
    assert set(asks) == seen


def test_the_chart_is_whole(release):
    """What Helm needs is in it, and the values that only tests need are not."""
    with tarfile.open(release / f"trivium-{__version__}.tgz") as archive:
        names = set(archive.getnames())
    there = {path for path in (ROOT / "deploy" / "chart").rglob("*") if path.is_file()}
    expected = {
        f"trivium/{path.relative_to(ROOT / 'deploy' / 'chart')}"
        for path in there
        if "ci" not in path.parts and path.name != ".helmignore"
    }
    assert expected == names


@pytest.mark.slow
@pytest.mark.timeout(COMPILED_S)
def test_two_compiled_releases_are_equal(tmp_path):
    """The shared libraries hold no time, no folder and no order of chance."""
    first, second = (contents(out) for out in built(tmp_path))
    assert set(first) == set(second)
    (name,) = (name for name in first if name.endswith(".whl") and "none-any" not in name)
    with zipfile.ZipFile(tmp_path / "here" / "dist" / name) as packed:
        assert any(each.endswith(".so") for each in packed.namelist())
        for each in packed.namelist():
            for folder in (str(tmp_path), str(ROOT), sys.base_prefix + os.sep):
                assert folder.encode() not in packed.read(each), each
    assert [] == [name for name in first if first[name] != second[name]]
