"""``/scim/v2/ServiceProviderConfig``, ``/ResourceTypes``, ``/Schemas``; and what is not there."""

from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response

from trivium.console.api.scim.base import Act, ScimRequest, route, said
from trivium.identity.scim.descriptions import configuration, resource_types, schemas
from trivium.identity.scim.model import ScimError
from trivium.identity.scim.resources import listing


async def config(asked: ScimRequest) -> Response:
    """Answer with what can be done."""
    return said(configuration(asked.base))


def _all(describe: Callable[[str], list[dict[str, Any]]]) -> Act:
    async def show(asked: ScimRequest) -> Response:
        """Answer with every one."""
        if asked.request.query_params.get("filter"):
            raise ScimError(403, "this list is not searched")  # RFC 7644, section 4
        found = describe(asked.base)
        return said(listing(found, len(found), 1))

    return show


def _one(describe: Callable[[str], list[dict[str, Any]]]) -> Act:
    async def show(asked: ScimRequest) -> Response:
        """Answer with the one of the path."""
        for found in describe(asked.base):
            if found["id"].lower() == asked.request.path_params["id"].lower():
                return said(found)
        raise ScimError(404, "there is nothing of this id")

    return show


async def absent(_: ScimRequest) -> Response:
    """Say that there is nothing."""
    raise ScimError(404, "there is nothing here")


async def not_done(_: ScimRequest) -> Response:
    """Say that an operation of the RFC is not offered."""
    raise ScimError(501, "this is not offered; see /ServiceProviderConfig")


ENDPOINTS: Final = (
    route("/ServiceProviderConfig", GET=config),
    route("/ResourceTypes", GET=_all(resource_types)),
    route("/ResourceTypes/{id}", GET=_one(resource_types)),
    route("/Schemas", GET=_all(schemas)),
    route("/Schemas/{id}", GET=_one(schemas)),
    route("/Bulk", POST=not_done),
    route("/Me", GET=not_done, POST=not_done, PUT=not_done, PATCH=not_done, DELETE=not_done),
    route("/{id:path}", GET=absent, POST=absent, PUT=absent, PATCH=absent, DELETE=absent),
)
"""The last one goes behind all others."""
