"""``trivium check``: whether it would start, and whether what it would start with is whole."""

import asyncio
import contextlib
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.cli import config, external_services
from trivium.cli.database import exists, unchecked
from trivium.cli.external_services import Finding
from trivium.cli.output import CommandFailed, as_json, counted, printable
from trivium.clock import SystemClock
from trivium.ledger.amounts import format_usd
from trivium.ledger.entries import Difference, Entries
from trivium.settings.errors import SettingsError
from trivium.settings.load import Loaded, environment, load_with_source
from trivium.settings.model import Settings
from trivium.storage.errors import StorageError
from trivium.storage.root_key import RootKeys

if TYPE_CHECKING:
    from trivium.storage.database import Database


def check(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """Check the settings, the database, and what else is used.

    Used are the shared state, object store, mail server and payment provider, if there are any.
    Nothing is changed. Names each bad setting, its line and a valid example. Exits with 1 if
    anything is wrong.
    """
    findings = look(config_)
    sound = all(finding.ok for finding in findings)
    if json:
        as_json({"ok": sound, "checks": findings})
    else:
        for finding in findings:
            for line in finding.details:
                print(f"{'ok    ' if finding.ok else 'FAILED'}  {finding.check}: {printable(line)}")
    if not sound:
        wrong = [finding.check for finding in findings if not finding.ok]
        raise CommandFailed(f"check failed: {', '.join(wrong)}")


def look(config_: Path | None) -> list[Finding]:
    """Run every check but those that need what an earlier one found wrong."""
    environ = environment()
    path = config.locate(config_, environ)
    try:
        loaded = load_with_source(path, environ)
    except SettingsError as exc:
        return [Finding("settings", ok=False, details=exc.lines)]
    where = str(path) if path else "no file, the defaults"
    findings = [Finding("settings", ok=True, details=(where,)), _catalogue(loaded)]
    settings = loaded.settings
    steps: dict[str, Callable[[], list[Finding]]] = {
        "files": lambda: _files(settings),
        "listen": lambda: [_listen(settings)],
        "secret": lambda: [_secret(settings)],
        "database": lambda: asyncio.run(_stored(settings, path)),
        "journal": lambda: [_journal(settings)],
        "outside": lambda: asyncio.run(external_services.look(settings)),
    }
    for name, find in steps.items():
        try:
            findings += find()
        except (OSError, ValueError) as exc:  # what a system says of a name that it does not take
            findings.append(Finding(name, ok=False, details=SettingsError(str(exc)).lines))
    return findings


def _catalogue(loaded: Loaded) -> Finding:
    """Check that providers are known, secrets can be read, and addresses and shapes fit."""
    from trivium.routing.catalogue import catalogue_of

    try:
        found = catalogue_of(loaded)
    except SettingsError as exc:
        return Finding("catalogue", ok=False, details=exc.lines)
    idle = [model.name for model in found.models.values() if not model.bindings]
    said = f"{counted(len(found.channels), 'channel')}, {counted(len(found.models), 'model')}"
    if idle:
        said += f"; without a channel that is switched on: {', '.join(idle)}"
    return Finding("catalogue", ok=True, details=(said,))


def _files(settings: Settings) -> list[Finding]:
    """Check certificates and folders that the settings name; empty where they name none."""
    from trivium.wiring.files import named, unusable

    if not named(settings):
        return []
    wrong = SettingsError(*unusable(settings)).lines
    return [Finding("files", ok=not wrong, details=wrong or ("can be used",))]


def _listen(settings: Settings) -> Finding:
    """Check that this machine has the addresses. Another gateway may be listening there now."""
    from trivium.cli.worker import unlistenable

    server = settings.server
    for address in filter(None, (server.listen, server.admin_listen)):
        host, _, port = address.rpartition(":")
        try:
            for family, kind, _, _, where in socket.getaddrinfo(
                host.strip("[]") or None, int(port), type=socket.SOCK_STREAM,
                flags=socket.AI_PASSIVE,
            ):  # fmt: skip
                with socket.socket(family, kind) as probe:
                    probe.bind((where[0], 0, *where[2:]))
        except OSError as exc:
            return Finding("listen", ok=False, details=(str(unlistenable(exc, address)),))
    return Finding("listen", ok=True, details=(server.listen,))


def _secret(settings: Settings) -> Finding:
    """Whether what the gateway seals with can be read."""
    from trivium.wiring.secret import VARIABLE, key_file, present

    try:
        keys = present(settings)
    except SettingsError as exc:
        return Finding("secret", ok=False, details=exc.lines)
    file = key_file(settings)
    if keys is None:
        said = f"{file} will be made at the first start; several nodes need {VARIABLE}"
        return Finding("secret", ok=True, details=(said,))
    said = VARIABLE if environment().get(VARIABLE, "").split() else str(file)
    return Finding("secret", ok=True, details=(f"{said} can be used",))


async def _common(settings: Settings, database: "Database") -> list[Finding]:
    """Whether other nodes of the database have the same secret; nothing where there are none."""
    from trivium.storage.fingerprint import difference, known
    from trivium.wiring.secret import key_file, present

    if database.is_sqlite:
        return []
    with contextlib.suppress(SettingsError):  # told already
        why = difference(await known(database), present(settings), str(key_file(settings)))
        said = (why or "as the other nodes have it, if there are any",)
        return [Finding("secret of all nodes", ok=not why, details=said)]
    return []


async def _beside(settings: Settings, path: Path | None, database: "Database") -> list[Finding]:
    """Whether what the database has of the catalogue fits beside the file; nothing where it has
    none.
    """
    from trivium.catalogue.snapshot import CatalogueSnapshot
    from trivium.routing.reload import SettingsReader
    from trivium.wiring.catalogue import seal_of
    from trivium.wiring.secret import present

    with contextlib.suppress(SettingsError):  # told already
        keys = present(settings)
        snapshot = CatalogueSnapshot(database, seal_of(keys or RootKeys(bytes(32))))
        await snapshot.refresh()
        if not snapshot.entries:
            return []
        said = f"{counted(len(snapshot.entries), 'entry', 'entries')} beside the file's"
        reader = SettingsReader(path)
        reader.read()
        try:
            reader.tried(snapshot.whole)
        except SettingsError as exc:
            return [Finding("stored catalogue", ok=False, details=exc.lines)]
        return [Finding("stored catalogue", ok=True, details=(said,))]
    return []


async def _stored(settings: Settings, path: Path | None) -> list[Finding]:
    """Whether the database can be reached, has the right tables, and is whole."""
    from trivium.storage import migrate
    from trivium.storage.database import damage

    findings: list[Finding] = []
    try:
        async with unchecked(settings.storage) as database:
            if database.path is not None and not exists(database.path):
                return [_new_file(Path(database.path))]
            step = await migrate.current(database)
            where = database.path or "PostgreSQL answers"
            findings.append(Finding("database", ok=True, details=(where,)))
            findings.append(_schema(step, own=database.is_sqlite))
            if database.is_sqlite:
                findings.append(_whole("integrity", await damage(database)))
            if step == migrate.REVISIONS[-1]:
                findings += await _common(settings, database)
                findings += await _beside(settings, path, database)
                wrong = await Entries(database, SystemClock()).verify()
                findings.append(_whole("ledger", tuple(map(_difference, wrong))))
    except (StorageError, CommandFailed) as exc:
        findings.append(Finding("database", ok=False, details=(str(exc),)))
    return findings


def _new_file(path: Path) -> Finding:
    try:
        path.stat()
    except FileNotFoundError:
        pass
    except OSError as exc:  # a link to itself, a name that is too long
        return Finding("database", ok=False, details=(f"{path} cannot be made: {exc.strerror}",))
    if os.access(path.parent, os.W_OK | os.X_OK):
        return Finding("database", ok=True, details=(f"{path} will be made at the first start",))
    return Finding("database", ok=False, details=(f"{path} cannot be made: {_why(path.parent)}",))


def _schema(step: str | None, *, own: bool) -> Finding:
    """Whether the gateway would start on these tables: it migrates a file of its own itself."""
    from trivium.storage import migrate

    if step == migrate.REVISIONS[-1]:
        return Finding("schema", ok=True, details=(f"step {step} is current",))
    if why := migrate.unknown(step):
        return Finding("schema", ok=False, details=(why,))
    has = "there are no tables yet" if step is None else f"step {step} is behind"
    if own:
        return Finding("schema", ok=True, details=(f"{has}; the next start migrates",))
    return Finding("schema", ok=False, details=(f"{has}: run `trivium migrate`",))


def _whole(name: str, wrong: tuple[str, ...]) -> Finding:
    return Finding(name, ok=not wrong, details=wrong or ("whole",))


def _difference(found: Difference) -> str:
    return (
        f"user {found.user_id} has the balance {format_usd(found.balance_nanos)} where entries "
        f"add up to {format_usd(found.entries_nanos)}, and has used "
        f"{format_usd(found.used_nanos)} where they say {format_usd(found.entries_used_nanos)}"
    )


def _journal(settings: Settings) -> Finding:
    """Whether workers could write their journals; nothing stays behind."""
    folder = Path(settings.storage.journal)
    if folder.is_dir():
        try:
            with tempfile.TemporaryFile(dir=folder):
                return Finding("journal", ok=True, details=(f"{folder} is writable",))
        except OSError as exc:
            return Finding("journal", ok=False, details=(f"{folder}: {exc.strerror}",))
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    if not os.path.lexists(folder) and above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return Finding("journal", ok=True, details=(f"{folder} will be made at the first start",))
    return Finding("journal", ok=False, details=(f"{folder} is no folder and cannot be made",))


def _why(folder: Path) -> str:
    return f"{folder} is not writable" if folder.is_dir() else f"{folder} is not a folder"
