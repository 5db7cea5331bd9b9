"""``/scim/v2/Users``: people of a directory."""

from typing import Any, Final

from starlette.responses import Response

from trivium.console.api.answer import NOT_STORED
from trivium.console.api.scim.base import ScimRequest, route, said
from trivium.identity.scim.model import ScimProfile, ScimUser
from trivium.identity.scim.patches import apply_steps, check_read_only, normal, read_steps
from trivium.identity.scim.resources import listing, read_profile, shown_user
from trivium.identity.scim.users import merged


async def search(asked: ScimRequest) -> Response:
    """Answer with a page of people."""
    start, count = asked.window()
    found, total = await asked.console.scim.users.page(
        asked.directory, asked.filter(), start, count
    )
    shown = [asked.shown(shown_user(user, asked.base)) for user in found]
    return said(listing(shown, total, start))


async def create(asked: ScimRequest) -> Response:
    """Make a person; answer with them."""
    profile = read_profile(normal(await asked.body()))
    made = await asked.console.scim.users.create(asked.directory, profile, asked.log_act)
    return asked.one(shown_user(made, asked.base), 201)


async def show(asked: ScimRequest) -> Response:
    """Answer with a person."""
    found = await asked.console.scim.users.one(asked.directory, asked.number)
    return asked.one(shown_user(found, asked.base))


async def replace(asked: ScimRequest) -> Response:
    """Replace what is said about a person; answer with them."""
    resource = normal(await asked.body())
    profile = read_profile(resource)

    def revise(before: ScimUser) -> ScimProfile:
        shown = _checked(asked, before)
        check_read_only("id", resource.get("id", shown["id"]), shown)
        return merged(before, profile, says_active=resource.get("active") is not None)

    return await _changed(asked, revise)


async def patch(asked: ScimRequest) -> Response:
    """Change what is said about a person; answer with them."""
    steps = read_steps(await asked.body())
    return await _changed(
        asked, lambda before: read_profile(apply_steps(_checked(asked, before), steps))
    )


async def delete(asked: ScimRequest) -> Response:
    """Lock a person out; from then on they are not there for the directory."""

    def check(before: ScimUser) -> None:
        _checked(asked, before)

    users = asked.console.scim.users
    await users.delete(asked.directory, asked.number, check, asked.log_act)
    return Response(None, 204, headers=NOT_STORED)


async def _changed(asked: ScimRequest, revise: Any) -> Response:
    users = asked.console.scim.users
    found = await users.change(asked.directory, asked.number, revise, asked.log_act)
    return asked.one(shown_user(found, asked.base))


def _checked(asked: ScimRequest, before: ScimUser) -> dict[str, Any]:
    """A person as a resource, if it is the one that the caller has read. Raises ``ScimError``."""
    shown = shown_user(before, asked.base)
    asked.check_version(shown)
    return shown


ENDPOINTS: Final = (
    route("/Users", GET=search, POST=create),
    route("/Users/{id}", GET=show, PUT=replace, PATCH=patch, DELETE=delete),
)
