"""Counts the calls of one request: how many functions of ``trivium`` in how many files serve it.

usage: calls.py [--case NAME] [--list] [--budgets N] [--stored] [--python PROGRAM]

A gateway of one worker is started beside a stand-in vendor and asked a few times, so that
everything is imported and connected; then one request of each case is traced with
``sys.setprofile``. ``--list`` prints the calls in their order. ``--budgets``: with the key of a
service account, which counts against a budget of each of so many teams in each other. ``--stored``: with
channels and models in the database instead of the file. Counts are of the sources as they
are: compiled functions are not seen. What a call costs is another question (bench.py).
"""

import argparse
import asyncio
import contextlib
import functools
import http.client
import json
import operator
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import bench
import bodies

PORT, VENDOR_PORT = 9183, 9103
WARM = 5
"""Requests of a case that are not traced."""
TRACES = 8
PRICE = 'price = { input = "1.25", cache_read = "0.125", output = "10" }'
CASES = {
    "same shape": ("chat", False, "same"),
    "same shape, stream": ("chat", True, "same"),
    "translated": ("chat", False, "other"),
    "translated, stream": ("chat", True, "other"),
    "failing over": ("chat", False, "failing"),
    "failing over, stream": ("chat", True, "failing"),
}
SETTINGS = """
[storage]
url = "sqlite:///{folder}/calls.db"
journal = "{folder}/journal/"
[logs]
level = "error"
[routing]
failures = 1000
failures_ratio = 1.0
[[channels]]
name = "broken"
provider = "openai"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:{vendor}/broken"
[[channels]]
name = "openai"
provider = "openai"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:{vendor}/v1"
[[channels]]
name = "anthropic"
provider = "anthropic"
api_key = "env:BENCH_VENDOR_KEY"
base_url = "http://127.0.0.1:{vendor}"
[[models]]
name = "same"
{price}
bindings = [{{ channel = "openai" }}]
[[models]]
name = "other"
{price}
bindings = [{{ channel = "anthropic" }}]
[[models]]
name = "failing"
{price}
bindings = [{{ channel = "broken", priority = 1 }}, {{ channel = "openai", priority = 2 }}]
"""


def traced(file: Path) -> int:
    """Serve; SIGUSR2 begins to note calls, and the next one writes them to ``file``."""
    import trivium
    from trivium.cli.main import main as run

    prefix = f"{Path(trivium.__file__).parent}/"
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(prefix):
            calls.append((code.co_filename.removeprefix(prefix), code.co_qualname))

    def switch(_: int, __: FrameType | None) -> None:
        if sys.getprofile() is None:
            calls.clear()
            sys.setprofile(note)
        else:
            sys.setprofile(None)
            file.with_suffix(".new").write_text(json.dumps(calls))
            file.with_suffix(".new").replace(file)

    signal.signal(signal.SIGUSR2, switch)
    run()
    return 0


async def vendor() -> None:
    """Answer with what bodies.py holds; 500 below ``/broken``."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                asked = json.loads(await reader.readexactly(size))
                writer.write(_answer(head.split(b" ")[1].decode(), bool(asked.get("stream"))))

    server = await asyncio.start_server(serve, "127.0.0.1", VENDOR_PORT)
    async with server:
        await server.serve_forever()


def _answer(path: str, stream: bool) -> bytes:
    if path.startswith("/broken"):
        status, kind, body = b"500 Error", b"application/json", b'{"error":{"message":"broken"}}'
    else:
        status = b"200 OK"
        whole, events = bodies.chat() if "/chat/" in path else bodies.messages()
        kind = b"text/event-stream" if stream else b"application/json"
        text = "".join(bodies.frame(*one) for one in events) if stream else json.dumps(whole)
        body = text.encode()
    head = b"HTTP/1.1 %b\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n"
    return head % (status, kind, len(body)) + body


def ask(
    connection: http.client.HTTPConnection, shape: str, stream: bool, model: str, key: str
) -> None:
    """One request, its answer read to the end."""
    body = json.dumps(bench.body(shape, stream, model))
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", bench.path(shape, stream, model, ""), body, headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        sys.exit(f"calls: {model} answered {answer.status}: {text[:300]!r}")


@contextlib.contextmanager
def running(command: list[str], port: int, **environment: str) -> Iterator[int]:
    """A process that listens on ``port``, ended afterwards; gives its id."""
    process = subprocess.Popen(command, env=os.environ | environment)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError):
                http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
                break
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)


def count(case: tuple[str, bool, str], key: str, pid: int, file: Path) -> list[list[str]]:
    """The calls of one request of this case, as file and name: what several traces have in common.

    What the gateway does now and then, whoever asks, is in some of them.
    """
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10)
    for _ in range(WARM):
        ask(connection, *case, key)
    found = []
    for _ in range(TRACES):
        time.sleep(0.3)  # what is written behind the answer is not the request's
        os.kill(pid, signal.SIGUSR2)
        time.sleep(0.05)
        ask(connection, *case, key)
        time.sleep(0.02)
        file.unlink(missing_ok=True)
        os.kill(pid, signal.SIGUSR2)
        while not file.exists():
            time.sleep(0.02)
        calls: list[list[str]] = json.loads(file.read_text())
        found.append(calls)
    own = functools.reduce(operator.and_, (Counter(map(tuple, calls)) for calls in found))
    common = []
    for call in min(found, key=len):
        if own[tuple(call)] > 0:
            own[tuple(call)] -= 1
            common.append(call)
    return common


def main() -> int:
    """Trace each case and print its counts."""
    if len(sys.argv) > 2 and sys.argv[1] == "--traced":
        file = Path(sys.argv[2])
        sys.argv = ["trivium", *sys.argv[3:]]
        return traced(file)
    if sys.argv[1:] == ["--vendor"]:
        asyncio.run(vendor())
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--budgets", type=int, default=0, choices=range(9))
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="that of the checkout to trace")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        show(options, Path(name))
    return 0


def company(budgets: int, trivium: list[str], where: list[str]) -> str:
    """Make teams in each other, each with a budget; the service account of the innermost."""
    name = ""
    for number in range(budgets):
        name = f"{name}/t{number}".lstrip("/")
        for command in (["create", name], ["budget", "set", name, "1000000/month"]):
            subprocess.check_output([*trivium, "team", *command, *where])
    subprocess.check_output([*trivium, "credit", "t0", "1000000", *where])
    subprocess.check_output([*trivium, "team", "service", "create", f"{name}/bot", *where])
    return f"{name}/bot"


def configure(text: str, settings: Path, trivium: list[str], *, stored: bool) -> None:
    """Write a settings file. ``stored``: its channels and models go to the database instead."""
    head, mark, catalogue = text.partition("[[channels]]")
    settings.write_text(head if stored else text)
    if stored:
        # the key itself: a reference goes to hosts of the settings alone, over HTTPS
        said = f"{mark}{catalogue}".replace("env:BENCH_VENDOR_KEY", "sk-bench")
        apply = [*trivium, "config", "apply", "-", "--yes", "--config", str(settings)]
        subprocess.run(apply, input=said, text=True, check=True, stdout=subprocess.DEVNULL)


def show(options: argparse.Namespace, folder: Path) -> None:
    """Start both servers in ``folder`` and print what each case calls."""
    settings = folder / "trivium.toml"
    text = SETTINGS.format(folder=folder, vendor=VENDOR_PORT, price=PRICE)
    os.environ["BENCH_VENDOR_KEY"] = "sk-bench"
    trivium = [str(Path(options.python).with_name("trivium"))]
    where = ["--config", str(settings)]
    configure(text, settings, trivium, stored=options.stored)
    user = ["user", "create", "bench", "--email", "b@example.org", "--credit", "1000"]
    subprocess.check_output([*trivium, *user, *where])
    owner = "bench" if not options.budgets else company(options.budgets, trivium, where)
    key = subprocess.check_output([*trivium, "key", "create", "--user", owner, *where]).decode()
    listed = folder / "calls.json"
    serve = [options.python, __file__, "--traced", str(listed), "serve", *where]
    with (
        running([sys.executable, __file__, "--vendor"], VENDOR_PORT),
        running([*serve, "--listen", f"127.0.0.1:{PORT}"], PORT) as pid,
    ):
        print(f"{'case':24} {'calls':>6} {'files':>6}")
        for case in options.case or CASES:
            calls = count(CASES[case], key.strip(), pid, listed)
            print(f"{case:24} {len(calls):6} {len({file for file, _ in calls}):6}")
            if options.list:
                print(*(f"    {file:40} {function}" for file, function in calls), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
