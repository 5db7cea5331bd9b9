"""The gateway's own OpenAPI description, exactly of what is served now.

The schemas are ordinary modules of data, one per shape, imported at the first question: nothing
of them is needed to relay. Members are described as far as they help to write a request; unknown
ones are always allowed, because they travel to the vendor as they are.
"""

from functools import lru_cache


@lru_cache(maxsize=4)
def document(
    public_url: str | None = None, auth_url: str | None = None, api_url: str | None = None
) -> bytes:
    """The description as JSON. ``public_url`` is the origin clients see; ``None``: relative.

    ``auth_url``, ``api_url``: origins of the OAuth service and of registration; ``None``: the same.
    """
    from trivium.edge.openapi.assemble import describe

    return describe(public_url, auth_url, api_url)


def served() -> set[tuple[str, str]]:
    """(method, path template) of every operation in the description; methods in upper case."""
    from trivium.edge.openapi import admin, oauth
    from trivium.edge.openapi.paths import OPERATIONS

    beside = oauth.paths(None, None) | admin.paths()
    others = {(method.upper(), path) for path, item in beside.items() for method in item}
    return {(operation.method, operation.path) for operation in OPERATIONS} | others
