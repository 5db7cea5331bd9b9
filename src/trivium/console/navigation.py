"""The side navigation of the user centre: one row a page, in groups."""

from typing import Final

import msgspec

from trivium.console.language import N_
from trivium.identity.model import Role, User


class Link(msgspec.Struct, frozen=True):
    """One entry of the navigation, which leads to a page."""

    path: str
    label: str
    icon: str
    """A symbol of ``templates/icons.html``."""


class Section(msgspec.Struct, frozen=True):
    """Pages under one heading."""

    heading: str
    links: tuple[Link, ...]
    role: Role = Role.USER
    """Who sees it; administrators see everything."""


SECTIONS: Final = (
    Section(
        "",
        (
            Link("/account", N_("Overview"), "home"),
            Link("/account/keys", N_("Keys"), "key"),
            Link("/account/usage", N_("Requests"), "activity"),
            Link("/account/statement", N_("Statement"), "receipt"),
            Link("/topup", N_("Top up"), "wallet"),
        ),
    ),
    Section(
        N_("Settings"),
        (
            Link("/account/profile", N_("Profile"), "user"),
            Link("/account/security", N_("Security"), "shield"),
            Link("/account/applications", N_("Authorized applications"), "apps"),
            Link("/account/developer", N_("Developer"), "code"),
            Link("/account/log", N_("Security log"), "history"),
        ),
    ),
    Section(
        N_("Administration"),
        (
            Link("/admin/users", N_("Users"), "users"),
            Link("/admin/invitations", N_("Invitations"), "mail"),
            Link("/admin/credit", N_("Credit"), "plus"),
            Link("/admin/log", N_("Audit log"), "shield"),
        ),
        Role.ADMIN,
    ),
)


def sections(user: User | None) -> tuple[Section, ...]:
    """Return the parts of the navigation that this user may see."""
    if user is None:
        return ()
    return tuple(s for s in SECTIONS if s.role is Role.USER or user.role is Role.ADMIN)
