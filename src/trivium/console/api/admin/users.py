"""``/api/admin/users``: everybody, found, made, switched off and on, given a role."""

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from trivium.console.api.admin import credit, paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, usd
from trivium.console.api.admin.keys import LimitsBody
from trivium.console.api.answer import ApiError
from trivium.identity.model import User, UserRole
from trivium.ledger.amounts import format_usd
from trivium.observe.audit.model import ActKind
from trivium.settings.limits import limits as rates_of
from trivium.settings.workloads import AdminScope
from trivium.storage.database import Connection


class NewUser(ApiBody, frozen=True, kw_only=True):
    """Who it is, and what they spend: ``unlimited``, or US dollars to begin with."""

    name: str
    email: str
    role: UserRole = UserRole.USER
    unlimited: bool = False
    credit: str | None = None
    group: str = ""
    """Price group; empty: none."""
    limits: LimitsBody | None = None
    """Over all keys together."""


class UserChange(ApiBody, frozen=True, kw_only=True):
    """A change to a user; members that are left out stay as they are."""

    disabled: bool | UnsetType = UNSET
    role: UserRole | UnsetType = UNSET
    budget_letters: bool | UnsetType = UNSET


async def listing(asked: AdminRequest) -> Any:
    """Users in the order they were made, and after which id the next page begins."""
    after = paging.number(asked, "after", "the id of a user") or 0
    found, more = await asked.console.directory.page(
        paging.search(asked), after, paging.limit(asked)
    )
    return {"users": [_shown(each.user, each.balance_nanos) for each in found], "after": more}


async def create(asked: AdminRequest) -> Any:
    """Make a user, perhaps with a first credit; answers with the user."""
    wanted: NewUser = asked.body
    if wanted.unlimited and wanted.credit is not None:
        raise ApiError(400, "credit: is not for users that are `unlimited`")
    if wanted.role is UserRole.ADMIN:
        asked.check_person("role")
    paid = {"unlimited": wanted.unlimited, "credit": wanted.credit, "group": wanted.group}
    for name, value in paid.items():
        if value:
            asked.check_scope(AdminScope.MONEY, name)
    amount_nanos = 0 if wanted.credit is None else usd("credit", wanted.credit)
    if wanted.credit is not None and amount_nanos <= 0:
        raise ApiError(400, "credit: must be above zero; leave it out for none")
    if wanted.group and wanted.group not in asked.console.settings.groups:
        raise ApiError(400, "group: is not in the settings under [groups]")
    rates = wanted.limits

    async def begin(conn: Connection, user: User) -> None:
        await asked.log.within(conn, ActKind.USER_CREATED, user.id, "", {"role": user.role.value})
        if amount_nanos:
            await credit.book_within(asked, conn, user, amount_nanos, "credit at creation")

    user = await asked.console.identity.create_user(
        wanted.name,
        wanted.email,
        wanted.role,
        unlimited=wanted.unlimited,
        group=wanted.group,
        limits=None if rates is None else rates_of(rates.requests, rates.tokens, rates.concurrency),
        along=begin,
    )
    return _shown(user, amount_nanos)


async def show(asked: AdminRequest) -> Any:
    """Answer with the user of the path, and their balance."""
    return await _with_balance(asked, await asked.console.directory.one(asked.number("user")))


async def change(asked: AdminRequest) -> Any:
    """Change a user; answers with the user as they are afterwards."""
    wanted: UserChange = asked.body
    if {wanted.disabled, wanted.role, wanted.budget_letters} == {UNSET}:
        raise ApiError(400, "nothing to change: send `disabled`, `role` or `budget_letters`")
    directory = asked.console.directory
    user = await directory.one(asked.number("user"))
    is_switched = wanted.disabled is not UNSET and wanted.disabled != user.disabled
    is_appointed = wanted.role is not UNSET and wanted.role is not user.role
    if is_appointed:
        asked.check_person("role")
    if user.role is UserRole.ADMIN:
        asked.check_person("this is an administrator")
    if user.id == asked.by and (is_switched or is_appointed):
        raise ApiError(409, "nobody switches themselves off or changes their own role")
    if isinstance(wanted.disabled, bool) and is_switched:
        user = await directory.switch(
            asked.by, user.id, disabled=wanted.disabled, log_act=asked.log.within
        )
    if isinstance(wanted.role, UserRole) and is_appointed:
        user = await directory.appoint(asked.by, user.id, wanted.role, asked.log.within)
    if isinstance(wanted.budget_letters, bool):
        await asked.console.accounts.prefer(user.id, budget_letters=wanted.budget_letters)
        user = msgspec.structs.replace(user, budget_letters=wanted.budget_letters)
    return await _with_balance(asked, user)


async def _with_balance(asked: AdminRequest, user: User) -> dict[str, Any]:
    return _shown(user, await asked.console.entries.balance(user.id))


def _shown(user: User, balance_nanos: int) -> dict[str, Any]:
    return {
        "id": user.id,
        "name": user.name,
        "email": user.email,
        "role": user.role.value,
        "disabled": user.disabled,
        "unlimited": user.unlimited,
        "group": user.group,
        "limits": None if user.limits is None else msgspec.structs.asdict(user.limits),
        "balance": format_usd(balance_nanos),
        "budget_letters": user.budget_letters,
        "created_at": user.created_at,
    }


ENDPOINTS: Final = (
    resource(
        "/api/admin/users",
        GET=ApiMethod(listing, query=frozenset({"q", "limit", "after"})),
        POST=ApiMethod(create, NewUser),
    ),
    resource("/api/admin/users/{user}", GET=ApiMethod(show), PATCH=ApiMethod(change, UserChange)),
)
