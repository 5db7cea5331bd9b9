"""Writes what is installed with Trivium as a CycloneDX document, from a lock file.

release_sbom.py requirements/run.txt TRIVIUM.cdx.json

Listed is what the lock has for this platform and version of Python, with the hashes that installers
hold packages to, and what asks for what. The same lock makes the same bytes: the time is
``SOURCE_DATE_EPOCH``, and the serial number follows from the contents. Runs in .release, which
scripts/release.sh makes.
"""

import hashlib
import os
import re
import sys
import tomllib
import uuid
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

VERSION: Final = SchemaVersion.V1_6
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_ROOT: Final = "trivium"


def pins(text: str) -> Iterator[tuple[Requirement, list[str], set[str]]]:
    """Yield each pin of a lock for this platform: its hashes, and who asks for it."""
    for block in re.split(r"\n(?=\S)", text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        if lines[0].startswith("#"):
            continue
        pin = Requirement(lines[0].rstrip(" \\"))
        if pin.marker is not None and not pin.marker.evaluate():
            continue
        told = [line.removeprefix("#").strip() for line in lines[1:] if line.startswith("#")]
        askers = {
            canonicalize_name(line.removeprefix("via").split("(")[0].strip()) for line in told
        }
        yield pin, _HASH.findall(block), askers - {""}


def component(name: str, version: str, kind: ComponentType, **more: object) -> Component:
    """Return a package of the index, named by its address there."""
    purl = PackageURL("pypi", name=canonicalize_name(name), version=version)
    return Component(
        name=name, version=version, type=kind, purl=purl, bom_ref=str(purl), **more  # type: ignore[arg-type]
    )  # fmt: skip


def document(lock: str, project: dict[str, str], at: int) -> Bom:
    """Return the whole of it: the gateway, what is installed with it, and the edges between."""
    root = component(
        project["name"],
        project["version"],
        ComponentType.APPLICATION,
        description=project["description"],
        licenses=[LicenseExpression(project["license"])],
    )
    made = {_ROOT: root}
    asked: dict[str, set[str]] = {}
    for pin, hashes, askers in pins(lock):
        (exact,) = pin.specifier
        made[canonicalize_name(pin.name)] = component(
            pin.name,
            exact.version,
            ComponentType.LIBRARY,
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in hashes],
        )
        for asker in askers or {_ROOT}:
            asked.setdefault(asker, set()).add(canonicalize_name(pin.name))
    bom = Bom(
        components=[each for name, each in made.items() if name != _ROOT],
        metadata=BomMetaData(component=root, timestamp=datetime.fromtimestamp(at, UTC)),
        serial_number=uuid.UUID(
            bytes=hashlib.sha256(f"{root.purl}\n{lock}".encode()).digest()[:16], version=4
        ),
    )
    for name, each in made.items():
        # what a package of another platform asks for is asked for by nobody here
        bom.register_dependency(each, [made[one] for one in sorted(asked.get(name, ()))])
    return bom


def main() -> None:
    """Write the document, checked against CycloneDX' own schema."""
    lock, target = sys.argv[1:]
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    at = int(os.environ["SOURCE_DATE_EPOCH"])  # noqa: TID251 - a program
    bom = document(Path(lock).read_text(encoding="utf-8"), project, at)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an incomplete graph is one
        text = make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string(indent=2)
    wrong = JsonStrictValidator(VERSION).validate_str(text)
    if wrong is not None:
        sys.exit(f"release_sbom.py: CycloneDX' schema refuses it: {wrong}")
    Path(target).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
