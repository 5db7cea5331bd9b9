"""``trivium user export`` and ``trivium user erase``: what is known of a person."""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final

import msgspec
import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.database import opened
from trivium.cli.output import CommandFailed, as_json, counted, note, printable, table
from trivium.clock import SystemClock
from trivium.observe.audit.model import ActKind

if TYPE_CHECKING:
    from trivium.identity.erasure.service import Erasure
    from trivium.storage.database import Database

PersonArgument = Annotated[
    str, typer.Argument(metavar="USER", help="A name, an e-mail address or an id.")
]
HEADS: Final = ("TABLE", "ROWS")
_line: Final = msgspec.json.Encoder().encode


async def export(
    user: PersonArgument,
    *,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instead of standard output; must be new.")
    ] = None,
    config_: config.ConfigOption = None,
) -> None:
    """Print all that names a person as lines of JSON, without hashes and secrets.

    The last line has the number of rows: without it the export is not whole.
    """
    async with _erasure(config_) as (erasure, database):
        found = await erasure.find(user)
        await act_log(database).add(ActKind.USER_EXPORTED, found.id, f"user:{found.id}")
        total, after = 0, None
        with _lines_to(output) as out:
            while True:
                page = await erasure.page(found.id, after)
                out.writelines(_line(row) + b"\n" for row in page.rows)
                total, after = total + len(page.rows), page.after
                if after is None:
                    break
            out.write(_line({"rows": total}) + b"\n")
    if output is not None:
        note(f"wrote {counted(total, 'row')} of {printable(found.name)} to {output}")


async def erase(
    user: PersonArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Erase what names a person, for good; entries and records keep ids and amounts.

    Repeat it where it was cut short.
    """
    async with _erasure(config_) as (erasure, database):
        found = await erasure.find(user)
        named = f"{printable(found.name)} (id {found.id})"
        if not yes:
            if not sys.stdin.isatty():
                raise CommandFailed("nobody is there to be asked: use --yes", code=2)
            question = f"Erase {named} for good? Nothing brings it back"
            if not typer.confirm(question, err=True):
                raise CommandFailed("nothing was erased")
        done = await erasure.erase(None, found.id, act_log(database).within)
    if json:
        as_json(done)
        return
    if done.rows:
        print(table(HEADS, [(name, str(count)) for name, count in done.rows.items()]))
    note(f"erased {named}: the account is {done.name} now")


@asynccontextmanager
async def _erasure(path: Path | None) -> "AsyncIterator[tuple[Erasure, Database]]":
    from trivium.identity.erasure.service import Erasure

    async with opened(config.settings_of(path).storage) as database:
        yield Erasure(database, SystemClock()), database


@contextmanager
def _lines_to(path: Path | None) -> Iterator[BinaryIO]:
    """Where lines go: a new file that only its owner reads, or standard output."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        opened_file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CommandFailed(f"cannot make {path}: {error.strerror}") from None
    with os.fdopen(opened_file, "wb") as out:
        yield out
