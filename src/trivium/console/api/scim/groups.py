"""``/scim/v2/Groups``: teams of a directory."""

from typing import Final

from starlette.responses import Response

from trivium.console.api.answer import NOT_STORED
from trivium.console.api.scim.base import ScimRequest, route, said
from trivium.identity.scim.model import ScimGroup
from trivium.identity.scim.patches import check_read_only, normal, read_steps
from trivium.identity.scim.resources import listing, shown_group


async def search(asked: ScimRequest) -> Response:
    """Answer with a page of groups."""
    start, count = asked.window()
    found, total = await asked.console.scim.groups.page(
        asked.directory, asked.filter(), start, count, members=asked.wants("members")
    )
    shown = [asked.shown(shown_group(group, asked.base)) for group in found]
    return said(listing(shown, total, start))


async def create(asked: ScimRequest) -> Response:
    """Make a group; answer with it."""
    resource = normal(await asked.body())
    made = await asked.console.scim.groups.create(asked.directory, resource, asked.log_act)
    return asked.one(shown_group(made, asked.base), 201)


async def show(asked: ScimRequest) -> Response:
    """Answer with a group."""
    found = await asked.console.scim.groups.one(
        asked.directory, asked.number, members=asked.wants("members")
    )
    return asked.one(shown_group(found, asked.base))


async def replace(asked: ScimRequest) -> Response:
    """Replace a group with its members; answer with it."""
    resource = normal(await asked.body())

    def check(before: ScimGroup) -> None:
        _check(asked, before)
        check_read_only("id", resource.get("id", str(before.id)), {"id": str(before.id)})

    groups = asked.console.scim.groups
    found = await groups.replace(asked.directory, asked.number, resource, check, asked.log_act)
    return asked.one(shown_group(found, asked.base))


async def patch(asked: ScimRequest) -> Response:
    """Change a group; answer with nothing, unless attributes were asked for: it may have many
    members.
    """
    steps = read_steps(await asked.body())
    groups = asked.console.scim.groups
    found = await groups.patch(
        asked.directory, asked.number, steps, lambda before: _check(asked, before), asked.log_act
    )
    shown = shown_group(found, asked.base)
    if asked.names("attributes"):
        return asked.one(shown)
    return Response(None, 204, headers={**NOT_STORED, "etag": shown["meta"]["version"]})


async def delete(asked: ScimRequest) -> Response:
    """Take everybody out whom the directory put there, and forget the group."""
    groups = asked.console.scim.groups
    await groups.delete(
        asked.directory, asked.number, lambda before: _check(asked, before), asked.log_act
    )
    return Response(None, 204, headers=NOT_STORED)


def _check(asked: ScimRequest, before: ScimGroup) -> None:
    asked.check_version(shown_group(before, asked.base))


ENDPOINTS: Final = (
    route("/Groups", GET=search, POST=create),
    route("/Groups/{id}", GET=show, PUT=replace, PATCH=patch, DELETE=delete),
)
