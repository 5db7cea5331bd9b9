"""deploy/systemd: systemd takes the unit, and the gateway serves as confined as it says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import confined
from deploy.pages import ROOT
from end_to_end.running import ANSWER, TRIVIUM, Running, listening, prepare, settings
from scripted_upstream import Double, Send, sized
from trivium.cli.workers import GRACE_S
from trivium.settings.model import ServerSettings

UNIT = ROOT / "deploy" / "systemd" / "trivium.service"
PAGE = ROOT / "docs" / "operate" / "service.md"
ANALYZE = shutil.which("systemd-analyze")
JSON = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")


def analyzed(*argv):
    """What systemd-analyze prints."""
    return subprocess.run([ANALYZE, *argv], check=False, capture_output=True, text=True)


@needs_systemd
@pytest.mark.parametrize("path", sorted(UNIT.parent.glob("*.service")), ids=lambda path: path.stem)
def test_systemd_takes_the_units(tmp_path, path):
    """But for the program, which is not installed where tests run."""
    unit = tmp_path / path.name
    unit.write_text(re.sub(r"(?m)^(Exec\w+=)/\S+", r"\1/bin/true", path.read_text()))
    done = analyzed("verify", str(unit))
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)


@needs_systemd
def test_its_exposure_is_as_the_page_says():
    """Of ten; a newer systemd may look at more."""
    said = float(re.search(r"exposure of \*\*([\d.]+)\*\*", PAGE.read_text())[1])
    done = analyzed("security", "--offline=true", "--no-pager", str(UNIT))
    found = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)[1])
    assert found <= said
    version = int(re.search(r"systemd (\d+)", analyzed("--version").stdout)[1])
    if version == 252:
        assert said == found


def test_it_may_drain():
    """systemd kills later than the supervisor does, and tells only the supervisor to stop."""
    told = dict(confined.directives(UNIT))
    server = ServerSettings()
    assert "mixed" == told["KillMode"]
    assert float(told["TimeoutStopSec"]) > server.drain_s + server.drain_notice_s + GRACE_S


def started(folder):
    """`trivium serve` below the unit's confinement, once `trivium check` passed there."""
    command = [sys.executable, Path(confined.__file__), UNIT, TRIVIUM]
    assert 0 == subprocess.run([*command, "check"], check=False, cwd=folder).returncode
    with (folder / "serve.log").open("wb") as log:
        return subprocess.Popen([*command, "serve"], cwd=folder, stderr=log)


def is_filtered(process):
    """Whether the kernel looks at each system call of it."""
    said = Path(f"/proc/{process.pid}/status").read_text()
    return re.search(r"(?m)^Seccomp:\s+2$", said) is not None


@needs_systemd
@pytest.mark.asyncio
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
@pytest.mark.parametrize("workers", [1, 2])
async def test_the_gateway_serves_as_confined_as_that(tmp_path, workers, request):
    """It starts, answers, shows pages, drains, and misses no system call."""
    server, rest = "", ""
    if workers > 1:
        server = f"workers = {workers}"
        rest = f'[shared]\nurl = "{request.getfixturevalue("valkey").url}"\n'
    async with Double([JSON]) as vendor:
        key = await prepare(tmp_path, settings(vendor, server=server, rest=rest))
        process = started(tmp_path)
        gateway = Running(tmp_path, process, key)
        try:
            await listening(gateway)
            status, _, body = await gateway.send(gateway.chat())
            assert (200, ANSWER) == (status, body)
            assert 200 == (await gateway.send(gateway.get("/readyz")))[0]
            assert 200 == (await gateway.send(gateway.get("/login")))[0]
            assert is_filtered(process)
        finally:
            process.terminate()
            code = await gateway.ended()
        assert 0 == code, gateway.log
        assert "not permitted" not in gateway.log.lower(), gateway.log
