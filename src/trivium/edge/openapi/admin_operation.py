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
AdminRequestAnswer = {...done, data!: AdminRequestRecord}
AdminRequestsAnswer = {...done, data!: {
  requests!: AdminRequestRecord[] "Newest first; a page may hold few, even none, while `before` leads
    on.",
  before!: text | null "Leads to the next page; `null` on the last."
}}
""")

PARAMETERS: Final = parameters("""
adminRequest = path request: text "Id of a request."
adminSince = query from: text "From this moment on: Unix seconds, 2027-01-01 or
  2027-01-01T12:00:00Z."
adminUntil = query to: text "Up to this moment, which is not included."
adminByKey = query key: int "Id of a key."
adminByModel = query model: text(maxLength 200) "Which answered or was asked for."
adminByChannel = query channel: text(maxLength 200) "Which answered, or was tried last."
adminByStatus = query status: int 100..599 "The HTTP status that was answered."
adminByFault = query fault: text(maxLength 200) "Kind of what went wrong."
adminByFailed = query failed: bool "Whether it was answered with an error."
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
""")
