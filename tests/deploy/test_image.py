"""deploy/image: the Dockerfile is as documented, and what is built of it serves, without rights."""

import asyncio
import importlib.util
import os
import re
import statistics
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import msgspec
import pytest
import yaml

from deploy import imaged
from deploy.composed import ending, until
from deploy.pages import ROOT
from end_to_end.running import ANSWER, CHAT, settings
from end_to_end.test_limits import free_port
from scripted_upstream import Double, Send, Wait, sized
from trivium.settings.model import ServerSettings

PAGE = ROOT / "docs" / "operate" / "image.md"
JSON = Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))
UNPACKED_MIB, PACKED_MIB, FIRST_ANSWER_S = 250, 90, 1.5
built = pytest.mark.skipif(
    os.getuid() != 0 or not (imaged.BUILT / "opt/trivium").exists(),
    reason="needs root, and an image: `make image`, or TRIVIUM_IMAGE_ROOT",
)


def parts():
    """deploy/image/parts.py."""
    spec = importlib.util.spec_from_file_location("parts", imaged.FOLDER / "parts.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_image_is_as_compose_the_chart_and_the_page_have_it():
    """User, port, volume, settings; and the gateway's own default port."""
    one = yaml.safe_load((ROOT / "deploy/compose/compose.yaml").read_text())["x-gateway"]
    given = imaged.environment()
    assert one["user"] == imaged.told("USER") == "10001:10001"
    assert one["command"] == imaged.command()[1:]
    assert ["trivium", "serve"] == imaged.command()
    assert "8080" == imaged.told("EXPOSE") == ServerSettings().listen.rpartition(":")[2]
    for name in ("TRIVIUM_CONFIG", "TRIVIUM_SERVER__LISTEN", "TRIVIUM_SERVER__UPLOAD_FOLDER"):
        assert one["environment"][name] == given[name]
    assert "/var/lib/trivium" == imaged.told("VOLUME") == imaged.told("WORKDIR")
    assert "SIGTERM" == imaged.told("STOPSIGNAL")
    page = PAGE.read_text()
    for word in (imaged.told("USER"), "`/var/lib/trivium`", "8080", given["TRIVIUM_CONFIG"]):
        assert word in page


def test_its_health_is_asked_of_the_gateway_itself():
    """By Python, since there is no curl; of the port that it listens on."""
    python, _, code = imaged.health()
    assert "python3" == python
    assert "http://127.0.0.1:8080/healthz" in code
    compile(code, "health", "exec")


def test_both_systems_come_from_one_base_and_one_file_of_steps():
    """Whoever builds: the engine reads the Dockerfile, so does build.sh."""
    first, builder, runtime, image = imaged.stages()
    assert [("ARG", "BASE=docker.io/library/debian:trixie-slim")] == first
    assert builder[0][1] == "${BASE} AS builder"
    assert runtime[0][1] == "${BASE} AS runtime"
    assert ("FROM", "scratch") == image[0]
    known = set(re.findall(r"(?m)^(\w+)\(\)", (imaged.FOLDER / "steps.sh").read_text()))
    steps = [rest for stage in (builder, runtime) for word, rest in stage if word == "RUN"]
    for step in steps:
        assert re.search(r"/build/steps\.sh (\w+)$", step)[1] in known
    build = (imaged.FOLDER / "build.sh").read_text()
    assert "release=trixie" in build
    assert "--file deploy/image/Dockerfile " in build


def test_what_is_copied_is_there_and_let_through():
    """By the ignore file, which keeps everything else out."""
    let = {
        line[1:]
        for line in (imaged.FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = {
        source
        for stage in imaged.stages()
        for word, rest in stage
        if word == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    }
    assert copied == let
    assert all((ROOT / source).exists() for source in copied)


def test_parts_are_told_by_who_they_belong_to(tmp_path):
    """Debian's packages by their lists, Python's by their folders; two names of one file once."""
    for name, size in {
        "usr/bin/tool": 5, "usr/lib/python3.13/os.py": 7,
        "opt/trivium/lib/python3.13/site-packages/some/a.py": 11,
        "opt/trivium/lib/python3.13/site-packages/some-1.dist-info/RECORD": 13,
        "opt/trivium/lib/python3.13/site-packages/some__mypyc.cpython-313.so": 17,
        "etc/left": 19,
    }.items():  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
    (tmp_path / "usr/bin/same").hardlink_to(tmp_path / "usr/bin/tool")
    listed = tmp_path / "var/lib/dpkg/info"
    listed.mkdir(parents=True)
    (listed / "tools:amd64.list").write_text("/bin/tool\n/usr/bin/same\n")
    found = parts().parts(tmp_path)
    rest = found.pop("what no package names")
    assert 19 + len("/bin/tool\n/usr/bin/same\n") == rest
    assert {"tools": 5, "some": 41, "standard library of Python": 7} == dict(found)


@pytest.mark.slow
@built
def test_the_image_is_small_and_has_nothing_that_builds_or_passes_on_rights():
    """And is made of what the page says, within a tenth."""
    found = parts().parts(imaged.BUILT)
    assert found.total() / 2**20 <= UNPACKED_MIB
    archive = imaged.BUILT.with_name("trivium.tar")
    if archive.exists():
        assert parts().packed(archive) / 2**20 <= PACKED_MIB
    rows = dict(re.findall(r"(?m)^\| ([\w. -]+) \| ([\d.]+) \| .+ \|$", PAGE.read_text()))
    for name, size in found.most_common(8):
        assert float(rows[name]) == pytest.approx(size / 2**20, rel=0.1, abs=0.3), name
    files = [path for path in imaged.BUILT.rglob("*") if path.is_file() and not path.is_symlink()]
    assert [] == [path for path in files if path.stat().st_mode & 0o6000]
    tools = r"(gcc|cc1?|g\+\+|ld|as|make|pip3?|apt|apt-get|curl|wget|su|sudo|mount|perl)"
    assert [] == [
        path for path in files if re.fullmatch(tools, path.name) and os.access(path, os.X_OK)
    ]
    assert [] == list(imaged.BUILT.rglob("site-packages/pip")) + list(
        imaged.BUILT.rglob("ensurepip")
    )


@pytest.fixture
def container(tmp_path):
    """One with these settings, each with a volume of its own."""
    made = []

    def make(vendor):
        text = settings(vendor, server="drain_s = 20").replace('listen = "127.0.0.1:0"\n', "")
        made.append(imaged.Container(tmp_path / str(len(made)), free_port(), text))
        return made[-1]

    return make


def asked(port, path, key=None):
    """One request: status and body, or nothing where nobody listens yet."""
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        said = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        body = msgspec.json.encode(said) if path == CHAT else None
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        line.request("POST" if body else "GET", path, body, headers)
        answer = line.getresponse()
        return answer.status, answer.read()
    except ConnectionRefusedError:
        return None
    finally:
        line.close()


def first_answer_s(container, key):
    """Seconds from the start of the process until an answer of the vendor's is here."""
    began = time.monotonic()
    process = container.start()
    with ending([process]):
        while (found := asked(container.port, CHAT, key)) is None:
            assert process.poll() is None, container.log.read_text()
            time.sleep(0.005)
        taken = time.monotonic() - began
        assert (200, ANSWER) == found
    assert 0 == process.returncode, container.log.read_text()
    return taken


def keyed(container):
    """A key, made in there as an operator makes it."""
    made = container.run(
        "trivium", "user", "create", "ana", "--email", "a@b.example", "--unlimited"
    )
    assert 0 == made.returncode, made.stderr
    return container.run("trivium", "key", "create", "--user", "ana").stdout.strip()


def rights(process):
    """Its users, and what it may do beyond them."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    found = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return found["Uid"].replace("\t", " "), found["CapEff"]


@pytest.mark.slow
@built
@pytest.mark.asyncio
async def test_a_container_serves_without_rights_on_a_read_only_root(container):
    """It answers, is well, writes into its volume alone, and drains."""
    async with Double([[Wait(1.5), JSON]]) as vendor:
        one = container(vendor)
        key = await asyncio.to_thread(keyed, one)
        process = one.start()
        with ending([process]):
            await asyncio.to_thread(
                until, lambda: asked(one.port, "/healthz"), process, one.log.read_text
            )
            assert 200 == asked(one.port, "/healthz")[0]
            assert 0 == one.run(*imaged.health()).returncode
            assert ("10001 10001 10001 10001", "0000000000000000") == rights(process)
            assert 0 != one.run("touch", "/opt/trivium/new").returncode
            assert 0 != one.run("touch", "/tmp/new").returncode
            running = asyncio.create_task(asyncio.to_thread(asked, one.port, CHAT, key))
            await asyncio.sleep(0.5)
            process.terminate()
            assert (200, ANSWER) == await running
            assert 0 == await asyncio.to_thread(process.wait, 30)
        assert "built without optimisation" not in one.log.read_text()
        assert {"trivium.db", "journal"} <= {path.name for path in one.volume.iterdir()}
        unwell = one.run(*imaged.health())
        assert 0 != unwell.returncode


@pytest.mark.slow
@built
@pytest.mark.asyncio
async def test_the_first_answer_comes_soon(container):
    """The median of five; what else runs on the machine counts, too."""
    async with Double([[JSON]]) as vendor:
        one = container(vendor)
        key = await asyncio.to_thread(keyed, one)
        taken = [await asyncio.to_thread(first_answer_s, one, key) for _ in range(5)]
    sys.stderr.write(f"first answer after {sorted(round(each, 2) for each in taken)} s\n")
    assert statistics.median(taken) <= FIRST_ANSWER_S
