"""Everything about directories, built from its parts: what the routes of SCIM and commands call."""

from typing import Final

from trivium.clock import Clock
from trivium.identity.model import InForce, left_to_others
from trivium.identity.scim.groups import ScimGroups
from trivium.identity.scim.tokens import ScimTokens
from trivium.identity.scim.users import ScimUsers
from trivium.storage.database import Database


class Provisioning:
    """The parts. ``in_force``: called after each change of keys; raises nothing."""

    def __init__(self, db: Database, clock: Clock, in_force: InForce = left_to_others) -> None:
        self.tokens: Final = ScimTokens(db, clock)
        self.users: Final = ScimUsers(db, clock, in_force)
        self.groups: Final = ScimGroups(db, clock, in_force)
