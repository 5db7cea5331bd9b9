# ruff: noqa: INP001 - a program
"""What an image is made of: its size unpacked and packed, and its ten largest parts.

python3 parts.py .image          print it, as docs/operate/image.md shows it
python3 parts.py .image --write  and write it there
"""

import json  # noqa: TID251 - runs where there is nothing but Python
import os
import re
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024
PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "operate" / "image.md"
SHOWN: Final = re.compile(r"(?ms)(?<=<!-- parts -->\n).*?(?=<!-- end of parts -->)")
LIBRARY: Final = "standard library of Python"
REASONS: Final = {
    "trivium": "the gateway, its hot path compiled; its sources, too",
    LIBRARY: "with its bytecode, which nobody could write on a read-only root",
    "sqlalchemy": "the database, SQLite or PostgreSQL",
    "cryptography": "secrets and logins; has an OpenSSL of its own",
    "obstore": "generated files in object stores; imported where one is set",
    "coreutils": "essential in Debian; what an operator's shell in a container has",
    "libc6": "everything's; two thirds are converters of character sets",
    "pygments": "what `rich` wants, which Typer wants: colours of the command line",
    "libssl3t64": "TLS towards vendors and callers",
    "python3.13-minimal": "the interpreter, optimised by a profile and at link time",
    "pydantic": "what `webauthn` and the pages' checks of input are written with",
    "pydantic_core": "the compiled part of pydantic",
    "bash": "essential in Debian",
    "dns": "what `email-validator` wants, for domains of addresses",
    "authlib": "logins through other providers, and being one",
}


def parts(root: Path) -> Counter[str]:
    """Bytes of each part of a root file system; a file of several names counts once."""
    packaged = {}
    for listed in (root / "var/lib/dpkg/info").glob("*.list"):
        name = listed.stem.partition(":")[0]
        for line in listed.read_text().splitlines():
            packaged[re.sub("^/(bin|sbin|lib|lib64)/", r"/usr/\1/", line)] = name
    found: Counter[str] = Counter()
    seen = set()
    for folder, _, files in os.walk(root):
        for each in files:
            path = Path(folder, each)
            told = path.lstat()
            if (told.st_dev, told.st_ino) not in seen:
                seen.add((told.st_dev, told.st_ino))
                found[_owner("/" + path.relative_to(root).as_posix(), packaged)] += told.st_size
    return found


def _owner(name: str, packaged: dict[str, str]) -> str:
    """Return the part that a file belongs to."""
    if inside := re.search(r"/site-packages/_?([A-Za-z0-9_]+?)(?:__mypyc)?[-./]", name):
        return inside[1].lower()
    if name.startswith("/usr/lib/python3."):
        return LIBRARY
    return packaged.get(name, "what no package names")


def packed(archive: Path) -> int:
    """Bytes of an OCI archive's layers, as a registry keeps them."""
    with tarfile.open(archive) as tar:

        def read(name: str) -> dict[str, object]:
            found = tar.extractfile(name)
            assert found is not None, name
            return json.load(found)

        index = read("index.json")
        manifest = read("blobs/" + index["manifests"][0]["digest"].replace(":", "/"))
        return sum(layer["size"] for layer in manifest["layers"])


def shown(folder: Path) -> str:
    """Return what the page says of an image."""
    found = parts(folder / "rootfs")
    small = packed(folder / "trivium.tar") / MIB
    sizes = f"Unpacked **{found.total() / MIB:.0f} MiB** (at most 250), packed **{small:.0f} MiB**"
    lines = [
        f"{sizes} (at most 90), the base included.",
        "",
        "| part | MiB | why it is there |",
        "|---|---|---|",
    ]
    lines += [
        f"| {name} | {size / MIB:.1f} | {REASONS.get(name, '')} |"
        for name, size in found.most_common(10)
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = shown(Path(sys.argv[1]))
    sys.stdout.write(text)
    if "--write" in sys.argv:
        PAGE.write_text(SHOWN.sub(lambda _: "\n" + text + "\n", PAGE.read_text()))
