"""The name of a member, for a dict that keeps all of a body's, duplicates included.

In a module of its own: mypyc compiles no class that descends from ``str``.
"""


class MemberName(str):
    """Never equals another: a dict keyed by it keeps duplicates."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other
