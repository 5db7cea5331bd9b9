"""Read the settings: the file, then the environment, then flags; checked whole, or refused whole.

This is the only place that reads the environment.
"""

import ipaddress
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from trivium.settings.environment import Given, read_environment, read_flags
from trivium.settings.errors import Problem, SettingsError
from trivium.settings.locate import lines
from trivium.settings.memory import ParsedFile, ReadMemory
from trivium.settings.model import Settings
from trivium.settings.read import read
from trivium.settings.relations import relations
from trivium.settings.secrets import Secrets
from trivium.settings.source import SettingsSource
from trivium.settings.stored import StoredEntry, lay_in
from trivium.settings.syntax import proxy_url

_NAMES: Final = {
    "http": ("http_proxy", "all_proxy", "ALL_PROXY"),
    "https": ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
}


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy for one address, ``None`` for a direct connection.

    Raises SettingsError naming the variable when its value is not a proxy we can use.
    """
    parts = urlsplit(url)
    name = next((name for name in _NAMES.get(parts.scheme, ()) if environ.get(name)), None)
    if name is None or _direct(parts.hostname or "", environ):
        return None
    proxy = environ[name] if "://" in environ[name] else f"http://{environ[name]}"
    what = proxy_url(proxy)
    if what:
        raise SettingsError(f"{name}: the environment's proxy {what}")
    return proxy.rstrip("/")


def _direct(host: str, environ: Mapping[str, str]) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is not None and address.is_loopback:
        return True
    listed = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    for raw in listed.split(","):
        entry = raw.strip().lower()
        if entry == "*":
            return True
        try:
            network = ipaddress.ip_network(entry, strict=False)
        except ValueError:
            name = entry.lstrip("*").lstrip(".")
            if name and (host == name or host.endswith(f".{name}")):
                return True
        else:
            if address is not None and address in network:
                return True
    return False


_BYTES_MAX: Final = 16_777_216
_NO_FLAGS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, kw_only=True, repr=False)
class Loaded:
    """Settings together with what is needed to go on from them."""

    settings: Settings
    source: SettingsSource
    """Where each setting was given, for messages."""
    secrets: Secrets
    """Looks up ``env:`` and ``file:`` as this file means them."""
    proxy: Callable[[str], str | None]
    """The environment's proxy for an address."""

    def is_stored(self, i: int) -> bool:
        """Whether this channel, by its place in the list, is the database's."""
        return ("channels", i) in self.source.stored


def environment() -> Mapping[str, str]:
    """The process's own environment, as it is now."""
    return dict(os.environ)  # noqa: TID251 - this is the door


def load(
    path: Path | None,
    environ: Mapping[str, str] | None = None,
    *,
    flags: Mapping[str, str] = _NO_FLAGS,
) -> Settings:
    """The settings of a file (``None``: defaults only) and the environment.

    ``environ`` defaults to the process's. ``flags`` wins over both: ``{"server.workers": "4"}``.
    Raises SettingsError with one line for every problem.
    """
    return load_with_source(path, environ, flags=flags).settings


def load_with_source(
    path: Path | None,
    environ: Mapping[str, str] | None = None,
    *,
    flags: Mapping[str, str] = _NO_FLAGS,
    secrets: Secrets | None = None,
    file: ParsedFile | None = None,
    stored: Sequence[StoredEntry] = (),
    memory: ReadMemory | None = None,
) -> Loaded:
    """As :func:`load`, with the places that building a catalogue and watching the file need.

    ``file``: as it was parsed; ``None``: it is read now. ``stored``: entries of the database, which
    are laid beside those of the file: that has to be right without them, since a start reads it
    first. ``memory``: of earlier readings.
    """
    environ = environment() if environ is None else environ
    secrets = secrets or Secrets(environ, path.parent if path else Path())
    memory = memory or ReadMemory()
    file = file or parsed(path, memory)
    if stored and not file.is_sound:
        _checked(path, file, environ, flags, secrets, (), memory)
        file.is_sound = True
    settings, source = _checked(path, file, environ, flags, secrets, stored, memory)

    def proxy(url: str) -> str | None:
        return proxy_for(url, environ)

    return Loaded(settings=settings, source=source, secrets=secrets, proxy=proxy)


def parsed(path: Path | None, memory: ReadMemory) -> ParsedFile:
    """The file as it is now. Raises SettingsError where it cannot be read or is not TOML."""
    text = _text(path) if path else ""
    known = memory.file
    if known is None or known.text != text:
        data = _parse(text, str(path) if path else "")
        if known is not None:
            _keep_same(known.data, data)
        known = memory.file = ParsedFile(text, data, lines(text))
    return known


def _keep_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Put entries that are as they were before in the place of their equals: what is known of them
    stays known.
    """
    for table in ("channels", "models"):
        before, now = old.get(table), new.get(table)
        if not isinstance(before, list) or not isinstance(now, list):
            continue
        named = {
            item["name"]: item
            for item in before
            if isinstance(item, dict) and isinstance(item.get("name"), str)
        }
        for i, item in enumerate(now):
            name = item.get("name") if isinstance(item, dict) else None
            if isinstance(name, str) and name in named and named[name] == item:
                now[i] = named[name]


def _checked(
    path: Path | None,
    file: ParsedFile,
    environ: Mapping[str, str],
    flags: Mapping[str, str],
    secrets: Secrets,
    stored: Sequence[StoredEntry],
    memory: ReadMemory,
) -> tuple[Settings, SettingsSource]:
    """The settings of all that gives them. Raises SettingsError."""
    source = SettingsSource(name=str(path) if path else "", data=_copied(file.data))
    source.lines = file.lines
    given, slips = read_environment(environ)
    _lay_over(source, [*given, *read_flags(flags)])
    problems = lay_in(source, stored)
    taken = {problem.path for problem in problems}
    settings, found = read(source.data, secrets.look_up, memory)
    found += relations(settings, [problem.path for problem in found], memory)
    problems += [problem for problem in found if problem.path not in taken]
    if slips or problems:
        told = [f"{slip.path[0]} {slip.what}" for slip in slips]
        raise SettingsError(
            *told, *(source.say(problem) for problem in _in_order(problems, source))
        )
    return settings, source


def _copied(data: dict[str, Any]) -> dict[str, Any]:
    """A copy to which settings can be added; the entries themselves are the same objects."""
    return {
        name: {**value}
        if isinstance(value, dict)
        else list(value)
        if isinstance(value, list)
        else value
        for name, value in data.items()
    }


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_BYTES_MAX + 1)
    except OSError as exc:
        raise SettingsError(
            f"{path}: cannot be read: {exc.strerror or type(exc).__name__}"
        ) from None
    if len(data) > _BYTES_MAX:
        raise SettingsError(f"{path}: is above {_BYTES_MAX} bytes, which no settings file is")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        raise SettingsError(f"{path}:{line}: is not UTF-8 text") from None


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        what = str(exc)
        found = re.search(r" \(at line (\d+), column \d+\)", what)
        line = int(found[1]) if found else text.count("\n") + 1
        what = what.replace(found[0], "") if found else what
        raise SettingsError(
            f"{name}:{line}: is not TOML: {what}. "
            'Text goes in quotes and a table in brackets. Example: listen = "127.0.0.1:8080"'
        ) from None
    except RecursionError:
        raise SettingsError(f"{name}: is nested too deeply") from None
    except ValueError:  # of Python itself, which does not say where
        raise SettingsError(f"{name}: holds a number of more than 4,300 digits") from None


def _lay_over(source: SettingsSource, given: list[Given]) -> None:
    for item in given:
        section, name = item.path
        table = source.data.setdefault(str(section), {})
        if isinstance(table, dict):
            table[name] = item.value
            source.given[item.path] = item.label


def _in_order(problems: list[Problem], source: SettingsSource) -> list[Problem]:
    """Problems as one meets them reading the file; those from elsewhere first, and those of the
    database behind them.
    """

    def line(problem: Problem) -> int:
        if problem.path in source.given:
            return 0
        ends = range(len(problem.path), 0, -1)
        if any(problem.path[:e] in source.stored for e in ends):
            return _BYTES_MAX
        return next(
            (source.lines[problem.path[:e]] for e in ends if problem.path[:e] in source.lines), 0
        )

    return sorted(problems, key=line)
