"""Serving: one worker here, several below a supervisor, and ports that cannot be had."""

import http.client
import itertools
import re
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import msgspec
import pytest

from trivium.cli import serve, worker
from trivium.settings.model import ServerSettings


@pytest.fixture
def served(monkeypatch):
    """What the workers would be given, without serving."""
    seen = SimpleNamespace(code=0, one=[], several=[])

    def one(settings, path, *, ready):
        seen.one.append((settings.server, path, ready))
        return seen.code

    def several(settings, path, again):
        assert again().server == settings.server
        seen.several.append((settings.server, path))
        return seen.code

    monkeypatch.setattr("trivium.cli.serve.run_worker", one)
    monkeypatch.setattr("trivium.cli.workers.supervise", several)
    return seen


def test_one_worker_serves_in_this_process(trivium, served):
    """No process is made that is not needed."""
    assert trivium("serve", "--listen", "127.0.0.1:9").code == 0
    ((server, path, ready),) = served.one
    assert ("127.0.0.1:9", None, worker.announce) == (server.listen, path, ready)
    assert [] == served.several


def test_several_workers_need_shared_state(trivium, served):
    """Limits would otherwise count only what each worker sees."""
    done = trivium("serve", "--workers", "2")
    assert done.code == 1
    assert "shared.url" in done.err
    assert ([], []) == (served.one, served.several)


def test_several_workers_are_supervised(trivium, served, settings):
    """With the file they will follow."""
    settings.write_text('[shared]\nurl = "redis://127.0.0.1"\n' + settings.read_text())
    assert trivium("serve", "--workers", "2").code == 0
    ((server, path),) = served.several
    assert (2, settings.name) == (server.workers, str(path))


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_workers_exit_code_is_the_commands(trivium, served, code):
    """Whoever started us learns how it ended."""
    served.code = code
    assert code == trivium("serve").code


@pytest.fixture
def start(settings):
    """Starts `trivium serve` for real, and leaves nothing behind."""
    settings.write_text('[shared]\nurl = "redis://127.0.0.1"\n' + settings.read_text())
    source = "from trivium.cli.main import main; main()"
    started = []

    def command(*argv):
        process = subprocess.Popen(
            [sys.executable, "-c", source, "serve", *argv], stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield command
    for process in started:
        process.kill()
        process.communicate()


def answer(origin):
    """Status of a request without a key."""
    connection = http.client.HTTPConnection(urlsplit(origin).netloc, timeout=10)
    connection.request("GET", "/v1/models")
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_listens_answers_and_ends_when_told(start, workers):
    """From one line to exit code 0; a worker may say before it that shared state is away."""
    process = start("--listen", "127.0.0.1:0", "--workers", workers)
    said = itertools.takewhile(bool, iter(process.stderr.readline, None))
    told = re.compile(r"trivium is listening on (http://127\.0\.0\.1:\d+) \(pid (\d+)\)")
    found = next(filter(None, map(told.search, said)), None)
    assert found
    assert (401, process.pid) == (answer(found[1]), int(found[2]))
    process.terminate()
    # nothing runs: it does not take its whole time to drain
    assert process.wait(ServerSettings().drain_s - 5) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_taken_port_ends_it_with_one_line(start, workers):
    """No traceback for what happens every day."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        process = start("--listen", listen, "--workers", workers)
        _, said = process.communicate(timeout=60)
    assert (1, 1) == (process.returncode, said.count("\n"))
    told = msgspec.json.decode(said)["message"]
    assert told.startswith(f"trivium: cannot listen on {listen}: another program listens there")


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        ("serve", (None, None, None)),
        ("serve --config a.toml", (Path("a.toml"), None, None)),
        ("serve --config=a.toml --listen 0.0.0.0:1 --workers=4", (Path("a.toml"), "0.0.0.0:1", 4)),
        ("serve --help", None),
        ("serve --workers x", None),
        ("serve --workers -1", None),
        ("serve --workers", None),
        ("serve --listen=", None),
        ("serve --listen --workers", None),
        ("serve --workers 1 --workers 2", None),
        ("serve here", None),
        ("serve --what", None),
        ("check --config a.toml", None),
        ("", None),
    ],
)
def test_plain_options_are_read_without_the_parser(argv, found):
    """Everything else is the parser's: help, mistakes, what it alone can say."""
    assert found == serve.plain(argv.split())


def test_serving_does_not_load_what_only_the_parser_needs(tmp_path):
    """Hundreds of milliseconds and megabytes, for months."""
    (tmp_path / "bad.toml").write_text("[server]\nlisten = 7\n")
    code = (
        "import sys; from trivium.cli.main import run; "
        "code = run(['serve', '--config', 'bad.toml']); "
        "print(code, 'pydantic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert "1 False" == done.stdout.strip()
    assert "server.listen" in done.stderr
