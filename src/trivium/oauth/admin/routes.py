"""The scope that each route of the admin API needs: one table. Pure."""

from collections.abc import Mapping
from typing import Final

from trivium.settings.workloads import AdminScope

_READ: Final = AdminScope.READ
_MONEY: Final = AdminScope.MONEY
_USERS: Final = AdminScope.USERS
_CATALOGUE: Final = AdminScope.CATALOGUE
_ENTRY: Final = {"GET": _READ, "PUT": _CATALOGUE, "DELETE": _CATALOGUE}

_TABLE: Final[Mapping[str, Mapping[str, AdminScope | None]]] = {
    "/api/admin/users": {"GET": _READ, "POST": _USERS},
    "/api/admin/users/{user}": {"GET": _READ, "PATCH": _USERS},
    "/api/admin/users/{user}/keys": {"GET": _READ, "POST": _USERS},
    "/api/admin/users/{user}/credit": {"POST": _MONEY},
    # everything that is known of a person, also what they said: looking at lists does not give that
    "/api/admin/users/{user}/export": {"GET": _USERS},
    "/api/admin/users/{user}/erase": {"POST": _USERS},
    "/api/admin/users/{user}/password": {"PUT": _USERS},
    "/api/admin/users/{user}/second-factor": {"GET": _READ, "DELETE": _USERS},
    "/api/admin/users/{user}/sessions": {"GET": _READ, "DELETE": _USERS},
    "/api/admin/users/{user}/entries": {"GET": _READ},
    "/api/admin/users/{user}/entries/{entry}": {"GET": _READ},
    "/api/admin/users/{user}/entries/{entry}/undo": {"POST": _MONEY},
    "/api/admin/users/{user}/overdraft": {"GET": _READ, "PUT": _MONEY},
    "/api/admin/users/{user}/redeem": {"POST": _MONEY},
    "/api/admin/codes/batches": {"GET": _READ, "POST": _MONEY},
    "/api/admin/codes/batches/{batch}": {"GET": _READ, "DELETE": _MONEY},
    "/api/admin/codes/batches/{batch}/codes": {"GET": _READ},
    "/api/admin/codes/revoke": {"POST": _MONEY},
    "/api/admin/codes/{code}": {"GET": _READ, "DELETE": _MONEY},
    "/api/admin/payments": {"GET": _READ},
    "/api/admin/payments/{payment}": {"GET": _READ},
    "/api/admin/invitations": {"GET": _READ, "POST": _USERS},
    "/api/admin/invitations/{invitation}": {"DELETE": _USERS},
    "/api/admin/announcements": {"GET": _READ, "POST": _USERS},
    "/api/admin/announcements/{announcement}": {"DELETE": _USERS},
    "/api/admin/apps": {"GET": _READ},
    "/api/admin/apps/{app}": {"GET": _READ, "PATCH": _USERS},
    "/api/admin/acts": {"GET": _READ},
    "/api/admin/keys": {"GET": _READ},
    "/api/admin/keys/{key}": {"GET": _READ, "PATCH": _USERS, "DELETE": _USERS},
    "/api/admin/keys/{key}/rotate": {"POST": _USERS},
    "/api/admin/teams": {"GET": _READ, "POST": _USERS},
    "/api/admin/teams/{team}": {"GET": _READ, "PATCH": _USERS},
    "/api/admin/teams/{team}/members": {"GET": _READ, "POST": _USERS},
    "/api/admin/teams/{team}/members/{user}": {"PATCH": _USERS, "DELETE": _USERS},
    "/api/admin/teams/{team}/services": {"GET": _READ, "POST": _USERS},
    "/api/admin/teams/{team}/keys": {"GET": _READ, "POST": _USERS},
    "/api/admin/teams/{team}/keys/{key}": {"DELETE": _USERS},
    "/api/admin/teams/{team}/keys/{key}/rotate": {"POST": _USERS},
    "/api/admin/teams/{team}/invitations": {"GET": _READ, "POST": _USERS},
    "/api/admin/teams/{team}/invitations/{invitation}": {"DELETE": _USERS},
    "/api/admin/teams/{team}/scim-tokens": {"GET": _READ, "POST": _USERS},
    "/api/admin/teams/{team}/scim-tokens/{token}": {"DELETE": _USERS},
    "/api/admin/teams/{team}/budgets": {"GET": _READ},
    "/api/admin/teams/{team}/budgets/{period}": {"PUT": _MONEY, "DELETE": _MONEY},
    "/api/admin/budgets": {"GET": _READ},
    "/api/admin/budgets/{period}": {"PUT": _MONEY, "DELETE": _MONEY},
    "/api/admin/health": {"GET": _READ},
    "/api/admin/health/channels": {"GET": _READ},
    # it costs tokens at the vendor
    "/api/admin/health/channels/{name}/test": {"POST": _CATALOGUE},
    "/api/admin/health/identities": {"GET": _READ},
    "/api/admin/settings": {"GET": _READ},
    "/api/admin/requests": {"GET": _READ},
    "/api/admin/requests/{request}": {"GET": _READ},
    "/api/admin/videos": {"GET": _READ},
    "/api/admin/videos/{video}": {"GET": _READ},
    "/api/admin/statement": {"GET": _READ},
    "/api/admin/catalogue": {"GET": _READ},
    "/api/admin/catalogue/apply": {"POST": _CATALOGUE},
    "/api/admin/catalogue/changes": {"GET": _READ},
    "/api/admin/catalogue/changes/{change}/undo": {"POST": _CATALOGUE},
    "/api/admin/catalogue/prices": {"GET": _READ},
    "/api/admin/catalogue/prices/adopt": {"POST": _CATALOGUE},
    "/api/admin/catalogue/prices/look": {"POST": _CATALOGUE},
    "/api/admin/catalogue/prices/proposals": {"GET": _READ},
    "/api/admin/catalogue/prices/proposals/adopt": {"POST": _CATALOGUE},
    "/api/admin/catalogue/prices/proposals/dismiss": {"POST": _CATALOGUE},
    "/api/admin/catalogue/routing": _ENTRY,
    "/api/admin/catalogue/channels/{name}": _ENTRY,
    "/api/admin/catalogue/models/{name}": _ENTRY,
    "/api/admin/catalogue/groups/{name}": _ENTRY,
    "/api/admin/invoices": {"GET": _READ, "POST": _MONEY},
    "/api/admin/invoices/{invoice}": {"GET": _READ},
    "/api/admin/invoices/{invoice}/pdf": {"GET": _READ},
    "/api/admin/invoices/{invoice}/void": {"POST": _MONEY},
    "/api/admin/tokens": {"GET": _READ, "POST": _USERS},
    # any token: itself, and those that it made
    "/api/admin/tokens/{token}": {"DELETE": None},
    "/api/admin/tokens/{token}/rotate": {"POST": None},
}

SCOPES: Final[Mapping[tuple[str, str], AdminScope | None]] = {
    (method, path): scope for path, methods in _TABLE.items() for method, scope in methods.items()
}
"""By method and path; ``None``: any scope does. A route that is not here is open to administrators'
own tokens alone, and fails ``tests/console/api/admin/test_scopes.py``."""


def is_known(method: str, path: str) -> bool:
    """Whether the table has the route."""
    return (method, path) in SCOPES


def needed(method: str, path: str) -> AdminScope | None:
    """The scope that a route needs; ``None``: any does. Raises KeyError for an unknown route."""
    return SCOPES[method, path]
