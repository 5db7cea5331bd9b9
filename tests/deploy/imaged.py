"""What deploy/image/Dockerfile says, and the image's files as a container of them would run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from deploy import contained
from deploy.pages import ROOT

FOLDER = ROOT / "deploy" / "image"
BUILT = Path(os.environ.get("TRIVIUM_IMAGE_ROOT", ROOT / ".image" / "rootfs"))


def stages():
    """The Dockerfile's stages, the first being what stands before them: (instruction, its words)."""
    text = re.sub(r"(?m)^#.*\n", "", (FOLDER / "Dockerfile").read_text())
    found = [[]]
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.partition(" ")
            if word == "FROM":
                found.append([])
            found[-1].append((word, rest.strip()))
    return found


def told(word, stage=-1):
    """What a stage says by one instruction, once."""
    (found,) = [rest for name, rest in stages()[stage] if name == word]
    return found


def environment():
    """The variables of the image."""
    return dict(pair.split("=", 1) for pair in shlex.split(told("ENV")))


def command():
    """What a container runs."""
    return [*json.loads(told("ENTRYPOINT")), *json.loads(told("CMD"))]


def health():
    """What says whether it is well."""
    return json.loads(told("HEALTHCHECK").partition("CMD ")[2])


class Container:
    """A volume, a folder of settings, and a port in place of the image's own."""

    def __init__(self, folder, port, settings):
        self.port = port
        self.volume, self.settings = folder / "volume", folder / "settings"
        for each in (self.volume, self.settings):
            each.mkdir(parents=True)
        self.user = int(told("USER").partition(":")[0])
        shutil.chown(self.volume, self.user, self.user)
        for each in (folder, *folder.parents):  # pytest's folders are its user's alone
            each.chmod(each.stat().st_mode | 0o011)
        (self.settings / "trivium.toml").write_text(settings)
        self.log = folder / "log"

    def here(self, text):
        """A text with our port in it."""
        return text.replace(f":{told('EXPOSE')}", f":{self.port}")

    def command(self, *argv):
        """The words that run a program in there."""
        return [
            "unshare", "--mount", "--propagation", "private", sys.executable, contained.__file__,
            str(BUILT), str(self.volume), str(self.settings), str(self.user), *map(self.here, argv),
        ]  # fmt: skip

    @property
    def environment(self):
        return {name: self.here(value) for name, value in environment().items()}

    def run(self, *argv):
        """What came of a program."""
        return subprocess.run(
            self.command(*argv), check=False, capture_output=True, text=True, env=self.environment
        )

    def start(self):
        """The gateway."""
        with self.log.open("wb") as log:
            return subprocess.Popen(
                self.command(*command()), stderr=log, stdout=log, env=self.environment
            )
