"""How people log in, invitations, applications and acts in the admin API's description."""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import Schema, parameters, schemas

SCHEMAS: Final[dict[str, Schema]] = schemas("""
when = int "Unix seconds."
done = {success!: bool, message!: text "Empty."}
role = 'user' | 'admin'
level = 'info' | 'warn' | 'bad'
invitation = {
  id!: int, email!: text | null "`null`: whoever has the link.", role!: role, created_at!: when,
  expires_at!: when
}
app = {
  id!: int, client_id!: text "Public.", name!: text, description!: text, owner_id!: int,
  owner_disabled!: bool "It rests until its owner is enabled, or it is another's.",
  status!: 'active' | 'suspended' | 'blocked' "`suspended` by its owner, `blocked` by you.",
  trusted!: bool "Let in without a question where it asks for that.", redirect_uri!: text,
  scopes!: text[], created_at!: when, changed_at!: when
}
AdminAct = {
  id!: int, at_ms!: int "Milliseconds since the epoch.", act!: text,
  actor_id!: int | null "`null`: nobody who is logged in, or the command line.",
  subject_id!: int | null "Whose account it concerns.", what!: text, address!: text, agent!: text,
  detail!: object
}
AdminNewPassword = closed {password!: text(minLength 1, maxLength 10000)}
AdminNewInvitation = closed {
  email: text | null "Whoever has the link, when left out.", role: role,
  days: int 1..365 | null "As the settings have it, when left out.",
  mail: bool "The link goes to `email` and is not answered.", language: text
}
AdminAppChange = closed {
  trusted: bool, status: 'active' | 'blocked', owner_id: int "Whose it is from now on."
}
AdminFactorAnswer = {...done, data!: {user_id!: int, is_on!: bool, since!: when | null}}
AdminSessionsAnswer = {...done, data!: {
  sessions!: {
    id!: int, way!: text, address!: text, agent!: text, created_at!: when,
    seen_at!: when "To within five minutes."
  }[]
}}
AdminLoggedOutAnswer = {...done, data!: {user_id!: int, ended!: int "How many logins."}}
announcement = {
  id!: int, text!: text, level!: level, starts_at!: when, ends_at!: when | null "`null`: once it is
  removed.", state!: 'waiting' | 'shown' | 'over', created_at!: when
}
AdminNewAnnouncement = closed {
  text!: text(minLength 1, maxLength 1000), level: level, starts_at: when | null "`null`: at once.",
  ends_at: when | null "`null`: once it is removed."
}
AdminAnnouncementAnswer = {...done, data!: announcement}
AdminAnnouncementsAnswer = {...done, data!: {announcements!: announcement[]}}
AdminInvitationsAnswer = {...done, data!: {
  invitations!: invitation[], after!: int | null "Leads to the next page; `null` on the last."
}}
AdminNewInvitationAnswer = {...done, data!: {
  ...invitation, url!: text | null "Its link, shown this once; `null`: a letter has it."
}}
AdminAppAnswer = {...done, data!: app}
AdminAppsAnswer = {...done, data!: {
  apps!: app[], after!: int | null "Leads to the next page; `null` on the last."
}}
AdminActsAnswer = {...done, data!: {
  acts!: AdminAct[] "Newest first.",
  before!: int | null "Leads to the next page; `null` on the last."
}}
""")

PARAMETERS: Final = parameters("""
adminApp = path app: text "The client id of an application."
adminAnnouncement = path announcement: int "Id of an announcement."
adminOwner = query owner: int "Id of a user."
adminAppStatus = query status: text "active, suspended or blocked."
adminActKind = query act: text "One kind, such as key_created."
""")

OPERATIONS: Final = operations("""
admin
PUT /api/admin/users/{user}/password adminSetPassword "Sets a password and ends all logins; with
  an administrator's own token alone." answer=AdminNothingAnswer request=AdminNewPassword
  parameters=adminUser
GET /api/admin/users/{user}/second-factor adminShowFactor "Whether somebody has a second factor."
  answer=AdminFactorAnswer parameters=adminUser
DELETE /api/admin/users/{user}/second-factor adminFactorOff "Switches a second factor off."
  answer=AdminFactorAnswer parameters=adminUser
GET /api/admin/users/{user}/sessions adminListSessions "Somebody's logins."
  answer=AdminSessionsAnswer parameters=adminUser
DELETE /api/admin/users/{user}/sessions adminLogOut "Ends all logins of somebody."
  answer=AdminLoggedOutAnswer parameters=adminUser
GET /api/admin/invitations adminListAccountInvitations "Invitations that can still be used, oldest
  first."
  answer=AdminInvitationsAnswer parameters=adminLimit|adminAfter
POST /api/admin/invitations adminInvitePerson "Makes a link that makes one account."
  answer=AdminNewInvitationAnswer request=AdminNewInvitation
DELETE /api/admin/invitations/{invitation} adminWithdrawAccountInvitation "Voids an invitation."
  answer=AdminNothingAnswer parameters=adminInvitation
GET /api/admin/announcements adminListAnnouncements "What everybody is told on their pages, newest
  first." answer=AdminAnnouncementsAnswer
POST /api/admin/announcements adminAnnounce "Tells everybody something on their pages."
  answer=AdminAnnouncementAnswer request=AdminNewAnnouncement
DELETE /api/admin/announcements/{announcement} adminRemoveAnnouncement "Removes it for everybody."
  answer=AdminNothingAnswer parameters=adminAnnouncement
GET /api/admin/apps adminListApps "Applications in the order they were registered."
  answer=AdminAppsAnswer parameters=adminOwner|adminAppStatus|adminLimit|adminAfter
GET /api/admin/apps/{app} adminShowApp "One application." answer=AdminAppAnswer
  parameters=adminApp
PATCH /api/admin/apps/{app} adminChangeApp "Trusts, blocks, frees or transfers an application."
  answer=AdminAppAnswer request=AdminAppChange parameters=adminApp
GET /api/admin/acts adminListActs "The audit log, newest first." answer=AdminActsAnswer
  parameters=adminByUser|adminActKind|adminLimit|adminBefore
GET /api/admin/keys adminListAllKeys "Anybody's keys in the order they were made."
  answer=AdminKeysPageAnswer
  parameters=adminByUser|adminByTeam|adminRevoked|adminLimit|adminAfter
""")
