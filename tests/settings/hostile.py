"""Whatever somebody may write as a setting's value, and files that are none."""

import datetime as dt
import math
import os
import re

from trivium.settings.rules import RULES

VALUES = (
    *("", " ", "x", "\n", "\x00", "é\u2028\U0001f600", "a" * 100_000, "env:", "env:NOWHERE", "file:"),
    *("file:/nowhere/at/all", "http://", "http://[::1", "://", "s3://", "file:///nowhere/x", "-1"),
    *(":0", "127.0.0.1:99999", "[::1]:8080", "0.0.0.0:0", "%00", "../..", "~", "{}", "sqlite:///"),
    *("postgresql://u:p@127.0.0.1:1/x", "redis://127.0.0.1:1/0", "redis://:p@h:x/y"),
    *(0, -1, 1, 2**31, 2**63, 10**30, 0.0, -0.5, 1e308, math.nan, math.inf, True, False),
    *([], [""], ["x", 1], [[]], {}, {"x": 1}, {"": ""}, [{}]),
    *(dt.date(1979, 5, 27), dt.time(7, 32), dt.datetime(1979, 5, 27, 7, 32, tzinfo=dt.UTC)),
)  # fmt: skip
"""Of every type: empty, long, huge, of the wrong kind, with characters nobody expects."""

CHANNEL = {
    "name": "main",
    "provider": "openai",
    "api_key": "k",
    "base_url": "http://127.0.0.1:9/v1",
}
BINDING = {"channel": "main"}
MODEL = {"name": "m", "free": True, "bindings": [BINDING]}
LOGIN = {"name": "company", "title": "C", "issuer": "https://login.example.com", "client_id": "t", "client_secret": "s"}  # fmt: skip
WORKLOAD = {"name": "ci", "issuer": "https://ci.example", "audience": "a", "scopes": ["read"], "claims": {"sub": "x"}}  # fmt: skip
LISTS = {"channels": CHANNEL, "models": MODEL, "logins": LOGIN, "workloads": WORKLOAD}
NESTED = {("models", "bindings"): BINDING}


def whole():
    """Settings that are right."""
    return {"channels": [dict(CHANNEL)], "models": [{**MODEL, "bindings": [dict(BINDING)]}]}


def paths():
    """Every setting there is, as its rule is named."""
    return list(RULES)


def with_value(path, value):
    """The settings with one of them as somebody wrote it."""
    data = whole()
    steps = path.split(".")
    here = data
    for number, step in enumerate(steps[:-1]):
        if step == "*":
            here = here.setdefault("x", {}) if isinstance(here, dict) else here
            continue
        known = tuple(steps[: number + 1])
        if step not in here:
            is_list = step in LISTS or known in NESTED or _is_list(path, known)
            start = dict(LISTS.get(step, {}) if number == 0 else NESTED.get(known, {}))
            last = steps[number + 1] == "*" and number + 2 == len(steps)
            here[step] = [] if is_list and last else [start] if is_list else start
        here = here[step]
        if isinstance(here, list) and steps[number + 1] != "*":
            here = here[0]
    if steps[-1] != "*":
        here[steps[-1]] = value
    elif isinstance(here, list):
        here[:] = [value]
    else:
        here["x"] = value
    return data


def _is_list(path, known):
    """Whether an example writes it with double brackets, or as a list."""
    found = RULES.get(".".join(known))
    return found is not None and bool(re.search(r"^\[\[|= \[", found.example))


def toml(value):
    """A value as TOML has it, on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return str(value).replace("1e+308", "1e308")
        case int():
            return str(value)
        case str():
            return '"' + "".join(_escaped(c) for c in value) + '"'
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
    raise TypeError(value)


def _escaped(char):
    code = ord(char)
    return f"\\U{code:08x}" if code < 32 or code in (34, 92, 127) else char


def text(data):
    """A settings file."""
    return "".join(f"{toml(name)} = {toml(value)}\n" for name, value in data.items())


def files(folder):
    """Things that stand where a file should be, by what is wrong with them."""
    (folder / "directory").mkdir()
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(bytes(range(256)) * 40)
    (folder / "nul").write_bytes(b"\0" * 40)
    (folder / "long").write_bytes(b"x" * 200_000)
    (folder / "text").write_bytes(b"hello\n")
    (folder / "dangling").symlink_to(folder / "nowhere")
    (folder / "cycle").symlink_to(folder / "cycle")
    os.mkfifo(folder / "pipe")
    names = ["directory", "empty", "binary", "nul", "long", "text", "dangling", "cycle", "pipe"]
    return {
        **{name: str(folder / name) for name in names},
        "missing": str(folder / "missing"),
        "below a file": str(folder / "text" / "below"),
        "a device": "/dev/full",
        "endless": "/dev/zero",
        "long name": str(folder / ("n" * 300)),
    }
