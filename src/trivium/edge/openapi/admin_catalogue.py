"""The catalogue's part of the admin API: channels, models, price groups, routing rules."""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import parameters, schemas

SCHEMAS: Final = schemas("""
done = {success!: bool, message!: text "Empty."}
when = int "Milliseconds since the epoch."
kind = 'channel' | 'model' | 'group' | 'routing'
reason = text(maxLength 500) "Kept with the change."
document = object | text | null "As the settings file has it; of a group its factor, a text. A
  credential is sent as it is and shown as a reference, which may be sent back."
credential = {
  at!: text "Its place in the document.", last4!: text | null "None of a short one.",
  fingerprint!: text "The same for the same credential.", set_ms!: when
}
body = {document!: document, credentials!: credential[]} | null
diff = {
  kind!: kind, name!: text, action!: 'create' | 'change' | 'delete',
  members!: text[] "Those that differ.", before!: body, after!: body
}
AdminCatalogueEntry = {
  kind!: kind, name!: text,
  origin!: {
    source!: 'file' | 'database', version: int "Of the database's: what If-Match names.",
    place: text "Of the file's: its name and line."
  },
  document!: document, credentials: credential[], updated_ms: when, updated_by: int | null
}
AdminNewCatalogueEntry = closed {document!: document, reason: reason}
AdminCatalogueSet = closed {
  entries!: (closed {kind!: kind, name!: text, document!: document})[..20000] "Without a document
    it is to be gone.",
  revision: int | null "That was read; needed where something is there.", reason: reason
}
AdminUndoneChange = closed {reason: reason}
AdminCatalogueAnswer = {...done, data!: {revision!: int, entries!: AdminCatalogueEntry[]}}
AdminCatalogueEntryAnswer = {...done, data!: AdminCatalogueEntry}
AdminCatalogueResult = {...done, data!: {
  dry_run!: bool, revision!: int, change_id!: int | null "None where nothing differs.",
  entries!: diff[], entry: AdminCatalogueEntry | null,
  plans: object[] "Of a trial: where models would go.",
  lost_requests: ({model!: text, channel!: text, requests!: int, why!: text})[] | null "Of a trial:
    requests of the last hour that would not be served so."
}}
AdminCatalogueChanges = {...done, data!: {
  changes!: {
    id!: int, revision!: int, at_ms!: when, user_id!: int | null, machine!: text, address!: text,
    reason!: text, undoes!: int | null, undone_by!: int | null, entries!: diff[]
  }[],
  before!: int | null "Where the next page begins; none on the last."
}}
""")

PARAMETERS: Final = parameters(
    """
adminChange = path change: int "Id of a change."
adminCatalogueName = path name: text "Name of the entry."
adminDryRun = query dry_run: bool "Only say what it would come to."
adminReason = query reason: text(maxLength 500) "Kept with the change."
adminIfMatch = header If-Match: text "The version that was read, in quotes; needed where there
  is one and something differs."
adminIfNoneMatch = header If-None-Match: '*' "There is no such entry yet."
adminBeforeChange = query before: int "`before` of the page before."
adminChangedKind = query kind: kind "Changes of such entries."
adminChangedName = query name: text "Changes of this entry; with its kind."
adminChangedBy = query user: int "Changes by this user."
""".replace(": kind ", ": 'channel' | 'model' | 'group' | 'routing' ")
)

_NAMED: Final = """
GET /api/admin/catalogue/{table}/{name} adminShow{Word} "{A}." answer=AdminCatalogueEntryAnswer
  parameters=adminCatalogueName
PUT /api/admin/catalogue/{table}/{name} adminPut{Word} "Makes {a} what the body says; the same again
  changes nothing." answer=AdminCatalogueResult request=AdminNewCatalogueEntry
  parameters=adminCatalogueName|adminIfMatch|adminIfNoneMatch|adminDryRun
DELETE /api/admin/catalogue/{table}/{name} adminDelete{Word} "Takes {a} of the database away."
  answer=AdminCatalogueResult parameters=adminCatalogueName|adminIfMatch|adminDryRun|adminReason
"""


def _named(table: str, word: str, a: str) -> str:
    said = {"{table}": table, "{Word}": word, "{a}": a, "{A}": a[0].upper() + a[1:]}
    text = _NAMED.strip()
    for mark, meant in said.items():
        text = text.replace(mark, meant)
    return text


OPERATIONS: Final = operations(f"""
admin
GET /api/admin/catalogue adminShowCatalogue "All channels, models, groups and routing rules, each
  with where it is." answer=AdminCatalogueAnswer
POST /api/admin/catalogue/apply adminApplyCatalogue "Changes several entries together, or none."
  answer=AdminCatalogueResult request=AdminCatalogueSet parameters=adminDryRun
GET /api/admin/catalogue/changes adminListChanges "Changes, newest first."
  answer=AdminCatalogueChanges
  parameters=adminBeforeChange|adminLimit|adminChangedKind|adminChangedName|adminChangedBy
POST /api/admin/catalogue/changes/{{change}}/undo adminUndoChange "Makes all that a change concerned
  what it was before." answer=AdminCatalogueResult request=AdminUndoneChange
  parameters=adminChange|adminDryRun
GET /api/admin/catalogue/routing adminShowRouting "The routing rules."
  answer=AdminCatalogueEntryAnswer
PUT /api/admin/catalogue/routing adminPutRouting "Makes the database's routing rules what the body
  says." answer=AdminCatalogueResult request=AdminNewCatalogueEntry
  parameters=adminIfMatch|adminIfNoneMatch|adminDryRun
DELETE /api/admin/catalogue/routing adminDeleteRouting "Takes the database's routing rules away."
  answer=AdminCatalogueResult parameters=adminIfMatch|adminDryRun|adminReason
{_named("channels", "Channel", "a channel")}
{_named("models", "Model", "a model with its bindings and prices")}
{_named("groups", "Group", "a price group")}
""")
