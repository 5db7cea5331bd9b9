"""An organisation with everybody in it, and a browser for each."""

from console.visiting import user_of, visiting
from trivium.identity.model import UserRole
from trivium.identity.teams.model import TeamRole

ROLES = (("mia", TeamRole.MANAGER), ("meg", TeamRole.MEMBER), ("bill", TeamRole.BILLING))
"""Who is what in ``acme/research``; ola owns ``acme``, out is in no team, eve administers."""


class Company:
    """``acme`` with ``acme/research``, its people by name, and browsers of theirs."""

    def __init__(self, console, stack):
        self.console = console
        self.stack = stack
        self.people = {}
        self.acme = self.research = None

    async def found(self):
        for name in ("ola", "mia", "meg", "bill", "out"):
            self.people[name] = await user_of(self.console, name)
        self.people["eve"] = await user_of(self.console, "eve", UserRole.ADMIN)
        teams = self.console.teams
        self.acme = await teams.create("acme", owner_id=self.people["ola"].id)
        self.research = await teams.create("research", self.acme.id)
        for name, role in ROLES:
            await teams.put_member(self.research.id, self.people[name].id, role)

    async def browser(self, name):
        """A browser in which somebody is logged in."""
        visitor = await self.stack.enter_async_context(
            visiting(self.console.database, self.console)
        )
        await visitor.log_in(self.people[name])
        await visitor.get("/account/profile")
        return visitor

    def path(self, rest="", team=None):
        return f"/account/teams/{(team or self.research).id}{rest}"
