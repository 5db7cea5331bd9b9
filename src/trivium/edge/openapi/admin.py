"""Operations and schemas of the admin API, for scripts of administrators.

Its answers are enveloped as those of ``/api/oauth_apps`` are, and its failures are that one's.
"""

from typing import Any, Final

from trivium.edge.openapi.row import described, operations
from trivium.edge.openapi.schema import Schema, media, parameters, ref, schemas

TAG: Final = "admin"
ABOUT: Final = (
    "Users, keys and credit, for administrators. Served where the console is: with "
    "`server.admin_listen` on that port alone."
)

_ADMIN: Final = "adminBearer"

SECURITY: Final[dict[str, Schema]] = {
    _ADMIN: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwdev_…`: a developer token for administration, "
        "of a user who is an administrator now.",
    }
}

SCHEMAS: Final = schemas("""
usd = text "US dollars, with at most nine decimals."
when = int "Unix seconds."
role = 'user' | 'admin'
limit = int 1..1000000000000
limits = closed {
  requests: limit | null "A minute.", tokens: limit | null "A minute, of prompts and answers
    together.",
  concurrency: limit | null "At once."
} | null
rules = {
  models: text[..1000] "Names allowed, a trailing `*` matches a prefix; empty allows all.",
  expires_at: int 0.. | null "Unix seconds. `null`: never.",
  strict: bool "What a translation would leave out is refused.",
  header_only: bool "Refused in an address (`?key=`).", limits: limits "`null`: none.",
  budgets: (closed {
    amount!: usd, period!: 'day' | 'week' | 'month' | 'total' "In UTC; weeks from Monday."
  })[] "At most one a period.",
  networks: text[..100] "Addresses or CIDR; empty: from anywhere."
}
terms = {name: text(minLength 1, maxLength 100), ...rules}
AdminUser = {
  id!: int, name!: text, email!: text, role!: role, disabled!: bool "Their keys are refused.",
  unlimited!: bool "Spends without a balance.", group!: text "Price group; empty for none.",
  limits!: limits "Over all keys together; `null`: none.", balance!: usd, created_at!: when
}
key = {
  id!: int, user_id!: int, name!: text, hint!: text "The last four characters.", ...rules!,
  paused!: bool "Refused until it is resumed.", revoked!: bool "For good.", created_at!: when,
  last_used_at!: when | null
}
AdminKey = key
AdminNewUser = closed {
  name!: text(minLength 1, maxLength 100) "Unique.", email!: text(maxLength 254) "Unique.",
  role: role, unlimited: bool "Spends without a balance.",
  credit: text | null "To begin with; not with `unlimited`. US dollars, with at most nine
    decimals."
}
AdminUserChange = closed {disabled: bool, role: role}
AdminNewKey = closed {...terms}
AdminKeyChange = closed {...terms, paused: bool}
AdminNewCredit = closed {
  amount!: text "US dollars, with at most nine decimals. Below zero takes some back.",
  reason!: text(minLength 1, maxLength 500) "Kept with the entry.",
  idempotency_id!: text(pattern '^[0-9A-Za-z._:-]{8,64}$') "Your own: a call that is repeated
    books once."
}
done = {success!: bool, message!: text "Empty."}
AdminUserAnswer = {...done, data!: AdminUser}
AdminUsersAnswer = {...done, data!: {
  users!: AdminUser[], after!: int | null "Where the next page begins; `null` on the last."
}}
AdminKeyAnswer = {...done, data!: AdminKey}
AdminKeysAnswer = {...done, data!: {keys!: AdminKey[]}}
AdminNewKeyAnswer = {...done, data!: {...key, key!: text "The key itself, shown this once."}}
AdminCreditAnswer = {...done, data!: {
  entry!: {
    id!: int, user_id!: int, kind!: 'top_up' | 'adjustment' "An adjustment takes some back.",
    amount!: usd, reason!: text, created_at!: when
  },
  balance!: usd
}}
""")

PARAMETERS: Final = parameters("""
adminUser = path user: int "Id of a user."
adminKey = path key: int "Id of a key."
adminSearch = query q: text(maxLength 254) "In names and addresses."
adminLimit = query limit: int 1..200 "50 when left out."
adminAfter = query after: int 0.. "`after` of the page before."
""")

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


_OPERATIONS: Final = operations("""
admin
GET /api/admin/users adminListUsers "Users in the order they were made." answer=AdminUsersAnswer
  parameters=adminSearch|adminLimit|adminAfter
POST /api/admin/users adminCreateUser "Makes a user." answer=AdminUserAnswer request=AdminNewUser
GET /api/admin/users/{user} adminShowUser "A user with their balance." answer=AdminUserAnswer
  parameters=adminUser
PATCH /api/admin/users/{user} adminChangeUser "Disables or enables a user, gives them a role."
  answer=AdminUserAnswer request=AdminUserChange parameters=adminUser
GET /api/admin/users/{user}/keys adminListKeys "A user's own keys, revoked ones too."
  answer=AdminKeysAnswer parameters=adminUser
POST /api/admin/users/{user}/keys adminCreateKey "Makes a key and shows it this once."
  answer=AdminNewKeyAnswer request=AdminNewKey parameters=adminUser
POST /api/admin/users/{user}/credit adminBookCredit "Books money onto a balance, once for each
  `idempotency_id`." answer=AdminCreditAnswer request=AdminNewCredit parameters=adminUser
GET /api/admin/keys/{key} adminShowKey "A key." answer=AdminKeyAnswer parameters=adminKey
PATCH /api/admin/keys/{key} adminChangeKey "Other terms for a key, a pause or its end."
  answer=AdminKeyAnswer request=AdminKeyChange parameters=adminKey
DELETE /api/admin/keys/{key} adminRevokeKey "Revokes a key for good." answer=AdminKeyAnswer
  parameters=adminKey
""")


def paths() -> dict[str, dict[str, Any]]:
    """Every operation by path."""
    out: dict[str, dict[str, Any]] = {}
    failure = media(ref("OAuthAppFailure"))
    failures = {each: {"description": why, "content": failure} for each, why in _FAILURES.items()}
    for row in _OPERATIONS:
        answer = {"description": "The answer.", "content": media(ref(*row.answer))}
        responses = {"200": answer, **failures}
        out.setdefault(row.path, {})[row.method.lower()] = described(row, responses)
    return out
