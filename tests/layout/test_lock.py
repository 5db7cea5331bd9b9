"""The requirement files: everything pinned, hashed, and free of addresses."""

import re
import tomllib

import pytest

FILES = (
    *("bootstrap.txt", "build.txt", "run.txt", "dev.txt", "engine.txt", "speech.txt"),
    *("langchain.txt", "docs.txt", "release.txt"),
)
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)(\[[a-z,]+\])?==[^ ;\\]+( ;[^\\]+)?( \\)?$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


def faults(text):
    """What is wrong with a requirement file, one line each."""
    found = []
    last, hashes = "", 1
    for line in text.splitlines():
        if "://" in line or (line.lstrip().startswith("--") and not HASH.match(line)):
            found.append(f"an address or an option: {line.strip()}")
        elif match := PIN.match(line):
            if not hashes:
                found.append(f"no hash: {last}")
            last, hashes = match[1], 0
        elif HASH.match(line):
            hashes += 1
        elif line.strip() and not line.lstrip().startswith("#"):
            found.append(f"not pinned: {line.strip()}")
    return found if hashes else [*found, f"no hash: {last}"]


def names(text):
    """Distributions a requirement file pins."""
    return {match[1] for line in text.splitlines() if (match := PIN.match(line))}


def pins(text):
    """Every pin with its version; its marker may be narrower where fewer packages want it."""
    return {line.partition(" ")[0] for line in text.splitlines() if PIN.match(line)}


@pytest.mark.parametrize("name", FILES)
def test_everything_is_pinned_and_hashed(root, name):
    """What is installed is what was locked, from whatever index."""
    text = (root / "requirements" / name).read_text(encoding="utf-8")
    assert names(text)
    assert [] == faults(text)


def test_the_lock_covers_what_the_project_declares(root):
    """A dependency added to pyproject.toml and not locked is caught here, not on a new machine."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    locked = {
        name: names((root / "requirements" / name).read_text(encoding="utf-8")) for name in FILES
    }

    def bare(wanted):
        return {re.split(r"[ \[><=;!~]", entry)[0].lower() for entry in wanted}

    assert bare(project["project"]["dependencies"]) <= locked["run.txt"]
    assert bare(project["dependency-groups"]["dev"]) <= locked["dev.txt"]
    assert bare(["hatchling", "editables"]) <= locked["build.txt"]
    assert bare(project["project"]["optional-dependencies"]["engine"]) <= locked["engine.txt"]


def test_what_is_tested_is_what_is_served(root):
    """Serving installs the very versions the tests ran with, and so does building."""
    dev, run, build = (
        pins((root / "requirements" / name).read_text(encoding="utf-8"))
        for name in ("dev.txt", "run.txt", "build.txt")
    )
    assert (set(), set()) == (run - dev, build - dev)


H = "    --hash=sha256:" + "0" * 64


@pytest.mark.parametrize(
    "text",
    [
        "a==1\n",
        f"a==1 \\\n{H}\nb==2\n",
        f"a>=1 \\\n{H}\n",
        f"--index-url https://example.org\na==1 \\\n{H}\n",
        f"--extra-index-url x\na==1 \\\n{H}\n",
        f"a @ https://example.org/a.whl \\\n{H}\n",
        "a==1 \\\n    --hash=md5:00\n",
    ],
)
def test_a_loose_lock_is_caught(text):
    """Unpinned, unhashed and addressed lines each fail."""
    assert faults(text)


def test_a_tight_lock_passes():
    """Markers, extras and comments are allowed."""
    text = f"# why\na[x,y]==1.2.post1 ; sys_platform != 'win32' \\\n{H} \\\n{H}\n    # via b\n"
    assert [] == faults(text)
    assert {"a"} == names(text)
