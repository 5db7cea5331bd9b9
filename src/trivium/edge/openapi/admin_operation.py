"""Requests, health and settings in the admin API's part of the description."""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import Schema, parameters, schemas

SCHEMAS: Final[dict[str, Schema]] = schemas("""
done = {success!: bool, message!: text "Empty."}
AdminRequestRecord = {
  id!: text, at_ms!: int "Milliseconds since the epoch.", user_id!: int | null,
  key_id!: int | null, operation!: text, model!: text "Which answered or is paid.",
  asked_model!: text | null "Which was asked for, where another answered.",
  channel!: text | null "Which answered, or was tried last.",
  upstream_model!: text | null "As the channel calls it.", status!: int,
  fault!: text | null "Kind of what went wrong; `null` when nothing did.", stream!: bool,
  attempts!: int,
  failed!: {channel!: text, why!: text "Kind of the fault."}[] "Attempts that did not serve it.",
  first_byte_ms!: int | null, total_ms!: int, bytes_in!: int, bytes_out!: int,
  input_tokens!: int | null, cached_tokens!: int | null, output_tokens!: int | null,
  estimated!: bool, dropped!: text | null "Members that a translation left out.",
  repaired!: text | null, end_user!: text | null, session!: text | null, tags!: text[],
  cost!: text | null "US dollars; `null` while it is not booked, or never will be.",
  entry_id!: int | null
}
rest = {
  key!: int | null "Which of the channel's keys, from 1; `null`: it has none.",
  upstream_model!: text | null "`null`: the key for all models.", fault!: text "Why it rests.",
  state!: 'resting' | 'waiting for a probe',
  named_by_vendor!: bool "Whether the vendor named the end.",
  until!: int "Unix seconds.", openings!: int "Since it was last well."
}
AdminChannelHealth = {
  channel!: text, provider!: text, host!: text, keys!: int, models!: text[] "That it serves.",
  rests!: rest[] "Empty: nothing rests."
}
AdminIdentity = {
  channel!: text, source!: text "Where the secret was found; empty: it never was.",
  life_s!: num | null "Seconds for which it holds; `null`: no end is known.", failures!: int,
  why!: text "Why the last attempt failed; empty: it did not.",
  is_missed!: bool "Requests want it, and there is none."
}
AdminHealthAnswer = {...done, data!: {
  status!: 'ok' | 'degraded' | 'unavailable', parts!: {*: bool} "As `/readyz` has them.",
  version!: text, started_at!: int "Unix seconds, of the worker that answers.",
  worker!: {*: int} "Numbers of the worker that answers.",
  workers!: {*: int} | null "Of all workers of this node; `null` without `metrics.enabled`.",
  stale_secrets!: text[] "References to stores whose earlier value is still in force."
}}
AdminChannelsHealthAnswer = {...done, data!: {
  channels!: AdminChannelHealth[], after!: text | null "Leads to the next page; `null` on the last."
}}
AdminChannelTest = closed {
  model: text(maxLength 200) | null "By its public name; `null`: the first that the channel serves."
}
AdminChannelTestAnswer = {...done, data!: {
  channel!: text, ok!: bool "Each key would have served a caller.",
  trials!: {
    key!: int | null "Its place among the channel's keys, from 1; `null`: it has none.",
    upstream_model!: text, status!: int "The vendor's; 0: no answer came.",
    first_byte_ms!: int | null, total_ms!: int, fault!: text "Empty: none.", message!: text
  }[]
}}
AdminIdentitiesAnswer = {...done, data!: {identities!: AdminIdentity[]}}
AdminSettingsAnswer = {...done, data!: {
  settings!: {
    name!: text,
    value!: text | num | bool | object | (text | num)[] | null "`null` where it is secret, unless it
      names where that is kept.",
    origin!: text "A line of the file, an environment variable, a flag, or `default`.",
    is_secret!: bool,
    waits_for_restart!: bool "Whether the process still has what it began with."
  }[]
}}
AdminVideo = {
  id!: text, user_id!: int, key_id!: int, request_id!: text "Of the request that asked for it.",
  has_record!: bool "Whether that request's record is still kept.", model!: text,
  channel!: text, upstream_model!: text "As the channel calls it.", size!: text, seconds!: int,
  status!: 'queued' | 'in_progress' | 'completed' | 'failed', progress!: int "Per cent.",
  error!: {code!: text, message!: text} | null, remixed_from!: text | null,
  created_at!: int "Unix seconds.", completed_at!: int | null,
  expires_at!: int | null "When its files are gone; `null`: nobody said.",
  is_kept!: bool "Whether the gateway's own store has its files.",
  cost!: text | null "US dollars; `null` while it is not booked, or never will be.",
  held!: text | null "US dollars that are set aside while it is made.", entry_id!: int | null
}
AdminVideoAnswer = {...done, data!: AdminVideo}
AdminVideosAnswer = {...done, data!: {
  videos!: AdminVideo[] "Newest first; a page may hold few, even none, while `before` leads on.",
  before!: text | null "Leads to the next page; `null` on the last."
}}
AdminRequestAnswer = {...done, data!: AdminRequestRecord}
AdminRequestsAnswer = {...done, data!: {
  requests!: AdminRequestRecord[] "Newest first; a page may hold few, even none, while `before`
    leads on.",
  before!: text | null "Leads to the next page; `null` on the last."
}}
""")

PARAMETERS: Final = parameters("""
adminRequest = path request: text "Id of a request."
adminVideo = path video: text "Id of a video."
adminByStatusOfVideo = query status: 'queued' | 'in_progress' | 'completed' | 'failed' "Where it is
  on its way."
adminByVideoModel = query model: text(maxLength 200) "Which makes it."
adminByVideoChannel = query channel: text(maxLength 200) "Where it is made."
adminVideoBefore = query before: text "`before` of the page before."
adminSince = query from: text "From this moment on: Unix seconds, 2027-01-01 or
  2027-01-01T12:00:00Z."
adminUntil = query to: text "Up to this moment, which is not included."
adminByKey = query key: int "Id of a key."
adminByModel = query model: text(maxLength 200) "Which answered or was asked for."
adminByChannel = query channel: text(maxLength 200) "Which answered, or was tried last."
adminByStatus = query status: int 100..599 "The HTTP status that was answered."
adminByFault = query fault: text(maxLength 200) "Kind of what went wrong."
adminByFailed = query failed: bool "Whether it was answered with an error."
adminChannelAfter = query after: text "`after` of the page before."
adminResting = query resting: bool "Only channels of which something rests, or only others."
adminSection = query section: text(maxLength 200) "Only these, such as server or ledger."
adminRequestBefore = query before: text "`before` of the page before."
""")

OPERATIONS: Final = operations("""
admin
GET /api/admin/requests adminListRequests "Anybody's requests, newest first."
  answer=AdminRequestsAnswer parameters=adminSince|adminUntil|adminByUser|adminByKey|adminByTeam
  parameters=adminByModel|adminByChannel|adminByStatus|adminByFault|adminByFailed
  parameters=adminLimit|adminRequestBefore
GET /api/admin/requests/{request} adminShowRequest "One request, with why attempts failed."
  answer=AdminRequestAnswer parameters=adminRequest
GET /api/admin/videos adminListVideos "Anybody's videos, newest first, without their prompts."
  answer=AdminVideosAnswer parameters=adminSince|adminUntil|adminByUser|adminByKey
  parameters=adminByVideoModel|adminByVideoChannel|adminByStatusOfVideo|adminLimit|adminVideoBefore
GET /api/admin/videos/{video} adminShowVideo "One video." answer=AdminVideoAnswer
  parameters=adminVideo
GET /api/admin/health adminShowHealth "Whether all is well, and numbers of the workers."
  answer=AdminHealthAnswer
GET /api/admin/health/channels adminListChannelsHealth "Channels, and what of them rests and why."
  answer=AdminChannelsHealthAnswer parameters=adminResting|adminLimit|adminChannelAfter
POST /api/admin/health/channels/{name}/test adminTestChannel "Sends a short request with each key
  of a channel, at your account's cost." answer=AdminChannelTestAnswer request=AdminChannelTest
  parameters=adminCatalogueName
GET /api/admin/health/identities adminListIdentities "How tokens and found identities of channels
  stand." answer=AdminIdentitiesAnswer
GET /api/admin/settings adminListSettings "Every setting with its origin; secrets never."
  answer=AdminSettingsAnswer parameters=adminSection
""")
