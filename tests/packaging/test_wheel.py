"""The wheel alone: all of the package is in it, and three commands away from it is an answer."""

import contextlib
import email
import http.server
import os
import re
import subprocess
import sys
import sysconfig
import threading
import tomllib
import urllib.request
import venv
import zipfile
from pathlib import Path

import msgspec
import pytest

from end_to_end.running import ANSWER
from trivium import __version__

ROOT = Path(__file__).parents[2]
NAME = f"trivium-{__version__}"
INSTALL_S = 300
KEY = "sk-vendor-0123456789abcdef"


INDEX = ("SSL_CERT_FILE", "PIP_CERT", "PIP_INDEX_URL", "UV_INDEX_URL", "PIP_FIND_LINKS")
"""Where packages come from, as whoever runs the tests has it."""


def lent(*names):
    """Of our own environment what every program needs, and these."""
    return {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", *names) if name in os.environ
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built as for a release, without the compiler."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    environ = {k: v for k, v in os.environ.items() if not k.startswith("HATCH_")}
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, env=environ)
    (path,) = folder.iterdir()
    assert f"{NAME}-py3-none-any.whl" == path.name
    return path


def test_the_package_is_complete(wheel):
    """Templates, tables, catalogues and pins as well as modules; and nothing beside it."""
    source = ROOT / "src"
    files = (path for path in (source / "trivium").rglob("*") if path.is_file())
    there = {p.relative_to(source).as_posix() for p in files if "__pycache__" not in p.parts}
    with zipfile.ZipFile(wheel) as packed:
        within = set(packed.namelist())
        for name in within & there:
            assert (source / name).read_bytes() == packed.read(name), name
    assert {f"{NAME}.dist-info"} == {name.partition("/")[0] for name in within - there}
    assert set() == there - within
    assert len(there) > 800


def test_what_installers_read_is_as_declared(wheel):
    """The command, and each extra with what it brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(wheel) as packed:
        entry = packed.read(f"{NAME}.dist-info/entry_points.txt").decode()
        told = email.message_from_bytes(packed.read(f"{NAME}.dist-info/METADATA"))
    assert "[console_scripts]\ntrivium = trivium.cli.main:main" in entry
    assert sorted(project["optional-dependencies"]) == sorted(told.get_all("Provides-Extra"))
    wanted = told.get_all("Requires-Dist")
    assert len(project["dependencies"]) == len([line for line in wanted if "extra ==" not in line])
    for extra, packages in project["optional-dependencies"].items():
        marked = [line for line in wanted if f"extra == '{extra}'" in line]
        assert len(packages) == len(marked), extra


def test_nobody_is_sent_to_what_a_checkout_alone_has():
    """Messages name commands that a wheel brings, or both ways."""
    for path in (ROOT / "src" / "trivium" / "demo").glob("*.py"):
        text = path.read_text()
        assert "docs/" not in text, path
        assert ("`make " in text) <= ("`pip install" in text), path


@contextlib.contextmanager
def stand_in():
    """A vendor on loopback that knows one key; its address."""

    class Vendor(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            known = self.headers["authorization"] == f"Bearer {KEY}"
            body = ANSWER if known else b"{}"
            self.send_response(200 if known else 401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Vendor)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def answered(trivium, folder):
    """What a model says after ``init`` and ``serve`` in an empty folder, as a stranger would."""
    environ = lent() | {"OPENAI_API_KEY": KEY, "TRIVIUM_SERVER__LISTEN": "127.0.0.1:0"}

    def run(*argv):
        done = subprocess.run(
            [str(trivium), *argv], cwd=folder, env=environ, check=True, capture_output=True,
            text=True,
        )  # fmt: skip
        return done.stdout

    next_steps = run("init", "--no-engines")
    assert f"{trivium} check" in next_steps
    path = folder / "trivium.toml"
    with stand_in() as vendor:
        named = 'api_key = "env:OPENAI_API_KEY"'
        path.write_text(path.read_text().replace(named, f'{named}\nbase_url = "{vendor}"'))
        assert "ok      catalogue: 1 channel, 4 models" in run("check")
        run(*re.search(r"trivium (user create .*)", next_steps)[1].split())
        key = run("key", "create", "--user", "me").strip()
        serving = subprocess.Popen(
            [str(trivium), "serve"], cwd=folder, env=environ, stderr=subprocess.PIPE, text=True
        )
        try:
            told = next(line for line in serving.stderr if "listening on" in line)
            origin = re.search(r"http://[\d.:]+", told)[0]
            asked = urllib.request.Request(
                f"{origin}/v1/chat/completions",
                msgspec.json.encode({"model": "gpt-6-luna", "messages": [
                    {"role": "user", "content": "Hi"}]}),
                {"authorization": f"Bearer {key}", "content-type": "application/json"},
            )  # fmt: skip
            with urllib.request.urlopen(asked, timeout=30) as answer:
                said = msgspec.json.decode(answer.read())
        finally:
            serving.terminate()
            serving.communicate(timeout=60)
    assert 0 == serving.returncode
    return said["choices"][0]["message"]["content"]


def test_a_wheel_answers_away_from_its_sources(wheel, tmp_path):
    """In an environment that has what the package needs, by whoever installed it."""
    place = tmp_path / "env"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(wheel)], check=True, capture_output=True)
    (site,) = place.glob("lib/python*/site-packages")
    # a line of a .pth file adds a folder, but runs none of the .pth files in it: ours stays out
    ours = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "lent.pth").write_text("\n".join(ours))
    where = [str(python), "-I", "-c", "import trivium; print(trivium.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert str(place) in found
    folder = tmp_path / "work"
    folder.mkdir()
    assert "Ho" == answered(place / "bin" / "trivium", folder)


def fetched(*argv, folder):
    """What a program prints that the package index has to serve; skips where it cannot be reached."""
    environ = lent(*INDEX)
    environ |= {"UV_PYTHON_DOWNLOADS": "never", "XDG_DATA_HOME": str(folder / "data")}
    environ |= {"PIP_RETRIES": "1", "UV_HTTP_TIMEOUT": "30", "PIP_ONLY_BINARY": ":all:"}
    done = subprocess.run(
        [str(word) for word in argv], cwd=folder, env=environ, check=False, capture_output=True,
        text=True, timeout=INSTALL_S,
    )  # fmt: skip
    if done.returncode and re.search(r"(?i)connection|No matching dist|timed out", done.stderr):
        pytest.skip(f"the package index cannot be reached: {done.stderr.splitlines()[-1]}")
    assert 0 == done.returncode, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The command, in an environment that had nothing, with what the wheel declares."""
    place = tmp_path_factory.mktemp("empty") / "env"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, capture_output=True)
    fetched(place / "bin" / "python", "-m", "pip", "install", "-q", wheel, folder=place.parent)
    return place / "bin" / "trivium"


@pytest.mark.slow
@pytest.mark.timeout(INSTALL_S + 120)
def test_a_wheel_answers_from_an_empty_environment(installed, tmp_path):
    """With what it declares, as the package index has it, before a vendor."""
    assert "Ho" == answered(installed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(2 * INSTALL_S)
def test_three_commands_lead_from_a_wheel_to_an_answer(installed, tmp_path):
    """An environment and the wheel are two of them; the demo fetches its model and asks it."""
    with (tmp_path / "said").open("w") as said:
        demo = subprocess.Popen(
            [str(installed), "demo", "--listen", "127.0.0.1:0"], cwd=tmp_path, env=lent(*INDEX),
            stdout=subprocess.PIPE, stderr=said, text=True,
        )  # fmt: skip
    try:
        answer = next((line for line in demo.stdout if line.startswith("smollm2 says: ")), "")
    finally:
        demo.terminate()
        demo.communicate(timeout=60)
    told = (tmp_path / "said").read_text()
    if not answer and re.search("no network|cannot be reached|could not be reached", told):
        pytest.skip(f"the package index cannot be reached: {told.splitlines()[-1]}")
    assert answer.removeprefix("smollm2 says: ").strip(), told
    assert 0 == demo.returncode, told


@pytest.mark.slow
@pytest.mark.timeout(INSTALL_S + 120)
@pytest.mark.parametrize("tool", ["uvx", "pipx"])
def test_tools_that_install_commands_take_the_wheel(wheel, tmp_path, tool):
    """Each makes an environment of its own and runs the command there; pipx by uvx, if it is not here."""
    uvx = Path(sys.executable).with_name("uvx")
    run = {
        "uvx": [uvx, "--python", sys.executable, "--from", wheel],
        "pipx": [uvx, "pipx", "run", "--python", sys.executable, "--spec", wheel],
    }[tool]
    if not uvx.exists():
        pytest.skip("uv is not installed beside this Python")
    assert f"{__version__}\n" == fetched(*run, "trivium", "--version", folder=tmp_path)
    assert "trivium.toml" in fetched(*run, "trivium", "init", "--help", folder=tmp_path)
