"""deploy/image: the Dockerfile is as documented, and what is built of it serves, without rights."""

import asyncio
import hashlib
import importlib.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from http.client import HTTPConnection
from pathlib import Path

import msgspec
import pytest
import yaml
from packaging.utils import canonicalize_name

from deploy import imaged
from deploy.composed import ending, until
from deploy.pages import ROOT
from end_to_end.running import ANSWER, CHAT, settings
from ports import free_port
from scripted_upstream import Double, Send, Wait, sized
from trivium.settings.model import ServerSettings

PAGE = ROOT / "docs" / "operate" / "image.md"
JSON = Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))
RELEASE = ROOT / ".release" / "bin" / "python"
LISTED = "import importlib.metadata as m, json; print(json.dumps([(d.name, d.version) for d in m.distributions()]))"
PLACES = (
    ("here", {"TZ": "UTC", "LC_ALL": "C"}, 0o022),
    ("elsewhere, deeper", {"TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8"}, 0o077),
)
BUILDS_S = 7200
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


@pytest.mark.slow
@built
def test_the_sbom_lists_what_is_in_the_image(tmp_path):
    """Every package that Python finds in there, in its version, and none more."""
    if not RELEASE.exists():
        pytest.skip("scripts/release.sh environment makes what writes the list")
    told = tmp_path / "cdx.json"
    subprocess.run(
        [str(RELEASE), "scripts/release_sbom.py", "requirements/run.txt", str(told)],
        cwd=ROOT, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "0"},
    )  # fmt: skip
    document = msgspec.json.decode(told.read_bytes())
    said = [*document["components"], document["metadata"]["component"]]
    one = imaged.Container(tmp_path / "one", free_port(), "")
    found = one.run("python3", "-c", LISTED)
    assert 0 == found.returncode, found.stderr
    inside = msgspec.json.decode(found.stdout)
    assert {(canonicalize_name(name), version) for name, version in inside} == {
        (canonicalize_name(each["name"]), each["version"]) for each in said
    }
    assert len(inside) == len(said)


def files(archive):
    """What the layers of an OCI archive say of every file, by its name: all but its place."""
    told = {}
    with tarfile.open(archive) as tar:
        index = msgspec.json.decode(tar.extractfile("index.json").read())
        name = index["manifests"][0]["digest"].replace(":", "/")
        manifest = msgspec.json.decode(tar.extractfile(f"blobs/{name}").read())
        for layer in manifest["layers"]:
            blob = tar.extractfile("blobs/" + layer["digest"].replace(":", "/"))
            with tarfile.open(fileobj=blob, mode="r|*") as inner:
                for each in inner:
                    data = inner.extractfile(each).read() if each.isreg() else b""
                    told[each.name] = (
                        each.type, each.mode, each.uid, each.gid, each.mtime, each.linkname,
                        sorted(each.pax_headers.items()), hashlib.sha256(data).hexdigest(),
                    )  # fmt: skip
    return told


@pytest.mark.slow
@pytest.mark.timeout(BUILDS_S)
@pytest.mark.skipif(
    os.getuid() != 0 or not all(shutil.which(tool) for tool in ("buildah", "debootstrap")),
    reason="needs root, buildah and debootstrap",
)
def test_two_images_are_equal(tmp_path):
    """Each from Debian's packages on, in a store, a clone, a time zone and a umask of its own."""
    archives = []
    for name, environ, umask in PLACES:
        place = tmp_path / name
        place.mkdir()
        clone = place / "clone"
        subprocess.run(
            ["git", "clone", "-q", "--shared", str(ROOT), str(clone)], check=True, umask=umask
        )
        # what makes it is what stands here, committed or not
        shutil.copytree(imaged.FOLDER, clone / "deploy" / "image", dirs_exist_ok=True)
        store = tmp_path / f"{len(archives)}"  # its socket's path may not be long
        (place / "storage.conf").write_text(
            f'[storage]\ndriver = "overlay"\ngraphroot = "{store}/graph"\nrunroot = "{store}/run"\n'
        )
        more = {"CONTAINERS_STORAGE_CONF": str(place / "storage.conf"), "FRESH": "1"}
        done = subprocess.run(
            ["bash", "deploy/image/build.sh"], cwd=clone, env=os.environ | environ | more,
            umask=umask, check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert 0 == done.returncode, done.stdout + done.stderr
        archives.append(clone / ".image" / "trivium.tar")
    first, second = archives
    here, there = files(first), files(second)
    assert [] == [name for name in {**here, **there} if here.get(name) != there.get(name)]
    assert first.read_bytes() == second.read_bytes()
