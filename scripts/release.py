"""Makes the files of a release from a commit, the same bytes each time.

release.py [--out dist] [--commit HEAD] [--without-compiled] [--without-image]

Everything is built from what git has of the commit, never from the folder somebody works in. Runs
in .release, which scripts/release.sh makes; for whom and how to check it: docs/operate/releases.md.
"""

# ruff: noqa: S603, S607, TID251 - a program that runs our own words, with the standard library alone

import argparse
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
SUMS: Final = "SHA256SUMS"
BUILD_TYPE: Final = "urn:trivium:make-release:1"
LOCAL: Final = "urn:trivium:a-machine-of-somebodys-own"
"""Who built it, where ``RELEASE_BUILDER`` does not say."""
LOCKS: Final = ("requirements/run.txt", "requirements/release.txt", "requirements/compile.txt")


def git(*words: str) -> str:
    """Return what git prints."""
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def say(text: str) -> None:
    """Tell whoever builds."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201


class Release:
    """One build: the exported sources, the folder for its files, and the environment of tools."""

    def __init__(self, tree: Path, out: Path, commit: str) -> None:
        self.tree = tree
        self.out = out
        self.commit = git("rev-parse", f"{commit}^{{commit}}")
        self.at = int(git("log", "-1", "--format=%ct", self.commit))
        self.environ = {
            name: value for name, value in os.environ.items() if not name.startswith("HATCH_")
        } | {"SOURCE_DATE_EPOCH": str(self.at), "PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}

    def export(self) -> None:
        """Unpack the commit."""
        packed = subprocess.run(
            ["git", "archive", "--format=tar", self.commit],
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(self.tree, filter="data")

    def run(self, *words: str, **more: str) -> None:
        """Run a program among the sources; ends the build where it fails."""
        done = subprocess.run(words, cwd=self.tree, check=False, env=self.environ | more)
        if done.returncode:
            sys.exit(f"release: {' '.join(words)} ended with {done.returncode}")

    def python(self) -> None:
        """Build the sdist and the wheel for every platform."""
        self.run(
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "-t",
            "sdist",
            "-t",
            "wheel",
            "-d",
            str(self.out),
        )

    def compiled(self) -> None:
        """Build the wheel of this platform, named after the oldest systems that it runs on."""
        with tempfile.TemporaryDirectory() as folder:
            self.run(
                sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder,
                HATCH_BUILD_HOOK_ENABLE_CUSTOM="true",
            )  # fmt: skip
            (wheel,) = Path(folder).iterdir()
            if sys.platform == "linux":
                # an index takes no wheel that says only that it is for Linux
                show = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
                told = subprocess.run(show, check=True, capture_output=True, text=True).stdout
                fits = re.search(r'platform\s+tag:\s+"(\w+)"', told)
                if fits is None or "linux" not in fits[1]:
                    sys.exit(f"release: auditwheel says of the compiled wheel:\n{told}")
                tags = [
                    sys.executable,
                    "-m",
                    "wheel",
                    "tags",
                    "--remove",
                    "--platform-tag",
                    fits[1],
                ]
                self.run(*tags, str(wheel))
                (wheel,) = Path(folder).iterdir()
            shutil.copy(wheel, self.out)

    def sbom(self) -> None:
        """Write what is installed with it."""
        target = self.out / self.named("cdx.json")
        self.run(sys.executable, "scripts/release_sbom.py", "requirements/run.txt", str(target))

    def chart(self) -> None:
        """Pack the chart as `helm package` does, but for the time of day."""
        folder = self.tree / "deploy" / "chart"
        if not folder.is_dir():
            say("release: no chart: deploy/chart is not there")
            return
        told = (folder / "Chart.yaml").read_text(encoding="utf-8")
        name, version = (
            re.search(rf'(?m)^{word}: "?([\w.+-]+)"?$', told)[1]  # type: ignore[index]
            for word in ("name", "version")
        )
        if f'appVersion: "{self.version}"' not in told:
            sys.exit(f"release: deploy/chart/Chart.yaml is not of version {self.version}")
        ignored = (folder / ".helmignore").read_text(encoding="utf-8").split()
        inside = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        files = [
            (f"{name}/{path.relative_to(folder).as_posix()}", path)
            for path in inside
            if not any(path.is_relative_to(folder / each) for each in (*ignored, ".helmignore"))
        ]
        (self.out / f"{name}-{version}.tgz").write_bytes(packed(files, self.at))

    def image(self) -> None:
        """Build the image as an archive, where deploy/image and what it takes are there."""
        script = self.tree / "deploy" / "image" / "build.sh"
        missing = [tool for tool in ("buildah", "debootstrap") if shutil.which(tool) is None]
        if not script.is_file():
            say("release: no image: deploy/image/build.sh is not there")
        elif missing or os.geteuid() != 0:
            say(f"release: no image: it takes root{''.join(f', {each}' for each in missing)}")
        else:
            # anew, with today's packages, whatever an earlier build left
            self.run("bash", str(script), FRESH="1", REVISION=self.commit)
            shutil.copy(self.tree / ".image" / "trivium.tar", self.out / self.named("image.tar"))

    def finish(self) -> None:
        """Write the statement of what came from what, then the sums of all files."""
        self._write("provenance.intoto.json", self.statement())
        lines = (f"{digest(path)}  {path.name}\n" for path in self.files())
        (self.out / SUMS).write_text("".join(lines), encoding="ascii")

    def files(self) -> list[Path]:
        """Return what is there so far, in a fixed order."""
        return sorted(self.out.iterdir())

    def named(self, suffix: str) -> str:
        """Return the name of one of the release's files."""
        return f"trivium-{self.version}.{suffix}"

    @property
    def version(self) -> str:
        """Return the version that the sources have."""
        text = (self.tree / "pyproject.toml").read_text(encoding="utf-8")
        return re.search(r'(?m)^version = "(.+)"$', text)[1]  # type: ignore[index]

    def statement(self) -> dict[str, Any]:
        """Return the provenance: an in-toto statement with a predicate of SLSA v1, unsigned."""
        return {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [
                {"name": path.name, "digest": {"sha256": digest(path)}} for path in self.files()
            ],
            "predicateType": "https://slsa.dev/provenance/v1",
            "predicate": {
                "buildDefinition": {
                    "buildType": BUILD_TYPE,
                    "externalParameters": {
                        "version": self.version,
                        "commit": self.commit,
                        "compiled": any("none-any" not in p.name for p in self.out.glob("*.whl")),
                    },
                    "internalParameters": {"SOURCE_DATE_EPOCH": self.at},
                    "resolvedDependencies": [
                        {
                            "name": "sources",
                            "uri": os.environ.get("RELEASE_SOURCE", "git"),
                            "digest": {"gitCommit": self.commit},
                        },
                        *(
                            {"name": name, "digest": {"sha256": digest(self.tree / name)}}
                            for name in LOCKS
                        ),
                    ],
                },
                "runDetails": {
                    "builder": {
                        "id": os.environ.get("RELEASE_BUILDER", LOCAL),
                        "version": {"python": platform.python_version(), "compiler": compiler()},
                    },
                },
            },
        }

    def _write(self, name: str, value: object) -> None:
        text = json.dumps(value, indent=2, sort_keys=True)
        (self.out / name).write_text(text + "\n", encoding="utf-8")


def compiler() -> str:
    """Return the C compiler's name and version; empty where there is none."""
    found = shutil.which(os.environ.get("CC", "gcc"))
    if found is None:
        return ""
    told = subprocess.run([found, "--version"], check=True, capture_output=True, text=True).stdout
    return told.partition("\n")[0]


def digest(path: Path) -> str:
    """Return a file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def packed(files: Iterable[tuple[str, Path]], at: int) -> bytes:
    """Return a .tgz of files, all of them of one time, nobody's and readable."""
    held = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=held, mode="wb", mtime=at) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, path in files:
            data = path.read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(data), at, 0o644
            archive.addfile(entry, io.BytesIO(data))
    return held.getvalue()


def main() -> None:
    """Make all of it."""
    told = argparse.ArgumentParser(description="Make the files of a release from a commit.")
    told.add_argument("--out", default="dist", type=Path, help="a folder, emptied before")
    told.add_argument("--commit", default="HEAD", help="what to build")
    told.add_argument("--without-compiled", action="store_true", help="no wheel of this platform")
    told.add_argument("--without-image", action="store_true", help="no container image")
    options = told.parse_args()
    if options.commit == "HEAD" and git("status", "--porcelain", "--untracked-files=no"):
        say("release: what is changed and not committed here is not in it")
    out = options.out.absolute()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="trivium-release-") as folder:
        release = Release(Path(folder), out, options.commit)
        release.export()
        release.python()
        if not options.without_compiled:
            release.compiled()
        release.sbom()
        release.chart()
        if not options.without_image:
            release.image()
        release.finish()
    say((out / SUMS).read_text(encoding="ascii").rstrip())


if __name__ == "__main__":
    main()
