"""A route for programs: its path is its own, whatever the method."""

from starlette.routing import Match, Route
from starlette.types import Scope


class Endpoint(Route):
    """Answers 405 to methods it does not take, where a plain route would leave the request to the
    pages, which have no such path and say 404.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match by the path alone, whatever the method is."""
        match, child = super().matches(scope)
        return (Match.FULL if match is Match.PARTIAL else match), child
