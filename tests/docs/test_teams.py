"""What the page of teams prints is what happens, from an empty database to a budget that is spent.

Its commands run in this process, in their order, against one database and one gateway: hundreds of
starts of Python would take a minute.
"""

import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import docs_commands
import pytest

import warm
from cli.conftest import folder, trivium
from docs import prepared
from end_to_end.test_walk import mailbox
from ports import free_port

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "teams.md"
SETTINGS = prepared.MODEL.format(name="gpt-5-nano", channel="openai-main")
__all__ = ["folder", "trivium"]


def pattern(answer):
    """What a printed answer stands for: secrets, ends of secrets and moments are others each time."""
    text = re.escape(re.sub(" +", " ", answer).strip())
    meanings = (
        (r"sk\\-gateway\\-\w+…", r"sk-gateway-[\w-]+"),
        (r"…\w{4}\b", r"…[\w-]{4}"),
        (r"20\d\d\\-\d\d\\-\d\d", r"20\d\d-\d\d-\d\d"),
        (r"\d\d:\d\d(:\d\dZ|\\ UTC)", r"\d\d:\d\d(?::\d\dZ| UTC)"),
        (r"req_\w+", r"req_\w+"),
    )
    for printed, meant in meanings:
        text = re.sub(printed, lambda _, meant=meant: meant, text)
    return text.replace("…", ".*?")


def steps():
    """Every command of the page with its answer, in turn."""
    for block in docs_commands.blocks("docs/teams.md", PAGE.read_text(encoding="utf-8")):
        if block.is_shell:
            yield from (
                (f"{block.where}: {command}", command, said) for command, said in block.steps()
            )


@pytest.fixture
def gateway(folder):
    """Serves the database of the folder, from the first call that asks for it."""
    started = []
    with prepared.vendor() as vendor, mailbox() as (_, letters):
        text = prepared.settings(vendor.origin) + prepared.pointed(SETTINGS, vendor.origin)
        (folder / "trivium.toml").write_text(
            text.replace('[metrics]\nenabled = true\ntoken = "env:METRICS_TOKEN"\n', "")
            + f'\n[mail]\nhost = "127.0.0.1"\nport = {letters}\nsecurity = "none"\n'
            'sender = "gateway@example.org"\n'
        )

        def serve():
            if not started:
                port = free_port()
                given = os.environ | {"TRIVIUM_SERVER__LISTEN": f"127.0.0.1:{port}"}
                with (folder / "serve.log").open("w") as log:
                    started.append((port, warm.popen(
                        [warm.TRIVIUM, "serve"], cwd=folder, env=given,
                        stdout=subprocess.DEVNULL, stderr=log,
                    )))  # fmt: skip
                deadline = time.monotonic() + 60
                while "trivium is listening" not in (folder / "serve.log").read_text():
                    assert time.monotonic() < deadline, (folder / "serve.log").read_text()
                    time.sleep(0.05)
            return started[0][0]

        yield serve
        for _, process in started:
            process.send_signal(signal.SIGTERM)
            assert 0 == process.wait(30), (folder / "serve.log").read_text()


@pytest.mark.timeout(180)
def test_the_page_of_teams_prints_what_happens(folder, trivium, gateway, monkeypatch):
    """Each command, with what it answers."""
    for name, value in prepared.environment("").items():
        if name.endswith("_KEY"):
            monkeypatch.setenv(name, value)
    secret, found = "", list(steps())
    assert len(found) > 25
    for where, command, answer in found:
        words = shlex.split(command.replace("\\\n", " "))
        if words[0] == "trivium":
            done = trivium(*words[1:])
            said = done.out + done.err
        else:
            assert "curl" == words[0], where
            port = gateway()
            words = [prepared.localized(word, folder, port) for word in words]
            words = [word.replace("sk-gateway-…", secret) for word in words]
            said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            time.sleep(1.5)  # what was used is booked within a second
        secret = (re.findall(r"^sk-gateway-\S+", said, re.MULTILINE) or [secret])[-1]
        right = re.fullmatch(pattern(answer), re.sub(" +", " ", said).strip(), re.DOTALL)
        assert right, f"{where} answers\n{said}\nand not\n{answer}"
