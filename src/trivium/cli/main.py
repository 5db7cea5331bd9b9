"""``trivium``: the commands, and how each of them ends.

A command that fails exits with 1 after one readable line on standard error, wrong usage with 2, an
interrupted one with 130. Errors that nobody foresaw keep their traceback: they are bugs.

Every command goes through Typer but `serve` with plain options (``cli/serve.py``), which lives for
months and would keep what a parser needs for milliseconds. Rich is switched off, which Typer would
import otherwise, and what commands need beyond their options is imported inside them.
"""

import asyncio
import errno
import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Protocol, runtime_checkable

import typer

from trivium import __version__
from trivium.cli import (
    account,
    admin_token,
    application,
    audit,
    budget,
    catalogue,
    channel,
    channel_add,
    check,
    code,
    credit,
    demo,
    erasure,
    explain,
    init,
    invitation,
    invoice,
    key,
    key_change,
    ledger,
    member,
    migrate,
    payment,
    prices,
    reconcile,
    scim,
    serve,
    statement,
    stored_prices,
    team,
    user,
)
from trivium.cli.output import exit_code, fail, for_any_terminal


def _group(help_: str) -> typer.Typer:
    return typer.Typer(
        help=help_,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _add(group: typer.Typer, name: str, command: Callable[..., Any]) -> None:
    """Add a command, which may be a coroutine."""

    @functools.wraps(command)
    def run_to_its_end(*args: Any, **kwargs: Any) -> Any:
        return asyncio.run(command(*args, **kwargs))

    group.command(name)(run_to_its_end if inspect.iscoroutinefunction(command) else command)


app = _group("A model gateway: three native request shapes, any upstream, one bill.")
users = _group("People who have accounts.")
teams = _group("Organisations and the teams in them.")
members = _group("Who is in a team, and as what.")
services = _group("Accounts of programs: keys and budgets, and no login.")
budgets = _group("What teams, members and service accounts may spend.")
directories = _group("Directories that provision people and teams (SCIM 2.0).")
directory_tokens = _group("Tokens that directories present.")
keys = _group("Keys that callers present.")
codes = _group("Codes that can be turned into balance.")
configs = _group("The database's channels, models and prices as a file.")
channels = _group("Accounts at vendors: which there are, whether they answer.")
bought = _group("Payments through a provider: what was begun, paid, held.")
lists = _group("Suggested prices beside the adopted ones.")
bills = _group("What accounts and teams spent, billed to customers.")
admins = _group("What administers this gateway from outside.")
tokens = _group("Tokens for machines that call the admin API.")
acts = _group("Who did what to whose account, and from where.")
apps = _group("Other applications that users let in.")
books = _group("What was spent: proofs, exports, overdrafts.")

_add(app, "serve", serve.serve)
_add(app, "demo", demo.demo)
_add(app, "init", init.init)
_add(app, "check", check.check)
app.add_typer(users, name="user")
app.add_typer(teams, name="team")
app.add_typer(directories, name="scim")
app.add_typer(keys, name="key")
_add(app, "credit", credit.credit)
app.add_typer(codes, name="code")
app.add_typer(bought, name="payment")
app.add_typer(configs, name="config")
app.add_typer(channels, name="channel")
app.add_typer(lists, name="prices")
app.add_typer(books, name="ledger")
app.add_typer(apps, name="app")
app.add_typer(admins, name="admin")
admins.add_typer(tokens, name="token")
app.add_typer(acts, name="audit")
_add(app, "statement", statement.statement)
app.add_typer(bills, name="invoice")
_add(bills, "issue", invoice.issue)
_add(bills, "list", invoice.listing)
_add(bills, "print", invoice.print_again)
_add(bills, "void", invoice.void)
_add(app, "explain", explain.explain)
_add(app, "migrate", migrate.migrate)
_add(users, "create", user.create)
_add(users, "list", user.listing)
_add(users, "disable", user.disable)
_add(users, "enable", user.enable)
_add(users, "export", erasure.export)
_add(users, "erase", erasure.erase)
_add(users, "password", account.password)
_add(users, "invite", account.invite)
_add(users, "invitations", account.invitations)
_add(users, "withdraw", account.withdraw)
_add(users, "role", account.role)
_add(users, "letters", account.letters)
_add(users, "log-out", account.log_out)
_add(users, "factor-off", account.factor_off)
_add(teams, "create", team.create)
_add(teams, "list", team.listing)
_add(teams, "show", team.show)
_add(teams, "edit", team.edit)
_add(teams, "invite", invitation.invite)
_add(teams, "invitations", invitation.listing)
_add(teams, "withdraw", invitation.withdraw)
teams.add_typer(members, name="member")
_add(members, "add", member.add)
_add(members, "role", member.change_role)
_add(members, "remove", member.remove)
teams.add_typer(services, name="service")
_add(services, "create", team.create_service)
teams.add_typer(budgets, name="budget")
_add(budgets, "set", budget.put)
_add(budgets, "clear", budget.clear)
_add(budgets, "list", budget.listing)
directories.add_typer(directory_tokens, name="token")
_add(directory_tokens, "create", scim.create)
_add(directory_tokens, "list", scim.listing)
_add(directory_tokens, "revoke", scim.revoke)
_add(keys, "create", key.create)
_add(keys, "list", key.listing)
_add(keys, "edit", key_change.edit)
_add(keys, "pause", key_change.pause)
_add(keys, "resume", key_change.resume)
_add(keys, "rotate", key_change.rotate)
_add(keys, "revoke", key_change.revoke)
_add(codes, "create", code.create)
_add(codes, "list", code.listing)
_add(codes, "revoke", code.revoke)
_add(codes, "redeem", code.redeem)
_add(bought, "list", payment.listing)
_add(configs, "export", catalogue.export)
_add(configs, "diff", catalogue.diff)
_add(configs, "apply", catalogue.apply)
_add(channels, "add", channel_add.add)
_add(channels, "list", channel.listing)
_add(channels, "test", channel.attempt)
_add(lists, "show", prices.show)
_add(lists, "adopt", prices.adopt)
_add(lists, "update", prices.update)
_add(lists, "compare", stored_prices.compare)
_add(lists, "take", stored_prices.take)
_add(lists, "proposals", stored_prices.proposals)
_add(books, "verify", ledger.verify)
_add(books, "export", ledger.export)
_add(books, "reconcile", reconcile.reconcile)
_add(books, "overdraft", ledger.overdraft)
_add(apps, "list", application.listing)
_add(apps, "trust", application.trust)
_add(apps, "distrust", application.distrust)
_add(apps, "suspend", application.suspend)
_add(apps, "resume", application.resume)
_add(apps, "transfer", application.transfer)
_add(tokens, "create", admin_token.create)
_add(tokens, "list", admin_token.listing)
_add(tokens, "rotate", admin_token.rotate)
_add(tokens, "revoke", admin_token.revoke)
_add(acts, "list", audit.listing)


@app.command("version")
def version() -> None:
    """Print the version, such as ``0.1.0``."""
    print(__version__)


def _show_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def _top(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    del version


@runtime_checkable
class UsageMessages(Protocol):
    """Typer's errors about the command line itself."""

    exit_code: int

    def format_message(self) -> str:
        """What is wrong, in one line."""
        ...


def run(argv: Sequence[str]) -> int:
    """Run one command, print its output, and return its exit code."""
    plain = serve.plain(list(argv))
    try:
        if plain is not None:
            return serve.run(*plain)
        code = app(list(argv) or ["--help"], prog_name="trivium", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as exc:
        if isinstance(exc, UsageMessages):
            fail(_usage(exc))
            return exc.exit_code
        code = exit_code(exc)
        if code is None:
            raise
    return code if isinstance(code, int) else 0


def _usage(exc: UsageMessages) -> str:
    context = getattr(exc, "ctx", None)
    command = getattr(context, "command_path", "trivium")
    text = (
        exc.format_message().strip().replace("\n", " ").replace(" Value error, ", " ").rstrip(".")
    )
    if _NEGATIVE.fullmatch(text):
        text += ". A negative amount goes after `--`"
    end = "" if text.endswith("?") else "."
    return f"{text}{end} See `{command} --help`."


_NEGATIVE: Final = re.compile(r"No such option: -[\d.]+")
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""Why standard output takes no more, apart from a reader that has left."""


def main() -> None:
    """Run ``sys.argv`` as the installed command ``trivium``, and exit with its code."""
    for_any_terminal()
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader has left (`trivium key list | head`): nothing more to say
        code = 141
        _leave_unsaid()
    except OSError as exc:
        if exc.errno not in _FULL:
            raise
        fail(f"what there was to say could not be written: {exc.strerror}")
        code = 1
        _leave_unsaid()
    raise SystemExit(code)


def _leave_unsaid() -> None:
    """Drop unwritten output. Python would try to write it once more at exit, and print an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
