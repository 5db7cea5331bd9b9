"""The security log: a user's own, and everybody's for administrators.

What an administrator did to an account is shown to its user without the administrator's address
and program, which are theirs.
"""

from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.console.security import overview
from trivium.identity.errors import IdentityError
from trivium.observe.audit.model import Act, ActKind

WORDS: Final = {
    ActKind.LOGIN: N_("Logged in"),
    ActKind.LOGIN_FAILED: N_("A login failed"),
    ActKind.LOGOUT_EVERYWHERE: N_("Logged out everywhere"),
    ActKind.SESSION_ENDED: N_("A session was ended"),
    ActKind.SIGN_UP: N_("Account created"),
    ActKind.INVITATION: N_("Invitation made"),
    ActKind.INVITATION_WITHDRAWN: N_("Invitation withdrawn"),
    ActKind.PASSWORD_CHANGED: N_("Password changed"),
    ActKind.PASSWORD_RESET: N_("Password reset by mail"),
    ActKind.EMAIL_CHANGED: N_("E-mail address changed"),
    ActKind.SECOND_FACTOR_ON: N_("Second factor switched on"),
    ActKind.SECOND_FACTOR_OFF: N_("Second factor switched off"),
    ActKind.PASSKEY_ADDED: N_("Passkey added"),
    ActKind.PASSKEY_REMOVED: N_("Passkey removed"),
    ActKind.OUTSIDE_LOGIN_ADDED: N_("Login with another provider added"),
    ActKind.OUTSIDE_LOGIN_REMOVED: N_("Login with another provider removed"),
    ActKind.USER_CREATED: N_("User created by the operator"),
    ActKind.USER_PROVISIONED: N_("Account came under a directory"),
    ActKind.USER_DISABLED: N_("User disabled"),
    ActKind.USER_ENABLED: N_("User enabled"),
    ActKind.USER_EXPORTED: N_("Data exported by the operator"),
    ActKind.USER_ERASED: N_("Account erased"),
    ActKind.USER_ROLE: N_("Role changed"),
    ActKind.USER_RENAMED: N_("Name changed"),
    ActKind.USER_CREDIT: N_("Balance booked by the operator"),
    ActKind.USER_OVERDRAFT: N_("Overdraft changed"),
    ActKind.TEAM_CREATED: N_("Team made"),
    ActKind.TEAM_CHANGED: N_("Team changed"),
    ActKind.TEAM_MEMBER: N_("Became a member of a team, or got another role"),
    ActKind.TEAM_MEMBER_REMOVED: N_("Left a team"),
    ActKind.SERVICE_ACCOUNT_CREATED: N_("Service account made"),
    ActKind.TEAM_INVITATION: N_("Invited somebody to a team"),
    ActKind.TEAM_INVITATION_WITHDRAWN: N_("Invitation to a team withdrawn"),
    ActKind.SCIM_TOKEN_CREATED: N_("Token of a directory made"),
    ActKind.SCIM_TOKEN_REVOKED: N_("Token of a directory revoked"),
    ActKind.BUDGET_SET: N_("Budget set"),
    ActKind.BUDGET_REMOVED: N_("Budget removed"),
    ActKind.BUDGET_REACHED: N_("A budget is nearly or wholly spent"),
    ActKind.INVOICE_ISSUED: N_("Invoice made out"),
    ActKind.INVOICE_VOIDED: N_("Invoice voided"),
    ActKind.KEY_CREATED: N_("Key created"),
    ActKind.KEY_CHANGED: N_("Key changed"),
    ActKind.KEY_PAUSED: N_("Key paused"),
    ActKind.KEY_RESUMED: N_("Key resumed"),
    ActKind.KEY_REVOKED: N_("Key revoked"),
    ActKind.KEY_ROTATED: N_("Key got another secret"),
    ActKind.CONSENT: N_("Application authorized"),
    ActKind.AUTO_GRANT: N_("Application authorized automatically"),
    ActKind.GRANT_REVOKED: N_("Authorization revoked"),
    ActKind.CODE_ISSUED: N_("Authorization code issued"),
    ActKind.CODE_REPLAY: N_("An authorization code was used twice"),
    ActKind.TOKENS_ISSUED: N_("Tokens issued"),
    ActKind.TOKENS_REFRESHED: N_("Tokens refreshed"),
    ActKind.TOKENS_REUSED: N_("An old refresh token was used again"),
    ActKind.TOKENS_REVOKED: N_("Tokens revoked"),
    ActKind.SPEND_CAP_SET: N_("Spending cap of an application set"),
    ActKind.SPEND_KEY_ISSUED: N_("Key for spending issued to an application"),
    ActKind.APP_CREATED: N_("Application registered"),
    ActKind.USER_CHANGED: N_("Limits or price group changed"),
    ActKind.ANNOUNCEMENT_MADE: N_("Announcement made"),
    ActKind.ANNOUNCEMENT_ENDED: N_("Announcement removed"),
    ActKind.APP_CHANGED: N_("Application changed"),
    ActKind.APP_SUSPENDED: N_("Application suspended"),
    ActKind.APP_RESUMED: N_("Application resumed"),
    ActKind.APP_DELETED: N_("Application deleted"),
    ActKind.APP_TRANSFERRED: N_("Application given to another account"),
    ActKind.SECRET_ROTATED: N_("Client secret rotated"),
    ActKind.DEVELOPER_TOKEN_CREATED: N_("Developer token created"),
    ActKind.DEVELOPER_TOKEN_REVOKED: N_("Developer token revoked"),
    ActKind.ADMIN_TOKEN_CREATED: N_("Token for machines created"),
    ActKind.ADMIN_TOKEN_ROTATED: N_("Token for machines got another secret"),
    ActKind.ADMIN_TOKEN_REVOKED: N_("Token for machines revoked"),
    ActKind.TOP_UP_STARTED: N_("Top-up begun"),
    ActKind.TOP_UP_PAID: N_("Top-up paid"),
    ActKind.TOP_UP_HELD: N_("Top-up held for the operator"),
    ActKind.TOP_UP_REFUNDED: N_("Top-up refunded"),
    ActKind.TOP_UP_DISPUTED: N_("Top-up disputed"),
    ActKind.REDEMPTION_CREATED: N_("Redemption codes made"),
    ActKind.REDEMPTION_REVOKED: N_("Redemption codes revoked"),
    ActKind.REDEEMED: N_("Code redeemed"),
    ActKind.CATALOGUE_CHANGED: N_("Channels, models or prices changed"),
    ActKind.CATALOGUE_UNDONE: N_("A change of channels, models or prices undone"),
    ActKind.REDEEM_FAILED: N_("A code brought nothing"),
}
"""One sentence for every kind; a test holds that none is missing."""


PAGE: Final = 50

_KINDS: Final = {kind.value: kind for kind in ActKind}
_detail = msgspec.json.Decoder(dict[str, Any]).decode


class Filter(forms.Form, frozen=True, kw_only=True):
    """The choices of the log's form."""

    act: str = ""
    user: str = ""


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    """One act as the page shows it."""

    at: float
    says: str
    """In English; translated where it is shown. A word of a newer version stays as it is."""
    is_bad: bool
    who: str
    whose: str
    what: str
    address: str
    agent: str
    program: str
    """``agent`` in short."""
    detail: tuple[tuple[str, str], ...]
    change: int = 0
    """The change of the catalogue that it was; 0: it was something else."""


@session.signed_in
async def mine(request: Request) -> Response:
    """Show what the user did, and what was done to their account."""
    console = context.of(request)
    user = session.user_of(request)
    before = _before(request)
    acts = await console.audit.of_user(user.id, before, PAGE + 1)
    names = {user.id: user.name}
    return render.page(
        request,
        "audit/mine.html",
        lines=[_line(act, names, user.id) for act in acts[:PAGE]],
        **render.paging("/account/log", {}, "before", before, _more(acts)),
    )


@session.admin
async def everybody(request: Request) -> Response:
    """All acts, by kind and by user."""
    console = context.of(request)
    before = _before(request)
    given = {name: request.query_params.get(name, "").strip()[:300] for name in ("act", "user")}
    form = forms.empty(Filter, **given)
    user_id = None
    if given["user"]:
        try:
            user_id = (await console.identity.find_user(given["user"])).id
        except IdentityError:
            user_id = 0
    kind = _KINDS.get(given["act"])
    acts = await console.audit.everything(before, PAGE + 1, kind=kind, user_id=user_id)
    ids = {each for act in acts for each in (act.actor_id, act.subject_id) if each is not None}
    names = await console.team_lists.names(ids)
    kept = {name: value for name, value in given.items() if value}
    return render.page(
        request,
        "audit/everybody.html",
        lines=[_line(act, names, None) for act in acts[:PAGE]],
        form=form,
        kinds=[(kind.value, WORDS[kind]) for kind in ActKind],
        **render.paging("/admin/log", kept, "before", before, _more(acts)),
    )


def _more(acts: list[Act]) -> int | None:
    """After which act the next page begins; ``None``: there is none."""
    return acts[PAGE - 1].id if len(acts) > PAGE else None


def _line(act: Act, names: dict[int, str], reader: int | None) -> AuditLine:
    """``reader``: the user whose log it is; ``None``: an administrator's view."""
    kind = _KINDS.get(act.kind)
    is_foreign = reader is not None and act.actor_id not in (None, reader)
    detail = _detail(act.detail) if act.detail else {}
    return AuditLine(
        at=act.at_ms / 1000,
        says=WORDS[kind] if kind else act.kind,
        is_bad=kind in _BAD,
        who=_name(act.actor_id, names, reader),
        whose=_name(act.subject_id, names, reader),
        what=act.what,
        address="" if is_foreign else act.address,
        agent="" if is_foreign else act.agent,
        program="" if is_foreign else _program(act.agent),
        detail=tuple((name, str(value)) for name, value in detail.items()),
        change=_change(act.what) if kind in _UNDONE else 0,
    )


def _change(what: str) -> int:
    """The number behind ``catalogue_change:``."""
    said = what.partition(":")[2]
    return int(said) if said.isascii() and said.isdigit() and len(said) <= forms.DIGITS_MAX else 0


def _program(agent: str) -> str:
    """Browsers say a great deal, other programs their name and ours where it was done."""
    return overview.name(agent) if agent.startswith("Mozilla/") else agent


_UNDONE: Final = frozenset({ActKind.CATALOGUE_CHANGED, ActKind.CATALOGUE_UNDONE})
_BAD: Final = frozenset(
    {
        ActKind.LOGIN_FAILED,
        ActKind.CODE_REPLAY,
        ActKind.TOKENS_REUSED,
        ActKind.USER_DISABLED,
        ActKind.TOP_UP_HELD,
        ActKind.TOP_UP_DISPUTED,
        ActKind.REDEEM_FAILED,
    }
)


def _name(user_id: int | None, names: dict[int, str], reader: int | None) -> str:
    """A user's name; ``-`` for an administrator's: users do not see other people's names."""
    if user_id is None:
        return ""
    known = names.get(user_id)
    if known is not None:
        return known
    return "-" if reader is not None else f"user:{user_id}"


def _before(request: Request) -> int | None:
    """The last id of the page before. Raises HTTPException (400)."""
    given = request.query_params.get("before", "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise HTTPException(400)
    return int(given)


PAGES: Final = (
    Route("/account/log", mine, methods=["GET"]),
    Route("/admin/log", everybody, methods=["GET"]),
)
