"""``trivium user``, the part about logging in: passwords, invitations, roles, what was lost."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.audit import act_log
from trivium.cli.database import users_and_keys
from trivium.cli.output import CommandFailed, as_json, moment, note, printable, table
from trivium.clock import SystemClock
from trivium.identity.accounts import passwords
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.passwords import CHARS_MAX, CHARS_MIN
from trivium.identity.model import User, UserRole
from trivium.observe.audit.model import ActKind
from trivium.settings.model import Settings

if TYPE_CHECKING:
    from trivium.identity.accounts.service import Accounts
    from trivium.identity.service import Identity
    from trivium.mail.outbox import Writer
    from trivium.storage.database import Database

HEADS: Final = ("ID", "FOR", "ROLE", "CREATED", "EXPIRES")
DAY_S: Final = 86_400

WORDS: Final = {
    AccountRefusal.PASSWORD_SHORT: (
        f"the password is too short: use at least {CHARS_MIN} characters"
    ),
    AccountRefusal.PASSWORD_LONG: f"the password is too long: use at most {CHARS_MAX} characters",
    AccountRefusal.PASSWORD_COMMON: "the password is among the first to be guessed: choose another",
    AccountRefusal.EMAIL_BAD: "this is no e-mail address",
    AccountRefusal.EMAIL_TAKEN: "the address belongs to a user already",
    AccountRefusal.MAIL_OFF: "letters need mail.host: without --mail the link is printed",
}
"""What these commands can be refused for."""

UserArgument = Annotated[str, typer.Argument(metavar="USER", help="A name or an e-mail address.")]
StdinOption = Annotated[
    bool, typer.Option("--password-stdin", help="Read it from standard input, one line.")
]


async def password(
    user: UserArgument, *, password_stdin: StdinOption = False, config_: config.ConfigOption = None
) -> None:
    """Set a user's password and end their logins.

    Asks for it twice, or reads it from standard input.
    """
    given = read_password() if password_stdin else _ask()
    settings = config.settings_of(config_)
    found = await set_password(settings, user, given)
    note(f"set the password of {printable(found.name)} and ended their logins")


def first_password(name: str, email: str) -> str:
    """A password of standard input for a user to be made. Raises Failed for one that is no good."""
    try:
        return passwords.check(read_password(), (name, email))
    except AccountError as error:
        raise CommandFailed(WORDS[error.why]) from None


async def set_password(settings: Settings, user: str, given: str) -> User:
    """Give a user a password and end their logins."""
    async with people(settings) as (accounts, identity, database):
        found = await identity.find_user(user)
        await accounts.recovery.set_password(found, given)
        await act_log(database).add(ActKind.PASSWORD_CHANGED, found.id)
        return found


async def invite(
    *,
    email: Annotated[str | None, typer.Option(metavar="E", help="Whom it is for.")] = None,
    mail: Annotated[
        bool, typer.Option("--mail", help="Send the link to --email instead of printing it.")
    ] = False,
    admin: Annotated[
        bool, typer.Option("--admin", help="The account may administer the gateway.")
    ] = False,
    days: Annotated[
        float | None, typer.Option(metavar="N", help="How long it is good for.")
    ] = None,
    language: Annotated[str, typer.Option(metavar="L", help="Of the letter.")] = "en",
    config_: config.ConfigOption = None,
) -> None:
    """Invite somebody: prints a link that makes one account.

    Needs accounts.signup to be "invitation" or "open" when it is used.
    """
    if mail and not email:
        raise CommandFailed("--mail needs --email: a letter goes to somebody", code=2)
    if days is not None and not 0 < days <= 365:
        raise CommandFailed("--days must be above 0 and at most 365", code=2)
    settings = config.settings_of(config_)
    if settings.accounts.signup == "closed":
        raise CommandFailed('accounts.signup is "closed": set it to "invitation" to let people in')
    lifetime_s = None if days is None else int(days * DAY_S)
    role = UserRole.ADMIN if admin else UserRole.USER
    async with people(settings) as (accounts, _, database):
        made, url = await accounts.signup.invite(
            email, role, language=language, by_mail=mail, lifetime_s=lifetime_s
        )
        await act_log(database).add(ActKind.INVITATION, None, f"invitation:{made.id}")
    if url:
        print(url)
    else:
        note(f"sent the invitation to {printable(email or '')}")


async def letters(
    user: UserArgument,
    *,
    budgets: Annotated[
        bool,
        typer.Option(
            "--budgets/--no-budgets", help="Of keys, and of teams they own or read bills of."
        ),
    ],
    config_: config.ConfigOption = None,
) -> None:
    """Say which letters come to somebody: those about budgets of their keys and teams, or not."""
    async with people(config.settings_of(config_)) as (accounts, identity, _):
        found = await identity.find_user(user)
        await accounts.prefer(found.id, budget_letters=budgets)
    note(f"letters about budgets to {printable(found.name)}: {'yes' if budgets else 'no'}")


async def invitations(
    config_: config.ConfigOption = None, *, json: config.JsonOption = False
) -> None:
    """List invitations that can still be used."""
    async with people(config.settings_of(config_)) as (accounts, _, _):
        found = await accounts.signup.invitations()
    if json:
        as_json(found)
        return
    rows = [
        (
            str(one.id),
            one.email or "whoever has the link",
            one.role.value,
            moment(one.created_at),
            moment(one.expires_at),
        )
        for one in found
    ]
    print(table(HEADS, rows))


async def withdraw(
    invitation: Annotated[int, typer.Argument(metavar="ID", help="As `invitations` shows it.")],
    config_: config.ConfigOption = None,
) -> None:
    """Void an invitation, so that its link no longer works."""
    async with people(config.settings_of(config_)) as (accounts, _, database):
        was_open = await accounts.signup.withdraw(invitation)
        if was_open:
            await act_log(database).add(
                ActKind.INVITATION_WITHDRAWN, None, f"invitation:{invitation}"
            )
    if not was_open:
        raise CommandFailed(f"there is no open invitation {invitation}: `trivium user invitations`")
    note(f"withdrew invitation {invitation}")


async def role(
    user: UserArgument,
    role_: Annotated[UserRole, typer.Argument(metavar="ROLE", help="`user` or `admin`.")],
    config_: config.ConfigOption = None,
) -> None:
    """Change what a user may do, and end their logins."""
    async with people(config.settings_of(config_)) as (_, identity, database):
        found = await identity.set_role(user, role_, act_log(database).within)
    note(f"{printable(found.name)} is {role_.value} now")


async def log_out(user: UserArgument, config_: config.ConfigOption = None) -> None:
    """End all logins of a user."""
    async with people(config.settings_of(config_)) as (accounts, identity, database):
        found = await identity.find_user(user)
        ended = await accounts.sessions.end_all(found.id)
        await act_log(database).add(ActKind.LOGOUT_EVERYWHERE, found.id)
    note(f"ended {ended} logins of {printable(found.name)}")


async def factor_off(user: UserArgument, config_: config.ConfigOption = None) -> None:
    """Switch a user's second factor off.

    For somebody who lost the phone and the recovery codes.
    """
    async with people(config.settings_of(config_)) as (accounts, identity, database):
        found = await identity.find_user(user)
        await accounts.factor.remove(found.id)
        await act_log(database).add(ActKind.SECOND_FACTOR_OFF, found.id)
    note(f"{printable(found.name)} logs in without a second factor now")


def read_password() -> str:
    """One line of standard input. Raises Failed when there is none."""
    line = sys.stdin.readline()
    if not line.rstrip("\r\n"):
        raise CommandFailed("no password came on standard input", code=2)
    return line.rstrip("\r\n")


def _ask() -> str:
    if not sys.stdin.isatty():
        raise CommandFailed("nobody is there to be asked: use --password-stdin", code=2)
    given: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return given


class _Now:
    """Sends letters before the command ends: whoever runs it wants to know the result."""

    def __init__(self) -> None:
        self.waiting: list[Writer] = []

    def put(self, write: "Writer") -> bool:
        self.waiting.append(write)
        return True

    async def send(self, settings: Settings) -> None:
        from trivium.mail.outbox import MailError
        from trivium.mail.smtp import Smtp

        server = Smtp(settings.mail, SystemClock())
        for write in self.waiting:
            letter = await write()
            try:
                if letter is not None:
                    await server.send(letter)
            except MailError as error:
                raise CommandFailed(f"the letter was not sent: {error}") from None


@asynccontextmanager
async def people(settings: Settings) -> "AsyncIterator[tuple[Accounts, Identity, Database]]":
    """What acts on accounts; letters leave at the end. Raises CommandFailed for refusals."""
    from trivium.wiring.accounts import build, vault_of

    async with users_and_keys(settings.storage) as (identity, database):
        post = _Now() if settings.mail.host else None
        accounts = build(settings, database, vault_of(settings), post)
        try:
            yield accounts, identity, database
            if post is not None:
                await post.send(settings)
        except AccountError as error:
            raise CommandFailed(WORDS.get(error.why, error.why.value)) from None
        finally:
            accounts.close()
