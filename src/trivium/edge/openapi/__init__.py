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
    from trivium.edge.openapi import admin, oauth, scim
    from trivium.edge.openapi.assemble import OPERATIONS

    beside = oauth.paths(None, None) | admin.paths() | scim.paths()
    others = {(method.upper(), path) for path, item in beside.items() for method in item}
    return {(operation.method, operation.path) for operation in OPERATIONS} | others


def methods(path: str) -> tuple[str, ...]:
    """Methods that are described for a path; empty when it is none of the description's."""
    steps = path.split("/")
    return next((found for template, found in _templates() if _fits(steps, template)), ())


def _fits(steps: list[str], template: list[str]) -> bool:
    """Whether a path is of a template, whose variables each stand for one whole step."""
    return len(steps) == len(template) and all(
        bool(step) if wanted.startswith("{") else step == wanted
        for step, wanted in zip(steps, template, strict=True)
    )


@lru_cache(maxsize=1)
def _templates() -> list[tuple[list[str], tuple[str, ...]]]:
    found: dict[str, list[str]] = {}
    for method, template in sorted(served()):
        found.setdefault(template, []).append(method)
    return [(template.split("/"), tuple(names)) for template, names in found.items()]
