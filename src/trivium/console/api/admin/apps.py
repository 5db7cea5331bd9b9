"""``/api/admin/apps``: other applications that users let in, as the operator treats them."""

from enum import Enum, unique
from typing import Any, Final

from msgspec import UNSET, UnsetType

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.oauth.apps.model import App, AppStatus
from trivium.oauth.errors import RegistrationError

_GONE: Final = "there is no application of this client id"


@unique
class OperatorStatus(Enum):
    """What the operator makes of an application; ``suspended`` is its owner's own word."""

    ACTIVE = "active"
    BLOCKED = "blocked"


class AppChange(ApiBody, frozen=True, kw_only=True):
    """The operator's decisions; what is left out stays."""

    trusted: bool | UnsetType = UNSET
    """Whether it is let in without a question where it asks for that."""
    status: OperatorStatus | UnsetType = UNSET
    owner_id: int | UnsetType = UNSET
    """Whose it is from now on."""


async def listing(asked: AdminRequest) -> Any:
    """Applications in the order they were registered; of an owner, in a state."""
    most = paging.limit(asked)
    found = await asked.console.oauth.apps.page(
        paging.number(asked, "after", "the id of an application") or 0,
        most + 1,
        user_id=paging.number(asked, "owner", "the id of a user"),
        status=paging.word(asked, "status", AppStatus),
    )
    rows, more = paging.cut(found, most)
    return {"apps": [_shown(app) for app in rows], "after": rows[-1].id if more else None}


async def show(asked: AdminRequest) -> Any:
    """Answer with the application of the path."""
    return _shown(await _one(asked))


async def change(asked: AdminRequest) -> Any:
    """Trust, block, free or transfer an application; what is so already is not told again."""
    wanted: AppChange = asked.body
    if {wanted.trusted, wanted.status, wanted.owner_id} == {UNSET}:
        raise ApiError(400, "nothing to change: send `trusted`, `status` or `owner_id`")
    apps = asked.console.oauth.apps
    app = await _one(asked)
    try:
        if wanted.owner_id is not UNSET and wanted.owner_id != app.user_id:
            owner_id: int = wanted.owner_id
            await asked.console.directory.one(owner_id)
            app = await apps.transfer(app.client_id, owner_id, asked.log.within)
        # first the state, in which it is refused or works at all
        if isinstance(wanted.status, OperatorStatus):
            status = AppStatus(wanted.status.value)
            app = await apps.operate(app.client_id, status=status, log_act=asked.log.within)
        if isinstance(wanted.trusted, bool):
            trusted = wanted.trusted
            app = await apps.operate(app.client_id, trusted=trusted, log_act=asked.log.within)
    except RegistrationError as error:
        if error.field == "user":
            raise ApiError(409, f"owner_id: {error.message}") from None
        raise ApiError(404, _GONE) from None
    return _shown(app)


async def _one(asked: AdminRequest) -> App:
    found = await asked.console.oauth.apps.find(asked.request.path_params["app"])
    if found is None:
        raise ApiError(404, _GONE)
    return found


def _shown(app: App) -> dict[str, Any]:
    return {
        "id": app.id,
        "client_id": app.client_id,
        "name": app.name,
        "description": app.description,
        "owner_id": app.user_id,
        "owner_disabled": app.owner_disabled,
        "status": app.status.value,
        "trusted": app.trusted,
        "redirect_uri": app.redirect_uri,
        "scopes": sorted(app.scopes),
        "created_at": app.created_at,
        "changed_at": app.changed_at,
    }


_QUERY: Final = frozenset({"owner", "status", "limit", "after"})
ENDPOINTS: Final = (
    resource("/api/admin/apps", GET=ApiMethod(listing, query=_QUERY)),
    resource("/api/admin/apps/{app}", GET=ApiMethod(show), PATCH=ApiMethod(change, AppChange)),
)
