"""``/api/admin/users/{user}/keys`` and ``/api/admin/keys/{key}``: anybody's own keys.

Keys of applications are not among them: consent gives and ends those.
"""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, usd
from trivium.console.api.answer import ApiError
from trivium.identity.model import Key
from trivium.identity.terms import Terms
from trivium.ledger.amounts import format_usd
from trivium.observe.audit.model import ActKind, Detail
from trivium.settings.budget import Budget, Period
from trivium.settings.limits import limits as rates_of

Moment = Annotated[int, msgspec.Meta(ge=0, le=253_402_300_799)]
"""Seconds since the epoch, until the year 9999."""


class LimitsBody(ApiBody, frozen=True, kw_only=True):
    """What a key may take a minute and at once."""

    requests: int | None = None
    tokens: int | None = None
    concurrency: int | None = None


class BudgetBody(ApiBody, frozen=True, kw_only=True):
    """A budget: an amount for each period."""

    amount: str
    """US dollars."""
    period: Period


class NewKeyBody(ApiBody, frozen=True, kw_only=True):
    """Its terms: the members of ``Terms``; what is left out bounds nothing."""

    name: str | UnsetType = UNSET
    models: tuple[str, ...] | UnsetType = UNSET
    expires_at: Moment | UnsetType | None = UNSET
    strict: bool | UnsetType = UNSET
    header_only: bool | UnsetType = UNSET
    limits: LimitsBody | UnsetType | None = UNSET
    budgets: tuple[BudgetBody, ...] | UnsetType = UNSET
    networks: tuple[str, ...] | UnsetType = UNSET
    end_user_requests: int | UnsetType | None = UNSET
    end_user_budgets: tuple[BudgetBody, ...] | UnsetType = UNSET


class KeyChange(NewKeyBody, frozen=True, kw_only=True):
    """New terms of a key; members that are left out stay as they are."""

    paused: bool | UnsetType = UNSET


async def listing(asked: AdminRequest) -> Any:
    """A user's keys in the order they were made, revoked ones too unless others are asked for."""
    user = await asked.console.directory.one(asked.number("user"))
    return await page(asked, user_id=user.id, team_id=team_asked(asked))


async def create(asked: AdminRequest) -> Any:
    """Make a key; answers with it and its secret, which is not stored."""
    terms = terms_of(asked.body)
    user = await asked.console.directory.one(asked.number("user"))
    key, secret = await asked.console.identity.create_key(user.name, **terms)
    await asked.log.add(ActKind.KEY_CREATED, user.id, f"key:{key.id}", {"name": key.name})
    return {**shown(key), "key": secret}


async def everything(asked: AdminRequest) -> Any:
    """Anybody's keys in the order they were made; of a user, or for a team, when it is named."""
    return await page(asked, user_id=user_asked(asked), team_id=team_asked(asked))


def user_asked(asked: AdminRequest) -> int | None:
    """Whose keys are wanted; ``None``: anybody's. Raises ApiError (400)."""
    return paging.number(asked, "user", "the id of a user")


def team_asked(asked: AdminRequest) -> int | None:
    """For which team; ``None``: any or none. Raises ApiError (400)."""
    return paging.number(asked, "team", "the id of a team")


async def page(
    asked: AdminRequest, *, user_id: int | None = None, team_id: int | None = None
) -> dict[str, Any]:
    """The page that is asked for of keys in the order they were made."""
    most = paging.limit(asked)
    found = await asked.console.directory.keys(
        paging.number(asked, "after", "the id of a key") or 0,
        most + 1,
        user_id=user_id,
        team_id=team_id,
        revoked=paging.truth(asked, "revoked"),
    )
    rows, more = paging.cut(found, most)
    return {"keys": [shown(key) for key in rows], "after": rows[-1].id if more else None}


async def show(asked: AdminRequest) -> Any:
    """Answer with the key of the path."""
    return shown(await asked.console.directory.key(asked.number("key")))


async def change(asked: AdminRequest) -> Any:
    """Change a key; answers with it as it is afterwards."""
    wanted: KeyChange = asked.body
    terms = terms_of(wanted)
    if not terms and wanted.paused is UNSET:
        raise ApiError(400, "nothing to change: send a term of the key, or `paused`")
    own = asked.console.own_keys
    key = await asked.console.directory.key(asked.number("key"))
    if key.disabled:
        raise ApiError(409, "the key is revoked, which is for good")
    owner = key.user_id

    def altered(before: Terms) -> Terms:
        return msgspec.structs.replace(before, **terms)

    if terms:
        key, members = await own.edit(owner, key.id, altered)
        if members:
            said: Detail = {"name": key.name, "changed": ", ".join(members)}
            await asked.log.add(ActKind.KEY_CHANGED, owner, f"key:{key.id}", said)
    if isinstance(wanted.paused, bool) and wanted.paused != key.paused:
        key = await own.switch(owner, key.id, paused=wanted.paused)
        kind = ActKind.KEY_PAUSED if key.paused else ActKind.KEY_RESUMED
        await asked.log.add(kind, owner, f"key:{key.id}", {"name": key.name})
    return shown(key)


async def revoke(asked: AdminRequest) -> Any:
    """Revoke a key for good; answers with it. Repeating the call changes nothing."""
    key = await asked.console.directory.key(asked.number("key"))
    if not key.disabled:
        key = await asked.console.own_keys.revoke(key.user_id, key.id)
        said: Detail = {"name": key.name}
        await asked.log.add(ActKind.KEY_REVOKED, key.user_id, f"key:{key.id}", said)
    return shown(key)


class Rotation(ApiBody, frozen=True, kw_only=True):
    """For how long the secret before works as well."""

    overlap_s: int = 86_400


async def rotate(asked: AdminRequest) -> Any:
    """Give a key another secret; answers with it, which is not stored."""
    key = await asked.console.directory.key(asked.number("key"))
    return await rotated(asked, key)


async def rotated(asked: AdminRequest, key: Key) -> dict[str, Any]:
    """The answer with the new secret of this key. Raises ApiError, IdentityError."""
    if key.disabled:
        raise ApiError(409, "the key is revoked, which is for good")
    body: Rotation = asked.body
    own = asked.console.own_keys
    key, secret = await own.rotate(key.user_id, key.id, body.overlap_s, asked.log.within)
    return {**shown(key), "key": secret}


def terms_of(body: NewKeyBody) -> dict[str, Any]:
    """The members of ``Terms`` that were sent, as it has them. Raises Refusal (400)."""
    names = Terms.__struct_fields__
    given = {name: value for name in names if (value := getattr(body, name)) is not UNSET}
    rates = given.get("limits")
    if rates is not None:
        given["limits"] = rates_of(rates.requests, rates.tokens, rates.concurrency)
    for name in ("budgets", "end_user_budgets"):
        if name in given:
            given[name] = tuple(
                Budget(amount_nanos=usd(name, cap.amount), period=cap.period) for cap in given[name]
            )
    return given


def shown(key: Key) -> dict[str, Any]:
    """A key as the API shows it."""
    return {
        "id": key.id,
        "user_id": key.user_id,
        "team_id": key.team_id,
        "name": key.name,
        "hint": key.hint,
        "models": key.models,
        "expires_at": key.expires_at,
        "strict": key.strict,
        "header_only": key.header_only,
        "limits": None if key.limits is None else msgspec.structs.asdict(key.limits),
        "budgets": _budgets(key.budgets),
        "networks": key.networks,
        "end_user_requests": key.end_user_requests,
        "end_user_budgets": _budgets(key.end_user_budgets),
        "paused": key.paused,
        "revoked": key.disabled,
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
        "former_until": key.former_until,
    }


def _budgets(budgets: tuple[Budget, ...]) -> list[dict[str, str]]:
    return [
        {"amount": format_usd(budget.amount_nanos), "period": budget.period.value}
        for budget in budgets
    ]


PAGED: Final = frozenset({"limit", "after", "revoked"})
"""What every list of keys takes."""
_OF_USER: Final = PAGED | {"team"}
ENDPOINTS: Final = (
    resource("/api/admin/keys", GET=ApiMethod(everything, query=_OF_USER | {"user"})),
    resource(
        "/api/admin/users/{user}/keys",
        GET=ApiMethod(listing, query=_OF_USER),
        POST=ApiMethod(create, NewKeyBody),
    ),
    resource(
        "/api/admin/keys/{key}",
        GET=ApiMethod(show),
        PATCH=ApiMethod(change, KeyChange),
        DELETE=ApiMethod(revoke),
    ),
    resource("/api/admin/keys/{key}/rotate", POST=ApiMethod(rotate, Rotation)),
)
