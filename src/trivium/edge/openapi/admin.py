"""Operations and schemas of the admin API, for scripts of administrators.

Its answers are enveloped as those of ``/api/oauth_apps`` are, and its failures are that one's.
"""

from typing import Any, Final

from trivium.edge.openapi import (
    admin_catalogue,
    admin_money,
    admin_operation,
    admin_people,
    admin_prices,
    admin_spending,
)
from trivium.edge.openapi.row import OperationRow, described, operations
from trivium.edge.openapi.schema import Schema, media, parameters, ref, schemas
from trivium.oauth.admin.routes import is_known, needed

TAG: Final = "admin"
ABOUT: Final = (
    "Users, keys and credit, for administrators; teams, for their members as "
    "well. Served where the console is: with `server.admin_listen` on that port alone."
)

_ADMIN: Final = "adminBearer"
_MACHINE: Final = "adminMachine"
_WORKLOAD: Final = "adminWorkload"

SECURITY: Final[dict[str, Schema]] = {
    _ADMIN: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwdev_…`: a developer token for administration, "
        "of a user who is an administrator now; below `/api/admin/teams` also one for teams.",
    },
    _MACHINE: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwadm_…`: a token for machines with the scope that "
        "the operation names; 403 says which one is missing.",
    },
    _WORKLOAD: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token that a workload's own issuer signed, such as that of a CI, where "
        "the settings have it under `[[workloads]]`. Its scopes are as there.",
    },
}

_PARTS: Final = (
    admin_catalogue,
    admin_money,
    admin_people,
    admin_operation,
    admin_prices,
    admin_spending,
)
"""What has a module of its own."""

_OWN: Final = schemas("""
usd = text "US dollars, with at most nine decimals."
when = int "Unix seconds."
role = 'user' | 'admin'
limit = int 1..1000000000000
limits = closed {
  requests: limit | null "A minute.", tokens: limit | null "A minute, of prompts and answers
    together.",
  concurrency: limit | null "At once."
} | null
period = 'day' | 'week' | 'month' | 'total' | '5h' | '7d'
rules = {
  models: text[..1000] "Names allowed, a trailing `*` matches a prefix; empty allows all.",
  expires_at: int 0.. | null "Unix seconds. `null`: never.",
  strict: bool "What a translation would leave out is refused.",
  header_only: bool "Refused in an address (`?key=`).", limits: limits "`null`: none.",
  budgets: (closed {amount!: usd, period!: period "In UTC; weeks from Monday."})[]
    "At most one a period.",
  networks: text[..100] "Addresses or CIDR; empty: from anywhere.",
  end_user_requests: limit | null "A minute, for each end user whom requests are for.",
  end_user_budgets: (closed {amount!: usd, period!: period})[] "What each of them may cost: not in
    all."
}
terms = {name: text(minLength 1, maxLength 100), ...rules}
AdminUser = {
  id!: int, name!: text, email!: text, role!: role, disabled!: bool "Their keys are refused.",
  unlimited!: bool "Spends without a balance.", group!: text "Price group; empty for none.",
  limits!: limits "Over all keys together; `null`: none.", balance!: usd,
  budget_letters!: bool "Whether letters about budgets of their keys and teams come.",
  created_at!: when
}
key = {
  id!: int, user_id!: int, team_id!: int | null "Which it spends for.",
  name!: text, hint!: text "The last four characters.", ...rules!,
  paused!: bool "Refused until it is resumed.", revoked!: bool "For good.", created_at!: when,
  last_used_at!: when | null,
  former_until!: int | null "Until when the secret before the last rotation works."
}
AdminKey = key
AdminNewUser = closed {
  name!: text(minLength 1, maxLength 100) "Unique.", email!: text(maxLength 254) "Unique.",
  role: role, unlimited: bool "Spends without a balance.",
  credit: text | null "To begin with; not with `unlimited`. US dollars, with at most nine
    decimals.",
  group: text "Price group of the settings; empty for none.",
  limits: limits "Over all keys together."
}
AdminUserChange = closed {disabled: bool, role: role, budget_letters: bool}
AdminNewKey = closed {...terms}
AdminKeyChange = closed {...terms, paused: bool}
AdminRotation = closed {overlap_s: int 0..2592000 "For how long both secrets work; 86400 when
  left out."}
teamRole = 'owner' | 'manager' | 'member' | 'billing'
AdminTeam = {
  id!: int, name!: text "With those of the teams above: `acme/research`.", title!: text,
  parent_id!: int | null "`null`: an organisation.", payer_id!: int "Whose wallet pays.",
  has_wallet!: bool, unlimited!: bool, models!: text[] "Empty: whatever the team above allows.",
  group!: text "Price group; empty: that of the team above.", limits!: limits, claim!: text | null,
  disabled!: bool "Its keys and those of all teams below are refused.", created_at!: when
}
AdminNewTeam = closed {
  title!: text(minLength 1, maxLength 100), parent_id: int | null "Left out: an organisation.",
  owner_id: int | null, has_wallet: bool
}
AdminTeamChange = closed {
  models: text[..1000], limits: limits, has_wallet: bool, disabled: bool, unlimited: bool,
  group: text, claim: text | null
}
AdminMember = {
  user_id!: int, name!: text, email!: text, role!: teamRole, source!: 'manual' | 'sso' | 'scim',
  created_at!: when
}
AdminNewMember = closed {user!: text "A name or an e-mail address.", role: teamRole}
AdminMemberChange = closed {role!: teamRole}
AdminService = {
  user_id!: int, name!: text, team_id!: int, disabled!: bool, created_at!: when
}
AdminNewService = closed {title!: text(minLength 1, maxLength 100)}
AdminTeamInvitation = {
  id!: int, email!: text, role!: teamRole, created_at!: when, expires_at!: when
}
AdminNewTeamInvitation = closed {
  email!: text(maxLength 254) "Whom the letter goes to.", role: teamRole,
  language: text "Of the letter; en when left out."
}
scimToken = {
  id!: int, team_id!: int, name!: text, hint!: text "The last four characters.",
  domains!: text[] "Of addresses that are the organisation's own.", created_at!: when,
  expires_at!: when, last_used_at!: when | null
}
AdminScimToken = scimToken
AdminNewScimToken = closed {
  name: text, domains: text[..100], days: int 1..1098 "365 when left out."
}
AdminNewTeamKey = closed {...terms, user_id: int | null "A service account; left out: yourself."}
teamBudget = {
  of!: text, amount!: usd, period!: period, zone!: text, soft!: bool "Refuses nobody.",
  instead!: text "The model that answers once it is spent; empty: requests are refused.",
  resets_at!: int | null "Unix seconds; `null`: it has no end of its own."
}
AdminTeamBudget = teamBudget
AdminNewTeamBudget = closed {
  amount!: text "US dollars.", zone: text "Where days begin, such as Europe/Berlin.", soft: bool,
  instead: text, user_id: int | null "A member or a service account; left out: the team.",
  tag: text(maxLength 64) | null "Requests with this tag, in the team and those below."
}
AdminNewCredit = closed {
  amount!: text "US dollars, with at most nine decimals. Below zero takes some back.",
  reason!: text(minLength 1, maxLength 500) "Kept with the entry.",
  idempotency_id!: text(pattern '^[0-9A-Za-z._:-]{8,64}$') "Your own: a call that is repeated
    books once."
}
scope = 'read' | 'catalogue' | 'money' | 'users'
token = {
  id!: int, name!: text, hint!: text "The last four characters.", scopes!: scope[],
  state!: 'live' | 'revoked' | 'expired', user_id!: int | null "The administrator it ends with.",
  parent_id!: int | null "The token that made it, and ends it.", created_at!: when,
  expires_at!: when, last_used_at!: when | null "To the minute.", revoked_at!: when | null,
  former_until!: when | null "Until when the secret before the last rotation works."
}
AdminToken = token
AdminNewToken = closed {
  name!: text(minLength 1, maxLength 64), scopes!: scope[] "At least one.",
  days: int 1..366 | null "How long it lives; 90 when left out."
}
AdminTokenRotation = closed {
  overlap_s: int 0..2592000 "For how long both secrets work; 86400 when left out.",
  days: int 1..366 | null "How long it lives from now on; left out: as long as before."
}
done = {success!: bool, message!: text "Empty."}
AdminUserAnswer = {...done, data!: AdminUser}
AdminUsersAnswer = {...done, data!: {
  users!: AdminUser[], after!: int | null "Where the next page begins; `null` on the last."
}}
AdminErasedName = closed {name!: text "What the user is called, so that a wrong id erases nobody."}
AdminExportAnswer = {...done, data!: {
  rows!: object[] "Each with the name of its `table`, and its columns.",
  after!: text | null "Where the next page begins; `null` on the last."
}}
AdminErasedAnswer = {...done, data!: {
  id!: int, name!: text "What the account is called from now on.",
  rows!: {*: int} "How many were changed or deleted, by table."
}}
AdminKeyAnswer = {...done, data!: AdminKey}
AdminKeysPageAnswer = {...done, data!: {
  keys!: AdminKey[], after!: int | null "Leads to the next page; `null` on the last."
}}
AdminNewKeyAnswer = {...done, data!: {...key, key!: text "The key itself, shown this once."}}
AdminTeamAnswer = {...done, data!: AdminTeam}
AdminTeamsAnswer = {...done, data!: {
  teams!: AdminTeam[],
  after!: text | null "A name, which leads to the next page; `null` on the last."
}}
AdminMemberAnswer = {...done, data!: AdminMember}
AdminMembersAnswer = {...done, data!: {
  members!: AdminMember[], after!: int | null "Leads to the next page; `null` on the last."
}}
AdminServiceAnswer = {...done, data!: AdminService}
AdminServicesAnswer = {...done, data!: {
  services!: AdminService[], after!: int | null "Leads to the next page; `null` on the last."
}}
AdminTeamBudgetAnswer = {...done, data!: AdminTeamBudget}
AdminTeamBudgetsAnswer = {...done, data!: {
  budgets!: {...teamBudget, spent!: usd "As far as it is booked."}[]
}}
AdminTeamInvitationAnswer = {...done, data!: AdminTeamInvitation}
AdminTeamInvitationsAnswer = {...done, data!: {invitations!: AdminTeamInvitation[]}}
AdminScimTokenAnswer = {...done, data!: AdminScimToken}
AdminScimTokensAnswer = {...done, data!: {tokens!: AdminScimToken[]}}
AdminNewScimTokenAnswer = {...done, data!: {...scimToken, token!: text "Shown this once."}}
spent = {amount!: usd, requests!: int, input_tokens!: int, output_tokens!: int}
AdminStatementAnswer = {...done, data!: {
  from!: text "The first day, in UTC.", to!: text "The last.", by!: text[],
  rows!: {...spent}[] "The most expensive first; each has the values that it is by, of users, teams
    and keys also the ids.",
  total!: spent "Each request once, also where rows count some under several tags.",
  complete!: bool "Whether there are no more rows."
}}
AdminNothingAnswer = {...done, data!: null}
AdminTokenAnswer = {...done, data!: AdminToken}
AdminTokensAnswer = {...done, data!: {
  tokens!: AdminToken[], before!: int | null "Leads to the next page; `null` on the last."
}}
AdminNewTokenAnswer = {...done, data!: {
  ...token, token!: text "The token itself, shown this once."
}}
AdminCreditAnswer = {...done, data!: {
  entry!: {
    id!: int, user_id!: int, kind!: 'top_up' | 'adjustment' "An adjustment takes some back.",
    amount!: usd, reason!: text, created_at!: when
  },
  balance!: usd
}}
""")

SCHEMAS: Final[dict[str, Schema]] = _OWN | {
    name: it for part in _PARTS for name, it in part.SCHEMAS.items() if name[0].isupper()
}

_PARAMETERS: Final = parameters("""
adminUser = path user: int "Id of a user."
adminKey = path key: int "Id of a key."
adminToken = path token: int "Id of a token for machines."
adminTeam = path team: int "Id of a team."
adminInvitation = path invitation: int "Id of an invitation."
adminScimToken = path token: int "Id of a directory's token."
adminPeriod = path period: text "day, week, month, total, 5h or 7d."
adminBudgetTag = query tag: text(maxLength 64) "The budget of this tag."
adminBudgetOf = query user_id: int "A member or a service account; left out: the team."
adminBy = query by: text "day, payer, team, user, key, model, channel, end_user, session, tag or
  tags, with commas between; up to four. `team,model` when left out."
adminFrom = query from: text "The first day, in UTC; that of the month when left out."
adminTo = query to: text "The last day; today when left out."
adminOfTeam = query team: int "Only of this team and those below."
adminOfUser = query user: int "Only what this user asked for."
adminRows = query limit: int 1..10000 "1000 when left out."
adminByTeam = query team: int "Id of a team."
adminSearch = query q: text(maxLength 254) "In names and addresses."
adminLimit = query limit: int 1..200 "50 when left out."
adminAfter = query after: int 0.. "`after` of the page before."
adminTeamAfter = query after: text(maxLength 1000) "`after` of the page before."
adminParent = query parent: int "Only teams right below this one."
adminRevoked = query revoked: bool "Only keys that are revoked, or only others."
adminExportAfter = query after: text "`after` of the page before."
adminExportLimit = query limit: int 1..1000 "500 when left out."
""")

PARAMETERS: Final[dict[str, Schema]] = _PARAMETERS | {
    name: it for part in _PARTS for name, it in part.PARAMETERS.items()
}

_FAILURES: Final = {
    "400": "Something is missing, unknown or wrong; the message names it.",
    "401": "The token is missing or not valid.",
    "403": "The token is not for this or lacks its scope, its "
    "owner is disabled, or their role does not allow it.",
    "404": "There is no such user, key, token or team, or none that you may see.",
    "409": "It is taken, revoked, booked otherwise, or it is you.",
    "412": "It was changed since it was read; the message says by whom and when.",
    "428": "It would change what is there: `If-Match` or `revision` says what was read.",
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
GET /api/admin/users/{user}/export adminExportUser "All that names a person, a page at a time."
  answer=AdminExportAnswer parameters=adminUser|adminExportAfter|adminExportLimit
POST /api/admin/users/{user}/erase adminEraseUser "Erases what names a person, for good."
  answer=AdminErasedAnswer request=AdminErasedName parameters=adminUser
GET /api/admin/users/{user}/keys adminListKeys "A user's own keys in the order they were
  made." answer=AdminKeysPageAnswer
  parameters=adminUser|adminByTeam|adminRevoked|adminLimit|adminAfter
POST /api/admin/users/{user}/keys adminCreateKey "Makes a key and shows it this once."
  answer=AdminNewKeyAnswer request=AdminNewKey parameters=adminUser
POST /api/admin/users/{user}/credit adminBookCredit "Books money onto a balance, once for each
  `idempotency_id`." answer=AdminCreditAnswer request=AdminNewCredit parameters=adminUser
GET /api/admin/keys/{key} adminShowKey "A key." answer=AdminKeyAnswer parameters=adminKey
PATCH /api/admin/keys/{key} adminChangeKey "Other terms for a key, a pause or its end."
  answer=AdminKeyAnswer request=AdminKeyChange parameters=adminKey
DELETE /api/admin/keys/{key} adminRevokeKey "Revokes a key for good." answer=AdminKeyAnswer
  parameters=adminKey
POST /api/admin/keys/{key}/rotate adminRotateKey "Gives a key another secret, shown this once."
  answer=AdminNewKeyAnswer request=AdminRotation parameters=adminKey
GET /api/admin/teams adminListTeams "Teams that you may see, by name." answer=AdminTeamsAnswer
  parameters=adminSearch|adminParent|adminLimit|adminTeamAfter
POST /api/admin/teams adminCreateTeam "Makes a team or an organisation." answer=AdminTeamAnswer
  request=AdminNewTeam
GET /api/admin/teams/{team} adminShowTeam "A team." answer=AdminTeamAnswer parameters=adminTeam
PATCH /api/admin/teams/{team} adminChangeTeam "Changes a team." answer=AdminTeamAnswer
  request=AdminTeamChange parameters=adminTeam
GET /api/admin/teams/{team}/members adminListMembers "Who is in a team, in the order of their
  accounts." answer=AdminMembersAnswer parameters=adminTeam|adminSearch|adminLimit|adminAfter
POST /api/admin/teams/{team}/members adminAddMember "Makes somebody a member."
  answer=AdminMemberAnswer request=AdminNewMember parameters=adminTeam
PATCH /api/admin/teams/{team}/members/{user} adminChangeMember "Gives a member another role."
  answer=AdminMemberAnswer request=AdminMemberChange parameters=adminTeam|adminUser
DELETE /api/admin/teams/{team}/members/{user} adminRemoveMember "Ends a membership, and its keys."
  answer=AdminMemberAnswer parameters=adminTeam|adminUser
GET /api/admin/teams/{team}/services adminListServices "A team's service accounts, in the order they
  were made." answer=AdminServicesAnswer parameters=adminTeam|adminSearch|adminLimit|adminAfter
POST /api/admin/teams/{team}/services adminCreateService "Makes a service account."
  answer=AdminServiceAnswer request=AdminNewService parameters=adminTeam
GET /api/admin/teams/{team}/keys adminListTeamKeys "Keys that spend for a team: all for who
  manages them, else your own." answer=AdminKeysPageAnswer
  parameters=adminTeam|adminByUser|adminRevoked|adminLimit|adminAfter
POST /api/admin/teams/{team}/keys adminCreateTeamKey "Makes such a key and shows it this once."
  answer=AdminNewKeyAnswer request=AdminNewTeamKey parameters=adminTeam
DELETE /api/admin/teams/{team}/keys/{key} adminRevokeTeamKey "Revokes such a key for good."
  answer=AdminKeyAnswer parameters=adminTeam|adminKey
POST /api/admin/teams/{team}/keys/{key}/rotate adminRotateTeamKey "Gives such a key another secret."
  answer=AdminNewKeyAnswer request=AdminRotation parameters=adminTeam|adminKey
GET /api/admin/teams/{team}/invitations adminListInvitations "Those that can still be used."
  answer=AdminTeamInvitationsAnswer parameters=adminTeam
POST /api/admin/teams/{team}/invitations adminInvite "Has a letter sent with a link to join."
  answer=AdminTeamInvitationAnswer request=AdminNewTeamInvitation parameters=adminTeam
DELETE /api/admin/teams/{team}/invitations/{invitation} adminWithdrawInvitation "Voids a link."
  answer=AdminNothingAnswer parameters=adminTeam|adminInvitation
GET /api/admin/teams/{team}/scim-tokens adminListScimTokens "Tokens of a team's directory."
  answer=AdminScimTokensAnswer parameters=adminTeam
POST /api/admin/teams/{team}/scim-tokens adminCreateScimToken "Makes one and shows it this once."
  answer=AdminNewScimTokenAnswer request=AdminNewScimToken parameters=adminTeam
DELETE /api/admin/teams/{team}/scim-tokens/{token} adminRevokeScimToken "Revokes one for good."
  answer=AdminScimTokenAnswer parameters=adminTeam|adminScimToken
GET /api/admin/teams/{team}/budgets adminListTeamBudgets "Budgets, with what is spent."
  answer=AdminTeamBudgetsAnswer parameters=adminTeam
PUT /api/admin/teams/{team}/budgets/{period} adminSetTeamBudget "Sets a budget."
  answer=AdminTeamBudgetAnswer request=AdminNewTeamBudget parameters=adminTeam|adminPeriod
DELETE /api/admin/teams/{team}/budgets/{period} adminClearTeamBudget "Ends a budget."
  answer=AdminNothingAnswer parameters=adminTeam|adminPeriod|adminBudgetOf|adminBudgetTag
GET /api/admin/tokens adminListTokens "Tokens for machines, newest first."
  answer=AdminTokensAnswer parameters=adminLimit|adminBefore
POST /api/admin/tokens adminCreateToken "Makes a token for machines and shows it this once."
  answer=AdminNewTokenAnswer request=AdminNewToken
POST /api/admin/tokens/{token}/rotate adminRotateToken "Gives a token another secret, shown this
  once." answer=AdminNewTokenAnswer request=AdminTokenRotation parameters=adminToken
DELETE /api/admin/tokens/{token} adminRevokeToken "Revokes a token and those it made, for good."
  answer=AdminTokenAnswer parameters=adminToken
GET /api/admin/statement adminShowStatement "What was spent: of a team for whoever may see its
  spending, else of your own." answer=AdminStatementAnswer
  parameters=adminBy|adminFrom|adminTo|adminOfTeam|adminOfUser|adminRows
""")


def _security(row: OperationRow) -> list[dict[str, list[str]]]:
    """Which tokens open an operation, and with which scope (OpenAPI 3.1: roles of a bearer)."""
    out: list[dict[str, list[str]]] = [{_ADMIN: []}]
    if is_known(row.method, row.path):
        scope = needed(row.method, row.path)
        roles = [] if scope is None else [scope.value]
        out += [{_MACHINE: roles}, {_WORKLOAD: roles}]
    return out


def paths() -> dict[str, dict[str, Any]]:
    """Every operation by path."""
    out: dict[str, dict[str, Any]] = {}
    failure = media(ref("OAuthAppFailure"))
    failures = {each: {"description": why, "content": failure} for each, why in _FAILURES.items()}
    for row in (*_OPERATIONS, *(row for part in _PARTS for row in part.OPERATIONS)):
        content = media(ref(*row.answer)) if row.answer else {each: {} for each in row.files}
        answer = {"description": "The answer.", "content": content}
        responses = {"200": answer, **failures}
        made = {**described(row, responses), "security": _security(row)}
        out.setdefault(row.path, {})[row.method.lower()] = made
    return out
