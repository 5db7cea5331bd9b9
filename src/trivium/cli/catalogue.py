"""``trivium config``: the catalogue of the database as a file, and back."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from trivium.catalogue import toml_reader, toml_writer
from trivium.catalogue.documents import DocumentError
from trivium.catalogue.file_entries import file_entries
from trivium.catalogue.members import SealedSaid, action, member_diffs
from trivium.catalogue.model import (
    CatalogueEntry,
    CatalogueError,
    ChangeAuthor,
    EntryDiff,
    EntryName,
    Revision,
    StaleError,
)
from trivium.cli import config
from trivium.cli.database import opened
from trivium.cli.output import CommandFailed, as_json, counted, note, printable
from trivium.clock import SystemClock
from trivium.observe.audit.model import COMMAND_LINE
from trivium.routing.reload import SettingsReader
from trivium.settings.errors import SettingsError
from trivium.settings.load import Loaded, parsed
from trivium.settings.memory import ReadMemory

if TYPE_CHECKING:
    from trivium.catalogue.planning import ChangeResult
    from trivium.catalogue.service import CatalogueService, EntryEdit
    from trivium.storage.database import Database

HEAD: Final = """\
# Channels, models, price groups and routing rules of the database at revision {revision}, as
# `trivium config export` writes them; `trivium config apply` makes the database what they say.
#
# A credential is not here: "sealed:…" stands for the one that the database keeps, and keeps it as
# long as calls go where they went. Another may be written in its place, or env:NAME of a variable.
"""
AUTHOR: Final = ChangeAuthor(agent=COMMAND_LINE)
_MARKS: Final = {"create": "+", "change": "~", "delete": "-"}
_DONE: Final = {"create": "to make", "change": "to change", "delete": "to take away"}

FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="As `config export` writes one; - for standard input."),
]
PruneOption = Annotated[
    bool, typer.Option("--prune", help="Take away what the database has and the file has not.")
]


async def export(config_: config.ConfigOption = None, *, json: config.JsonOption = False) -> None:
    """Print the database's channels, models, groups and routing rules as TOML.

    Credentials stay where they are: a reference stands for each. What the settings file has is
    named in a comment. --json prints what POST /api/admin/catalogue/apply takes.
    """
    loaded, path = config.read(config_)
    async with opened(loaded.settings.storage) as database:
        revision, entries = await _stored(database)
    documents = [(at, entries[at].body.document) for at in sorted(entries)]
    if json:
        listed = [
            {"kind": at.kind, "name": at.name, "document": document} for at, document in documents
        ]
        as_json({"revision": revision.value, "entries": listed})
        return
    print(HEAD.format(revision=revision.value), end="")
    of_file = list(file_entries(parsed(path, ReadMemory()), path))
    if of_file:
        print("#\n# The settings file has these, which are not exported:")
        for each in of_file:
            print(f"#   {printable(str(each.at))} ({printable(each.place)})")
    if documents:
        print(f"\n{toml_writer.written(documents)}", end="")


async def _stored(database: "Database") -> tuple[Revision, Mapping[EntryName, CatalogueEntry]]:
    """The entries as they are; no secret is needed to see them."""
    from trivium.catalogue.snapshot import CatalogueSnapshot
    from trivium.storage.root_key import RootKeys
    from trivium.wiring.catalogue import seal_of

    snapshot = CatalogueSnapshot(database, seal_of(RootKeys(bytes(32))))
    await snapshot.refresh()
    return snapshot.revision, snapshot.entries


async def diff(
    file: FileArgument,
    *,
    prune: PruneOption = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Fail when something differs.")
    ] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Show what `config apply` would change, member by member.

    It is checked as apply would. Nothing is changed.
    """
    written = _read(file)
    async with _service(config_, is_writing=False) as (service, _):
        plan = await _planned(service, written, prune=prune)
    if json:
        as_json(_plain(plan.tried) | {"kept": [str(at) for at in plan.kept]})
    else:
        show(plan)
    if exit_code and plan.tried.diffs:
        raise CommandFailed(f"{file} says something else than the database")


async def apply(
    file: FileArgument,
    *,
    prune: PruneOption = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Kept with the change.")] = "",
    revision: Annotated[
        int | None,
        typer.Option(metavar="N", help="Only if nothing was changed since this revision."),
    ] = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Make the database's catalogue what a file says, all of it or nothing.

    Shows what would change and asks. Gateways that run take it up within two seconds. What the file
    does not name stays, unless --prune says otherwise.
    """
    written = _read(file)
    if not yes and (str(file) == "-" or json or not sys.stdin.isatty()):
        raise CommandFailed("nobody is there to be asked: use --yes", code=2)
    async with _service(config_, is_writing=True) as (service, database):
        plan = await _planned(service, written, prune=prune)
        if revision is not None and revision != plan.revision:
            raise CommandFailed(
                f"the catalogue was changed since revision {revision}: it is at {plan.revision}; "
                "nothing was changed"
            )
        if not json:
            show(plan)
            await _tell_lost(database, plan)
        if not plan.tried.diffs:
            if json:
                as_json(_plain(plan.tried))
            return
        if not yes and not typer.confirm("Apply this?", err=True):
            raise CommandFailed("nothing was changed")
        done = await _told(
            written, service.change(
                plan.edits, AUTHOR, reason=reason, read_at=plan.revision, together=True
            )
        )  # fmt: skip
    if json:
        as_json(_plain(done))
    else:
        note(
            f"applied as change {done.change_id}: the catalogue is at revision {done.revision}, in "
            "force within two seconds wherever a gateway runs"
        )


class ApplyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a file would come to."""

    revision: int
    """Of the catalogue that it was compared with."""
    edits: "tuple[EntryEdit, ...]"
    tried: "ChangeResult"
    kept: tuple[EntryName, ...]
    """What the database has, the file has not, and stays."""


def _read(file: Path) -> toml_reader.WrittenCatalogue:
    """The entries of a file. Raises SettingsError with a line for each that is none."""
    where = Path("/dev/stdin") if str(file) == "-" else file
    try:
        return toml_reader.read(parsed(where, ReadMemory()), str(where))
    except CatalogueError as error:
        raise SettingsError(*str(error).splitlines()) from None


@asynccontextmanager
async def _service(
    config_: Path | None, *, is_writing: bool
) -> "AsyncIterator[tuple[CatalogueService, Database]]":
    """Who changes the catalogue. ``is_writing``: the gateway's own secret is made where there is
    none, as at a first start.
    """
    from trivium.storage import fingerprint
    from trivium.storage.root_key import RootKeys
    from trivium.wiring.catalogue import service_beside
    from trivium.wiring.secret import agreed, key_file, keys_of, present

    loaded, path = config.read(config_)
    settings = loaded.settings
    async with opened(settings.storage) as database:
        if is_writing:
            await agreed(settings, database)
            keys = keys_of(settings)
        else:
            found = present(settings)
            if not database.is_sqlite:
                mark = await fingerprint.known(database)
                if why := fingerprint.difference(mark, found, str(key_file(settings))):
                    raise fingerprint.SecretDiffers(why)
            keys = found or RootKeys(bytes(32))
        reader = SettingsReader(path)
        await asyncio.to_thread(reader.read)
        yield service_beside(database, keys, reader, SystemClock()), database


@asynccontextmanager
async def writing(
    config_: Path | None,
) -> "AsyncIterator[tuple[CatalogueService, Loaded]]":
    """Who changes the catalogue, and the settings that it is beside."""
    loaded, _ = config.read(config_)
    async with _service(config_, is_writing=True) as (service, _):
        yield service, loaded


async def tried(
    service: "CatalogueService", documents: Mapping[EntryName, Any], revision: Revision
) -> "ApplyPlan":
    """What these entries would come to. Raises SettingsError where they do not fit."""
    from trivium.catalogue.service import EntryEdit

    edits = tuple(EntryEdit(at=at, document=said) for at, said in documents.items())
    nowhere = toml_reader.WrittenCatalogue("", {}, ())
    found = await _told(
        nowhere,
        service.change(edits, AUTHOR, read_at=revision.value, together=True, dry_run=True),
    )
    return ApplyPlan(revision=revision.value, edits=edits, tried=found, kept=())


async def changed(service: "CatalogueService", plan: "ApplyPlan", reason: str) -> "ChangeResult":
    """Change what was planned, unless somebody else has changed something since."""
    nowhere = toml_reader.WrittenCatalogue("", {}, ())
    change = service.change(plan.edits, AUTHOR, reason=reason, read_at=plan.revision, together=True)
    return await _told(nowhere, change)


async def _planned(
    service: "CatalogueService", written: toml_reader.WrittenCatalogue, *, prune: bool
) -> ApplyPlan:
    """Compare a file with what is there, and try it. Raises SettingsError where it does not fit."""
    from trivium.catalogue.service import EntryEdit

    edits = [EntryEdit(at=each.at, document=each.document) for each in written.entries]
    revision, known = await service.everything()
    named = {edit.at for edit in edits}
    absent = tuple(sorted(at for at in known if at not in named))
    if prune:
        edits += [EntryEdit(at=at, document=None) for at in absent]
    tried = await _told(
        written,
        service.change(edits, AUTHOR, read_at=revision.value, together=True, dry_run=True),
    )
    return ApplyPlan(
        revision=revision.value, edits=tuple(edits), tried=tried, kept=() if prune else absent
    )


async def _told(
    written: toml_reader.WrittenCatalogue, change: "Awaitable[ChangeResult]"
) -> "ChangeResult":
    """What came of a change; what is wrong is said with the file's lines."""
    try:
        return await change
    except StaleError as error:
        raise CommandFailed(f"{error}. Nothing was changed") from None
    except (CatalogueError, DocumentError) as error:
        raise SettingsError(*map(written.said, str(error).splitlines())) from None


def show(plan: ApplyPlan) -> None:
    """The plan for people: data on standard output, what is said about it beside it."""
    for each in plan.tried.diffs:
        print(printable(f"{_MARKS[action(each)]} {each.at}"))
        for line in _lines(each):
            print(printable(f"    {line}"))
    for at in plan.kept:
        note(f"kept, though the file has it not: {at}")
    if not plan.tried.diffs:
        note("nothing to change")
        return
    counts: dict[str, int] = {}
    for each in plan.tried.diffs:
        counts[action(each)] = counts.get(action(each), 0) + 1
    note(", ".join(f"{counts[what]} {_DONE[what]}" for what in _MARKS if what in counts))


def _lines(diff: EntryDiff) -> list[str]:
    """Members of one entry as they were and as they would be."""
    said = []
    for member in member_diffs(diff):
        at = f"{member.at}: " if member.at else ""
        if diff.before is None:
            said.append(f"{at}{_value(member.after)}")
        else:
            what = f"{_value(member.before)} -> {_value(member.after)}"
            both = (member.before, member.after)
            is_other = all(isinstance(each, SealedSaid) for each in both)
            said.append(f"{at}{what}{' (another one)' if is_other else ''}")
    return said


def _value(value: Any) -> str:
    if value is msgspec.UNSET:
        return "nothing"
    return (
        str(value)
        if isinstance(value, SealedSaid)
        else toml_writer.value(msgspec.to_builtins(value))
    )


def _plain(done: "ChangeResult") -> dict[str, Any]:
    """Return what --json prints: each entry with the members that differ."""
    return {
        "revision": done.revision,
        "change_id": done.change_id,
        "entries": [
            {
                "kind": each.at.kind,
                "name": each.at.name,
                "action": action(each),
                "members": member_diffs(each),
            }
            for each in done.diffs
        ],
    }


async def _tell_lost(database: "Database", plan: ApplyPlan) -> None:
    """Say which requests of the last hour would not be served as they were."""
    from trivium.catalogue.preview import lost
    from trivium.observe.history.service import History

    if plan.tried.catalogue is None:
        return
    served: Sequence[tuple[str, str, int]] | None = await History(database).served_lately()
    if served is None:
        note("requests of the last hour are too many to be looked at")
        return
    for each in lost(plan.tried.catalogue, served):
        said = counted(each.requests, "request")
        note(f"of the last hour, {said} for {each.model} by {each.channel}: {each.why}")
