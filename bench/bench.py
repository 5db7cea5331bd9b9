"""Measures a gateway side by side with nginx as a plain reverse proxy, in one run, on two cores.

The gateway and nginx get core 0; wrk and the stand-in vendor (upstream.c) share core 1. The figure
to quote is CPU microseconds a request: user and system time of the whole process tree over the
requests answered. Other load on the machine moves it less than requests a second and latency. Every
case has rounds of its own with nginx, one right after the other, and the ratio is the median of the
rounds' own ratios, so drift hits all alike. The first round warms up and is not counted.

A target is a server that runs already (--target NAME=URL,PID) or one that --start NAME=PORT=COMMAND
runs and ends. Point its upstream at http://127.0.0.1:9100. A case names the shape the client
speaks: {chat,messages,responses,generate,embeddings}:{json,stream}; which one goes upstream is the
target's own configuration, so a case may name a model of its own, chat:json:MODEL; its ratio is to
nginx with the client's shape on both sides. What follows an @ is the case's own: @c8 connections,
@400k bytes of prompt (chat:json@c8@400k). `make bench` does all of this for Trivium.
"""

import argparse
import contextlib
import datetime as dt
import json
import os
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bodies

UPSTREAM_PORT = 9100
NGINX_PORT = 9180
GATEWAY_CORE, LOAD_CORE = "0", "1"
LONG = "Tell me about gateways, please, in some detail. " * 12

PATHS = {
    "chat": "/v1/chat/completions",
    "messages": "/v1/messages",
    "responses": "/v1/responses",
    "embeddings": "/v1/embeddings",
}

NGINX = """
worker_processes 1; daemon off; pid {tmp}/nginx.pid; error_log {tmp}/nginx.err;
events {{ worker_connections 16384; }}
http {{
  access_log off; client_body_buffer_size 1m; keepalive_requests 100000000;
  client_body_temp_path {tmp}; proxy_temp_path {tmp}; fastcgi_temp_path {tmp};
  uwsgi_temp_path {tmp}; scgi_temp_path {tmp};
  upstream u {{ server 127.0.0.1:{upstream}; keepalive 512; keepalive_requests 100000000; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off;
    }}
  }}
}}
"""


class Case(NamedTuple):
    """What is asked, and how."""

    name: str
    shape: str
    stream: bool
    model: str
    connections: int
    prompt: str


def parsed(name: str, options: argparse.Namespace) -> Case:
    """A case from the command line. Ends with a sentence when it cannot be read."""
    asked, *more = name.split("@")
    shape, kind, model = [*asked.split(":"), options.model][:3]
    connections, prompt = options.connections, LONG
    for one in more:
        if found := re.fullmatch(r"c(\d+)", one):
            connections = int(found[1])
        elif found := re.fullmatch(r"(\d+)k", one):
            prompt = (LONG * (int(found[1]) * 1024 // len(LONG) + 1))[: int(found[1]) * 1024]
        else:
            raise SystemExit(
                f"bench: @{one} of {name} is neither connections (@c8) nor size (@400k)"
            )
    if shape not in {*PATHS, "generate"} or kind not in ("json", "stream"):
        raise SystemExit(f"bench: {name} is no case: SHAPE:json or SHAPE:stream, then :MODEL")
    return Case(name, shape, kind == "stream", model, connections, prompt)


def body(shape: str, stream: bool, model: str, prompt: str = LONG) -> dict[str, Any]:
    """What the client sends."""
    user = [{"role": "user", "content": prompt}]
    flag = {"stream": True} if stream else {}
    if shape == "chat":
        usage = {"stream_options": {"include_usage": True}} if stream else {}
        system = {"role": "system", "content": "You are terse."}
        rest = {"temperature": 0.7, "max_tokens": 256}
        return {"model": model, "messages": [system, *user], **rest, **flag, **usage}
    if shape == "messages":
        rest = {"max_tokens": 256, "system": "You are terse."}
        return {"model": model, **rest, "messages": user, **flag}
    if shape == "responses":
        rest = {"instructions": "You are terse.", "max_output_tokens": 256, "store": False}
        return {"model": model, "input": prompt, **rest, **flag}
    if shape == "generate":
        return {
            "systemInstruction": {"parts": [{"text": "You are terse."}]},
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {"maxOutputTokens": 256},
        }
    return {"model": model, "input": "a sentence to embed"}


def path(shape: str, stream: bool, model: str, prefix: str) -> str:
    """Where the client sends it."""
    if shape == "generate":
        method = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"{prefix}/v1beta/models/{model}:{method}"
    return PATHS[shape]


def tree(pid: int) -> list[int]:
    """A process and its descendants."""
    out = [pid]
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                out += tree(int(child))
    return out


def cpu_seconds(pid: int) -> float:
    """User and system time of a process tree so far."""
    ticks = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def rss_mib(pid: int) -> float:
    """Resident memory of a process tree."""
    kib = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{each}/status").read_text())
            kib += int(found[1]) if found else 0
    return kib / 1024


def milliseconds(text: str) -> float:
    """wrk's durations: ``850.00us``, ``1.20ms``."""
    found = re.match(r"([\d.]+)(us|ms|s|m)", text)
    if found is None:
        raise SystemExit(f"bench: cannot read wrk's duration {text!r}")
    return float(found[1]) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[found[2]]


def wrk(url: str, script: Path, connections: int, seconds: int) -> dict[str, Any]:
    """One round of load."""
    command = ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}"]
    command += ["--timeout", "30", "--latency", "-s", str(script), url]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def find(pattern: str, default: str = "") -> str:
        found = re.search(pattern, out)
        return found[1] if found else default

    return {
        "requests": int(find(r"(\d+) requests in", "0")),
        "rps": float(find(r"Requests/sec:\s+([\d.]+)", "0")),
        "p50": milliseconds(find(r"(?m)^\s+50%\s+(\S+)")),
        "p99": milliseconds(find(r"(?m)^\s+99%\s+(\S+)")),
        "refused": int(find(r"Non-2xx or 3xx responses: (\d+)", "0")),
        "socket": find(r"Socket errors: (.*)"),
    }


@contextlib.contextmanager
def running(core: str, command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process pinned to a core for the time of the block."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["taskset", "-c", core, *command], stdout=out, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def listening(process: subprocess.Popen[bytes], port: int, log: Path) -> float:
    """Seconds until a port takes connections."""
    began = time.monotonic()
    while time.monotonic() - began < 120:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return time.monotonic() - began
        if process.poll() is not None:
            raise SystemExit(f"bench: {process.args} ended:\n{log.read_text()[-2000:]}")
        time.sleep(0.01)
    raise SystemExit(f"bench: nothing listens on port {port} after 120 s")


def need(tool: str, package: str) -> None:
    """Stop with a sentence when a tool is missing."""
    if shutil.which(tool) is None:
        raise SystemExit(f"bench: {tool} is missing. On Debian: apt-get install {package}")


def start(
    options: argparse.Namespace, tmp: Path, stack: contextlib.ExitStack
) -> dict[str, tuple[str, int]]:
    """Everything a run needs; the targets by name, each with its address and process id."""
    program = tmp / "upstream"
    source = Path(__file__).parent / "upstream.c"
    subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
    bodies.write(tmp / "bodies")
    command = [str(program), str(UPSTREAM_PORT), str(tmp / "bodies")]
    command += [options.first_byte_ms, options.chunk_ms]
    log = tmp / "upstream.log"
    listening(stack.enter_context(running(LOAD_CORE, command, log)), UPSTREAM_PORT, log)
    targets: dict[str, tuple[str, int]] = {}
    if not options.no_nginx:
        config = tmp / "nginx.conf"
        config.write_text(NGINX.format(tmp=tmp, upstream=UPSTREAM_PORT, port=NGINX_PORT))
        log = tmp / "nginx.log"
        nginx = stack.enter_context(running(GATEWAY_CORE, ["nginx", "-c", str(config)], log))
        listening(nginx, NGINX_PORT, log)
        targets["nginx"] = (f"http://127.0.0.1:{NGINX_PORT}", nginx.pid)
    for text in options.start:
        name, port, command_text = text.split("=", 2)
        log = tmp / f"{name}.log"
        shell = ["bash", "-c", f"exec {command_text}"]
        process = stack.enter_context(running(GATEWAY_CORE, shell, log))
        seconds = listening(process, int(port), log)
        print(f"# {name}: listened after {seconds:.2f} s, {rss_mib(process.pid):.0f} MiB then")
        targets[name] = (f"http://127.0.0.1:{port}", process.pid)
    for text in options.target:
        name, rest = text.split("=", 1)
        url, pid = rest.rsplit(",", 1)
        targets[name] = (url, int(pid))
    time.sleep(1)
    return targets


def measure(
    options: argparse.Namespace, tmp: Path, targets: dict[str, tuple[str, int]]
) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """All rounds of all cases."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    extra = dict(header.split(": ", 1) for header in options.header)
    headers = {"Content-Type": "application/json", **extra}
    keys = dict(each.split("=", 1) for each in getattr(options, "key", []))
    cases = [parsed(name, options) for name in options.case or ["chat:json", "chat:stream"]]
    turns = range(options.rounds + 1)
    order = [(turn, case) for case in cases for turn in turns]
    if getattr(options, "alternate", False):
        order.sort(key=lambda each: each[0])
    for turn, case in order:
        text = json.dumps(body(*case[1:4], case.prompt), separators=(",", ":"))
        for name, (url, pid) in targets.items():
            own = {"Authorization": f"Bearer {keys[name]}"} if name in keys else {}
            lines = ['wrk.method="POST"', f"wrk.body=[==[{text}]==]"]
            lines += [f'wrk.headers["{header}"]="{v}"' for header, v in (headers | own).items()]
            (tmp / f"{name}.lua").write_text("\n".join(lines))
            prefix = "" if name == "nginx" else options.generate_prefix
            before = cpu_seconds(pid)
            full = url + path(*case[1:4], prefix)
            seconds = options.seconds if turn else 2
            row = wrk(full, tmp / f"{name}.lua", case.connections, seconds)
            time.sleep(options.settle)
            spent = cpu_seconds(pid) - before
            row |= {"cpu_us": spent * 1e6 / max(1, row["requests"]), "rss": rss_mib(pid)}
            if turn:
                rows.setdefault((case.name, name), []).append(row)
    return rows


def show(rows: dict[tuple[str, str], list[dict[str, Any]]], base: str = "nginx") -> int:
    """Print the table of medians; 1 if any request failed, else 0. ``base``: whose is a ratio of 1."""

    def median(case: str, name: str, column: str) -> float:
        return statistics.median(row[column] for row in rows[case, name])

    def ratio(case: str, name: str) -> str:
        """To what that took in the same round, a second before: a busy neighbour slows both."""
        pairs = zip(rows[case, name], rows.get((case, base), []), strict=False)
        found = [row["cpu_us"] / max(other["cpu_us"], 1e-9) for row, other in pairs]
        return f"{statistics.median(found):9.2f}" if found else " " * 9

    today = dt.datetime.now(tz=dt.UTC).date()
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    print(f"# {today}, {machine}; gateway on one core, load on another")
    heads = f"{'cpu us/req':>12}{'x ' + base:>9}{'req/s':>10}{'p50 ms':>9}{'p99 ms':>9}{'MiB':>7}"
    print(f"{'case':30}{'target':12}{heads}  failures")
    failed = 0
    for (case, name), found in rows.items():
        cost = median(case, name, "cpu_us")
        times = f"{median(case, name, 'p50'):9.2f}{median(case, name, 'p99'):9.2f}"
        load = f"{median(case, name, 'rps'):10.0f}{times}{median(case, name, 'rss'):7.0f}"
        refused = sum(row["refused"] for row in found)
        sockets = "; ".join(row["socket"] for row in found if row["socket"])
        failed |= bool(refused or sockets)
        print(
            f"{case:30}{name:12}{cost:12.1f}{ratio(case, name)}{load}  {refused or ''} {sockets}".rstrip()
        )
    return int(failed)


def main() -> int:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", action="append", default=[], metavar="NAME=URL,PID")
    parser.add_argument("--start", action="append", default=[], metavar="NAME=PORT=COMMAND")
    parser.add_argument("--case", action="append", metavar="SHAPE:KIND[:MODEL][@…]")
    parser.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'")
    parser.add_argument(
        "--key", action="append", default=[], metavar="NAME=KEY", help="a key that one target knows"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--alternate", action="store_true",
        help="a round of each case in turn, for cases that are compared with each other",
    )  # fmt: skip
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--model", default="bench-model")
    parser.add_argument("--generate-prefix", default="/gemini")
    parser.add_argument("--first-byte-ms", default="0")
    parser.add_argument("--chunk-ms", default="0")
    parser.add_argument(
        "--settle", type=float, default=0, metavar="SECONDS",
        help="how long what a round left to do (booking it) still counts as its own",
    )  # fmt: skip
    parser.add_argument("--no-nginx", action="store_true")
    parser.add_argument("--base", default="nginx", help="the target whose ratio is 1")
    parser.add_argument("--json", type=Path, help="write every round here")
    options = parser.parse_args()
    need("gcc", "gcc libc6-dev")
    need("wrk", "wrk")
    need("taskset", "util-linux")
    if not options.no_nginx:
        need("nginx", "nginx-light")
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("bench: two cores are needed, one for the gateway and one for the load")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, contextlib.ExitStack() as stack:
        rows = measure(options, Path(folder), start(options, Path(folder), stack))
    if options.json:
        flat = [{"case": c, "target": t, **row} for (c, t), found in rows.items() for row in found]
        options.json.write_text(json.dumps(flat))
    return show(rows, options.base)


if __name__ == "__main__":
    sys.exit(main())
