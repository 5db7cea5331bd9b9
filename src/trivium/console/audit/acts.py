"""The security log: a user's own, and everybody's for administrators.

What an administrator did to an account is shown to its user without the administrator's address
and program, which are theirs.
"""

from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.audit.words import WORDS
from trivium.console.security import programs
from trivium.identity.errors import IdentityError
from trivium.observe.audit.model import Act, ActKind

PAGE: Final = 50

_KINDS: Final = {kind.value: kind for kind in ActKind}
_detail = msgspec.json.Decoder(dict[str, Any]).decode


class Filter(forms.Form, frozen=True, kw_only=True):
    """The choices of the log's form."""

    act: str = ""
    user: str = ""


class Line(msgspec.Struct, frozen=True, kw_only=True):
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
        first="/account/log" if before else "",
        more=f"/account/log?before={acts[PAGE - 1].id}" if len(acts) > PAGE else "",
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
    names = {user.id: user.name for user in await console.identity.list_users()}
    query = urlencode({name: value for name, value in given.items() if value})
    first = f"/admin/log?{query}" if query else "/admin/log"
    joint = "&" if query else "?"
    return render.page(
        request,
        "audit/everybody.html",
        lines=[_line(act, names, None) for act in acts[:PAGE]],
        form=form,
        kinds=[(kind.value, WORDS[kind]) for kind in ActKind],
        first=first if before else "",
        more=f"{first}{joint}before={acts[PAGE - 1].id}" if len(acts) > PAGE else "",
    )


def _line(act: Act, names: dict[int, str], reader: int | None) -> Line:
    """``reader``: the user whose log it is; ``None``: an administrator's view."""
    kind = _KINDS.get(act.kind)
    is_foreign = reader is not None and act.actor_id not in (None, reader)
    detail = _detail(act.detail) if act.detail else {}
    return Line(
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
    )


def _program(agent: str) -> str:
    """Browsers say a great deal, other programs their name and ours where it was done."""
    return programs.name(agent) if agent.startswith("Mozilla/") else agent


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
    """Return a user's name; ``-`` for an administrator, because a user does not see other people's
    names.
    """
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
