"""Every administrator's command of the command line has its page."""

import re

import typer

from trivium.cli.main import app
from trivium.console.app import PAGES

WITHOUT = {
    "serve": "runs the gateway",
    "demo": "runs a gateway to try out",
    "migrate": "a gateway whose tables are behind serves no pages",
    "check": "looks at what a start needs, before there is a gateway",
    "version": "says which program this is",
    "init": "writes the settings file",
    "config export": "moves a file",
    "config diff": "moves a file",
    "config apply": "moves a file",
    "ledger reconcile": "moves a file of a vendor's",
    "prices update": "moves a file of suggestions, one on each node",
}
"""Commands that have no page, and why."""

_USER = "/admin/users/{user}"
_TEAM = "/account/teams/{team}"
"""Of any team to an administrator."""
PAGE_OF = {
    "explain": "/admin/explain",
    "credit": "/admin/credit",
    "statement": "/admin/statement",
    "user create": "/admin/users/new",
    "user list": "/admin/users",
    "user disable": "/admin/users",
    "user enable": "/admin/users",
    "user role": "/admin/users",
    "user export": f"{_USER}/export.jsonl",
    "user erase": f"{_USER}/erase",
    "user password": f"{_USER}/password",
    "user letters": f"{_USER}/terms",
    "user log-out": f"{_USER}/logins",
    "user factor-off": f"{_USER}/logins",
    "user invite": "/admin/invitations",
    "user invitations": "/admin/invitations",
    "user withdraw": "/admin/invitations/withdraw",
    "team create": "/admin/teams/new",
    "team list": "/admin/teams",
    "team show": _TEAM,
    "team edit": f"{_TEAM}/settings",
    "team invite": f"{_TEAM}/members",
    "team invitations": f"{_TEAM}/members",
    "team withdraw": f"{_TEAM}/members/withdraw",
    "team member add": f"{_TEAM}/members",
    "team member role": f"{_TEAM}/members/change",
    "team member remove": f"{_TEAM}/members/change",
    "team service create": f"{_TEAM}/services",
    "team budget set": f"{_TEAM}/budgets",
    "team budget clear": f"{_TEAM}/budgets/clear",
    "team budget list": "/admin/budgets",
    "scim token create": "/admin/directories",
    "scim token list": "/admin/directories",
    "scim token revoke": "/admin/directories/{directory}/revoke",
    "key create": f"{_USER}/keys/new",
    "key list": "/admin/keys",
    "key edit": f"{_USER}/keys/{{key}}",
    "key pause": f"{_USER}/keys/pause",
    "key resume": f"{_USER}/keys/resume",
    "key rotate": f"{_USER}/keys/{{key}}/rotate",
    "key revoke": f"{_USER}/keys/revoke",
    "code create": "/admin/codes",
    "code list": "/admin/codes",
    "code revoke": "/admin/codes/{batch}/revoke",
    "code redeem": f"{_USER}/redeem",
    "payment list": "/admin/payments",
    "channel add": "/admin/channels/new",
    "channel list": "/admin/channels",
    "channel test": "/admin/channels",
    "prices show": "/admin/prices",
    "prices compare": "/admin/prices",
    "prices proposals": "/admin/prices",
    "prices adopt": "/admin/prices/adopt",
    "prices take": "/admin/prices/adopt-all",
    "ledger verify": "/admin/ledger/proof",
    "ledger export": "/admin/ledger.csv",
    "ledger overdraft": f"{_USER}/terms",
    "invoice issue": "/admin/invoices",
    "invoice list": "/admin/invoices",
    "invoice print": "/admin/invoices/{invoice}/pdf",
    "invoice void": "/admin/invoices/{invoice}/void",
    "app list": "/admin/applications",
    "app trust": "/admin/applications",
    "app distrust": "/admin/applications",
    "app suspend": "/admin/applications",
    "app resume": "/admin/applications",
    "app transfer": "/admin/applications/transfer",
    "admin token create": "/admin/tokens",
    "admin token list": "/admin/tokens",
    "admin token rotate": "/admin/tokens/{machine}/rotate",
    "admin token revoke": "/admin/tokens/{machine}/revoke",
    "audit list": "/admin/log",
}
"""Command to the page that does the same, or has it done."""


def commands(group, before=()):
    """The whole names of all that can be called."""
    for name, each in group.commands.items():
        whole = (*before, name)
        if hasattr(each, "commands"):
            yield from commands(each, whole)
        else:
            yield " ".join(whole)


def test_every_command_has_its_page_or_its_reason():
    """One that is new is in neither table."""
    there_are = set(commands(typer.main.get_command(app)))
    assert there_are == PAGE_OF.keys() | WITHOUT.keys()
    assert not PAGE_OF.keys() & WITHOUT.keys()


def test_every_page_of_the_table_is_there():
    """By its path."""
    paths = {re.sub(r":\w+\}", "}", route.path) for route in PAGES}
    assert [] == sorted(set(PAGE_OF.values()) - paths)
