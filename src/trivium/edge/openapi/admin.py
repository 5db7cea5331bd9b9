"""Operations and schemas of the admin API, for scripts of administrators.

Its answers are enveloped as those of ``/api/oauth_apps`` are, and its failures are that one's.
"""

from typing import Any, Final

from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    integer,
    nullable,
    one_of,
    record,
    ref,
    text,
)

TAG: Final = "admin"
ABOUT: Final = (
    "Users, keys and credit, for administrators. Served where the console is: with "
    "`server.admin_listen` on that port alone."
)

_ADMIN: Final = "adminBearer"
_LIMIT_MAX: Final = 1_000_000_000_000

SECURITY: Final[dict[str, Schema]] = {
    _ADMIN: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwdev_…`: a developer token for administration, "
        "of a user who is an administrator now.",
    },
}

_USD: Final = "US dollars, with at most nine decimals."
_WHEN: Final = "Unix seconds."


def _limits(about: str) -> Schema:
    count = {
        name: nullable(integer(said, low=1, high=_LIMIT_MAX))
        for name, said in {
            "requests": "A minute.",
            "tokens": "A minute, of prompts and answers together.",
            "concurrency": "At once.",
        }.items()
    }
    return nullable(record(count, about=about, additionalProperties=False))


def _terms() -> dict[str, Schema]:
    budget = record(
        {
            "amount": text(_USD),
            "period": one_of("day", "week", "month", "total", about="In UTC; weeks from Monday."),
        },
        ("amount", "period"),
        additionalProperties=False,
    )
    return {
        "name": text(minLength=1, maxLength=100),
        "models": array(
            text(), "Names allowed, a trailing `*` matches a prefix; empty allows all.", high=1000
        ),
        "expires_at": nullable(integer(f"{_WHEN} `null`: never.", low=0)),
        "strict": boolean("What a translation would leave out is refused."),
        "header_only": boolean("Refused in an address (`?key=`)."),
        "limits": _limits("`null`: none."),
        "budgets": array(budget, "At most one a period."),
        "networks": array(text(), "Addresses or CIDR; empty: from anywhere.", high=100),
    }


def _body(properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    return record(properties, required, additionalProperties=False)


def _all(properties: dict[str, Schema]) -> Schema:
    return record(properties, tuple(properties))


def _data(schema: Schema) -> Schema:
    return _all({"success": boolean(), "message": text("Empty."), "data": schema})


_ROLE: Final = one_of("user", "admin")
_USER: Final[dict[str, Schema]] = {
    "id": integer(),
    "name": text(),
    "email": text(),
    "role": _ROLE,
    "disabled": boolean("Their keys are refused."),
    "unlimited": boolean("Spends without a balance."),
    "group": text("Price group; empty for none."),
    "limits": _limits("Over all keys together; `null`: none."),
    "balance": text(_USD),
    "created_at": integer(_WHEN),
}
_KEY: Final[dict[str, Schema]] = {
    "id": integer(),
    "user_id": integer(),
    "name": text(),
    "hint": text("The last four characters."),
    **{name: schema for name, schema in _terms().items() if name != "name"},
    "paused": boolean("Refused until it is resumed."),
    "revoked": boolean("For good."),
    "created_at": integer(_WHEN),
    "last_used_at": nullable(integer(_WHEN)),
}
_ENTRY: Final[dict[str, Schema]] = {
    "id": integer(),
    "user_id": integer(),
    "kind": one_of("top_up", "adjustment", about="An adjustment takes some back."),
    "amount": text(_USD),
    "reason": text(),
    "created_at": integer(_WHEN),
}

SCHEMAS: Final[dict[str, Schema]] = {
    "AdminUser": _all(_USER),
    "AdminKey": _all(_KEY),
    "AdminNewUser": _body(
        {
            "name": text("Unique.", minLength=1, maxLength=100),
            "email": text("Unique.", maxLength=254),
            "role": _ROLE,
            "unlimited": boolean("Spends without a balance."),
            "credit": nullable(text(f"To begin with; not with `unlimited`. {_USD}")),
        },
        ("name", "email"),
    ),
    "AdminUserChange": _body({"disabled": boolean(), "role": _ROLE}),
    "AdminNewKey": _body(_terms()),
    "AdminKeyChange": _body({**_terms(), "paused": boolean()}),
    "AdminNewCredit": _body(
        {
            "amount": text(f"{_USD} Below zero takes some back."),
            "reason": text("Kept with the entry.", minLength=1, maxLength=500),
            "idempotency_id": text(
                "Your own: a call that is repeated books once.",
                pattern="^[0-9A-Za-z._:-]{8,64}$",
            ),
        },
        ("amount", "reason", "idempotency_id"),
    ),
    "AdminUserAnswer": _data(ref("AdminUser")),
    "AdminUsersAnswer": _data(
        _all(
            {
                "users": array(ref("AdminUser")),
                "after": nullable(integer("Where the next page begins; `null` on the last.")),
            }
        )
    ),
    "AdminKeyAnswer": _data(ref("AdminKey")),
    "AdminKeysAnswer": _data(_all({"keys": array(ref("AdminKey"))})),
    "AdminNewKeyAnswer": _data(_all({**_KEY, "key": text("The key itself, shown this once.")})),
    "AdminCreditAnswer": _data(_all({"entry": _all(_ENTRY), "balance": text(_USD)})),
}

_LISTS: Final = ("adminSearch", "adminLimit", "adminAfter")


def _parameter(name: str, where: str, schema: Schema, about: str) -> Schema:
    out: Schema = {"name": name, "in": where, "schema": schema, "description": about}
    return {**out, "required": True} if where == "path" else out


PARAMETERS: Final[dict[str, Schema]] = {
    "adminUser": _parameter("user", "path", integer(), "Id of a user."),
    "adminKey": _parameter("key", "path", integer(), "Id of a key."),
    "adminSearch": _parameter("q", "query", text(maxLength=254), "In names and addresses."),
    "adminLimit": _parameter("limit", "query", integer(low=1, high=200), "50 when left out."),
    "adminAfter": _parameter("after", "query", integer(low=0), "`after` of the page before."),
}

_FAILURES: Final = {
    "400": "Something is missing, unknown or wrong; the message names it.",
    "401": "The token is missing or not valid.",
    "403": "The token is not for administration, or its owner is no administrator or disabled.",
    "404": "There is no such user or key.",
    "409": "It is taken, revoked, booked otherwise, or it is you.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "429": "Too many tokens that are not valid; `Retry-After` says how long to wait.",
    "5XX": "The database cannot be reached, or something went wrong on our side.",
}


def _content(name: str) -> Schema:
    return {"application/json": {"schema": ref(name)}}


def _operation(
    name: str, about: str, answer: str, takes: str = "", parameters: tuple[str, ...] = ()
) -> Schema:
    out: Schema = {
        "operationId": name,
        "tags": [TAG],
        "summary": about,
        "responses": {
            "200": {"description": "The answer.", "content": _content(answer)},
            **{
                status: {"description": said, "content": _content("OAuthAppFailure")}
                for status, said in _FAILURES.items()
            },
        },
        "security": [{_ADMIN: []}],
    }
    if parameters:
        out["parameters"] = [{"$ref": f"#/components/parameters/{each}"} for each in parameters]
    return {**out, "requestBody": {"required": True, "content": _content(takes)}} if takes else out


def paths() -> dict[str, dict[str, Any]]:
    """Every operation by path."""
    user, key = ("adminUser",), ("adminKey",)
    return {
        "/api/admin/users": {
            "get": _operation(
                "adminListUsers", "Users in the order they were made.", "AdminUsersAnswer",
                parameters=_LISTS,
            ),
            "post": _operation(
                "adminCreateUser", "Makes a user.", "AdminUserAnswer", "AdminNewUser"
            ),
        },
        "/api/admin/users/{user}": {
            "get": _operation(
                "adminShowUser", "A user with their balance.", "AdminUserAnswer", parameters=user
            ),
            "patch": _operation(
                "adminChangeUser", "Disables or enables a user, gives them a role.",
                "AdminUserAnswer", "AdminUserChange", user,
            ),
        },
        "/api/admin/users/{user}/keys": {
            "get": _operation(
                "adminListKeys", "A user's own keys, revoked ones too.", "AdminKeysAnswer",
                parameters=user,
            ),
            "post": _operation(
                "adminCreateKey", "Makes a key and shows it this once.", "AdminNewKeyAnswer",
                "AdminNewKey", user,
            ),
        },
        "/api/admin/users/{user}/credit": {
            "post": _operation(
                "adminBookCredit", "Books money onto a balance, once for each `idempotency_id`.",
                "AdminCreditAnswer", "AdminNewCredit", user,
            ),
        },
        "/api/admin/keys/{key}": {
            "get": _operation("adminShowKey", "A key.", "AdminKeyAnswer", parameters=key),
            "patch": _operation(
                "adminChangeKey", "Other terms for a key, a pause or its end.", "AdminKeyAnswer",
                "AdminKeyChange", key,
            ),
            "delete": _operation(
                "adminRevokeKey", "Revokes a key for good.", "AdminKeyAnswer", parameters=key
            ),
        },
    }  # fmt: skip
