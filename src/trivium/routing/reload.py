"""Follow the settings file: a good change is taken up whole, a bad one is refused whole.

A file is looked at once a second by its stat (which follows links, so the symlink swap of a
mounted Kubernetes ConfigMap is seen), together with every ``file:`` secret it names. A change is
read once it has stood still from one look to the next: half a file may be valid TOML, and would
take channels away.

Secrets in stores are looked up again by the clock (``secrets.refresh_s``). One that its store does
not give keeps the value it had, and the store is asked again soon.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import structlog

from trivium.providers.base import Provider
from trivium.routing.catalogue import catalogue_of
from trivium.routing.model import Catalogue
from trivium.settings.errors import SettingsError
from trivium.settings.load import environment, load_with_source
from trivium.settings.model import RoutingSettings, Settings
from trivium.settings.secret_stores.lookup import StoredSecrets
from trivium.settings.secrets import Secrets
from trivium.settings.source import SettingsSource

Stamp: TypeAlias = dict[Path, tuple[int, int, int] | None]
"""(mtime in ns, inode, size) of each file watched; ``None`` for one that is not there."""

LIVE: Final = frozenset(
    {
        "channels",
        "models",
        "upstream.connect_timeout_s",
        "upstream.first_byte_timeout_s",
        "upstream.idle_timeout_s",
        "upstream.total_timeout_s",
        "upstream.proxy",
        *(f"routing.{name}" for name in RoutingSettings.__struct_fields__),
        "groups",
        "images.legacy_model",
        "images.gpt_model",
        "secrets.refresh_s",
    }
)
"""Settings that a reload puts in force; every other one needs a restart."""

STALE_RETRY_S: Final = 30.0
"""After how long a store that did not give a secret is asked again, at the latest."""
_NO_FLAGS: Final[Mapping[str, str]] = {}

_log = structlog.get_logger()


class SettingsReader:
    """Reads one settings file, again and again, into settings and a catalogue."""

    def __init__(
        self,
        path: Path | None,
        environ: Mapping[str, str] | None = None,
        *,
        flags: Mapping[str, str] = _NO_FLAGS,
        providers: Mapping[str, Provider] | None = None,
    ) -> None:
        self._path = path
        self._environ = environment() if environ is None else environ
        self._flags = flags
        self._providers = providers
        self._files: tuple[Path, ...] = ()
        self._revision = 0
        self._stored: Mapping[str, str] = {}
        self.stale: Mapping[str, str] = {}
        """References to stores whose earlier value is still in force, with why."""
        self.stamp: Stamp = {}
        """The files as they were when last read, successfully or not."""
        self.loaded: tuple[Settings, SettingsSource] | None = None
        """What was read last without a mistake, and where each setting was given."""

    def read(self) -> tuple[Settings, Catalogue]:
        """Settings and catalogue as the file has them now. Raises SettingsError."""
        stored = StoredSecrets(self._environ, self._stored)
        secrets = Secrets(self._environ, self._path.parent if self._path else Path(), stored)
        own = (self._path,) if self._path else ()
        self.stamp = {path: _stamp(_stat(path)) for path in own}
        try:
            loaded = load_with_source(self._path, self._environ, flags=self._flags, secrets=secrets)
            catalogue = catalogue_of(loaded, self._providers, self._revision + 1)
        finally:
            self.stamp |= {path: _stamp(found) for path, found in secrets.files.items()}
            self._files = tuple(self.stamp)
        self._revision += 1
        self._stored, self.stale = stored.values, stored.stale
        self.loaded = loaded.settings, loaded.source
        return loaded.settings, catalogue

    @property
    def is_fresh(self) -> bool | None:
        """Whether stores gave every secret when last asked; ``None``: none is kept in one."""
        return not self.stale if self._stored else None

    def look(self) -> Stamp:
        """The files as they are now."""
        return {path: _stamp(_stat(path)) for path in self._files}


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _stamp(found: os.stat_result | None) -> tuple[int, int, int] | None:
    return found and (found.st_mtime_ns, found.st_ino, found.st_size)


class FileWatch:
    """Keeps one worker's settings and catalogue as the file has them."""

    def __init__(
        self,
        reader: SettingsReader,
        current: tuple[Settings, Catalogue],
        swap: Callable[[Settings, Catalogue], None],
        *,
        asked: Callable[[], None] = lambda: None,
        interval_s: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start from ``current``, which ``reader`` has just read; ``swap`` takes what is new, and
        ``asked`` hears of each good reading that somebody asked for, new or not.
        """
        self._reader = reader
        self._settings, self._catalogue = current
        self._swap = swap
        self._told = asked
        self._interval_s = interval_s
        self._sleep = sleep
        self._read: Stamp = reader.stamp
        self._seen: Stamp = reader.stamp
        self._asked = False
        self._monotonic = monotonic
        self._read_at = monotonic()

    async def run(self) -> None:
        """Look once an interval, for ever. Ends by being cancelled."""
        while True:
            await self._sleep(self._interval_s)
            await self.look()

    def reload_now(self) -> None:
        """Read at the next look, changed or not: SIGHUP, or an operator's button."""
        self._asked = True

    async def look(self) -> None:
        """One look: read the files if they changed and stood still since the look before."""
        stamp = self._reader.look()
        still = stamp == self._seen
        self._seen = stamp
        by_clock = self._due()
        if not self._asked and not (still and (by_clock or stamp != self._read)):
            return
        asked, self._asked = self._asked, False
        was_stale = bool(self._reader.stale)
        try:
            # in a thread: a file with thousands of models takes longer than a stream may pause
            settings, catalogue = await asyncio.to_thread(self._reader.read)
        except SettingsError as exc:
            _log.error("settings_refused", problems=list(exc.lines))
        except Exception:  # noqa: BLE001 - a reader's bug must not end the watch
            _log.exception("settings_reload_failed")
        else:
            self._tell_stale(was_stale=was_stale)
            self._take(settings, catalogue, quiet=by_clock and not asked)
            if asked:
                self._told()
        self._read = self._seen = self._reader.stamp
        self._read_at = self._monotonic()

    def _due(self) -> bool:
        """Whether it is time to look secrets up again that are kept in stores."""
        every = self._settings.secrets.refresh_s
        if not every or self._reader.is_fresh is None:
            return False
        if not self._reader.is_fresh:
            every = min(every, STALE_RETRY_S)
        return self._monotonic() - self._read_at >= every

    def _tell_stale(self, *, was_stale: bool) -> None:
        stale = self._reader.stale
        if stale:
            told = [f"{name}, which {why}" for name, why in stale.items()]
            _log.warning("secrets_stale", secrets=told)
        elif was_stale:
            _log.info("secrets_fresh")

    def _take(self, settings: Settings, catalogue: Catalogue, *, quiet: bool = False) -> None:
        """Put what was read in force. ``quiet``: nobody waits to hear that nothing changed."""
        changed = changes(self._settings, settings)
        if not changed and _same(self._catalogue, catalogue):
            if not quiet:
                _log.info("settings_unchanged")
            return
        changed += [name for name in _elsewhere(self._catalogue, catalogue) if name not in changed]
        self._settings, self._catalogue = settings, catalogue
        self._swap(settings, catalogue)
        _log.info(
            "settings_reloaded",
            revision=catalogue.revision,
            changed=changed,
            restart_needed=[name for name in changed if name.partition("[")[0] not in LIVE],
            channels=len(catalogue.channels),
            models=len(catalogue.models),
        )


def _same(old: Catalogue, new: Catalogue) -> bool:
    return (old.models, old.channels) == (new.models, new.channels)


def _elsewhere(old: Catalogue, new: Catalogue) -> list[str]:
    """Names of channels whose keys differ: the file may only say where they are."""
    return [
        f'channels["{name}"]'
        for name, channel in new.channels.items()
        if name in old.channels and old.channels[name].credentials != channel.credentials
    ]


def changes(old: Settings, new: Settings) -> list[str]:
    """Names of the settings that differ, without their values; entries by their own name."""
    out: list[str] = []
    for section in Settings.__struct_fields__:
        before, after = getattr(old, section), getattr(new, section)
        if isinstance(before, msgspec.Struct):
            out += [
                f"{section}.{name}"
                for name in before.__struct_fields__
                if getattr(before, name) != getattr(after, name)
            ]
        elif isinstance(before, dict):
            out += [section] if before != after else []
        else:
            out += _entries(section, before, after)
    return out


def _entries(section: str, before: tuple[Any, ...], after: tuple[Any, ...]) -> list[str]:
    old = {entry.name: entry for entry in before}
    new = {entry.name: entry for entry in after}
    if old == new:
        return [section] if list(old) != list(new) else []
    return [f'{section}["{name}"]' for name in {**old, **new} if old.get(name) != new.get(name)]
