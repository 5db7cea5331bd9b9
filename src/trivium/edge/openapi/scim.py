"""Operations and schemas of SCIM 2.0, for directories.

Their errors are SCIM's own (RFC 7644, section 3.12): directories read them.
"""

from typing import Any, Final

from trivium.edge.openapi.row import described, operations
from trivium.edge.openapi.schema import Schema, media, parameters, ref, schemas

TAG: Final = "scim"
ABOUT: Final = (
    "People and teams that a directory provisions, as RFC 7643 and RFC 7644 have them. Served "
    "where the console is."
)
_BEARER: Final = "scimBearer"
SECURITY: Final[dict[str, Schema]] = {
    _BEARER: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwscim_…`: a token of `trivium scim token create`.",
    }
}

SCHEMAS: Final = schemas("""
scimMeta = {
  resourceType!: text, created: text "RFC 3339.", lastModified: text "RFC 3339.", location!: text,
  version: text "As the header `etag` has it."
}
scimEmail = {value: text, type: text, primary: bool}
ScimUser = {
  schemas: text[], id: text "Read only.", externalId: text "The directory's own id.",
  userName!: text "The directory's name; an address where `emails` are left out.",
  name: {formatted: text, givenName: text, familyName: text}, displayName: text,
  active: bool "`false` locks the person out everywhere at once.",
  emails: scimEmail[] "One is kept: the primary one, else that of work, else the first.",
  groups: {value: text, display: text}[] "Read only.", meta: scimMeta
}
scimMember = {value!: text "Id of a user.", type: 'User', display: text}
ScimGroup = {
  schemas: text[], id: text "Read only.", externalId: text "The directory's own id.",
  displayName!: text, members: scimMember[..10000], meta: scimMeta
}
ScimPatch = {
  schemas: text[],
  Operations!: {
    op!: text "add, replace or remove, in any case.",
    path: text "Such as `emails` or `name.givenName`.", value: text | bool | object | object[]
  }[..1000]
}
ScimUsers = {
  schemas!: text[], totalResults!: int, startIndex!: int, itemsPerPage!: int, Resources!: ScimUser[]
}
ScimGroups = {
  schemas!: text[], totalResults!: int, startIndex!: int, itemsPerPage!: int,
  Resources!: ScimGroup[]
}
ScimDescription = {schemas!: text[]}
ScimFailure = {
  schemas!: text[], status!: text, scimType: text "A word of RFC 7644, table 9.",
  detail!: text "Names the member that is wrong."
}
""")

PARAMETERS: Final = parameters("""
scimUser = path id: text "Id of a user."
scimGroup = path id: text "Id of a group."
scimKind = path id: text "Id of what is described."
scimFilter = query filter: text(maxLength 4096) "As RFC 7644, section 3.4.2.2, has it."
scimStart = query startIndex: int "From 1."
scimCount = query count: int "100 at most, and when left out."
scimAttributes = query attributes: text "Only these, separated by commas."
scimExcluded = query excludedAttributes: text "All but these."
""")

_OPERATIONS: Final = operations("""
scim
GET /scim/v2/ServiceProviderConfig scimConfig "What can be done." answer=ScimDescription
GET /scim/v2/ResourceTypes scimListTypes "Kinds of resources." answer=ScimDescription
GET /scim/v2/ResourceTypes/{id} scimShowType "One kind." answer=ScimDescription parameters=scimKind
GET /scim/v2/Schemas scimListSchemas "Attributes that are kept." answer=ScimDescription
GET /scim/v2/Schemas/{id} scimShowSchema "Those of one kind." answer=ScimDescription
  parameters=scimKind
GET /scim/v2/Users scimListUsers "People of the directory." answer=ScimUsers
  parameters=scimFilter|scimStart|scimCount|scimAttributes|scimExcluded
POST /scim/v2/Users scimCreateUser "Makes a person." answer=ScimUser request=ScimUser
GET /scim/v2/Users/{id} scimShowUser "A person." answer=ScimUser
  parameters=scimUser|scimAttributes|scimExcluded
PUT /scim/v2/Users/{id} scimReplaceUser "Replaces what is said about a person." answer=ScimUser
  request=ScimUser parameters=scimUser
PATCH /scim/v2/Users/{id} scimPatchUser "Changes what is said about a person." answer=ScimUser
  request=ScimPatch parameters=scimUser
DELETE /scim/v2/Users/{id} scimDeleteUser "Locks a person out, and forgets them."
  parameters=scimUser
GET /scim/v2/Groups scimListGroups "Teams of the directory." answer=ScimGroups
  parameters=scimFilter|scimStart|scimCount|scimAttributes|scimExcluded
POST /scim/v2/Groups scimCreateGroup "Makes a team a group, or a new one." answer=ScimGroup
  request=ScimGroup
GET /scim/v2/Groups/{id} scimShowGroup "A group." answer=ScimGroup
  parameters=scimGroup|scimAttributes|scimExcluded
PUT /scim/v2/Groups/{id} scimReplaceGroup "Replaces a group with its members." answer=ScimGroup
  request=ScimGroup parameters=scimGroup
PATCH /scim/v2/Groups/{id} scimPatchGroup "Changes a group." answer=ScimGroup request=ScimPatch
  parameters=scimGroup
DELETE /scim/v2/Groups/{id} scimDeleteGroup "Takes out whom the directory put there."
  parameters=scimGroup
""")

_MEDIA: Final = "application/scim+json"
_FAILURES: Final = {
    "400": "Something is missing, unknown or wrong; the detail names it.",
    "401": "The token is missing or not valid.",
    "404": "There is nothing of this id that the directory may see.",
    "409": "It is taken.",
    "412": "It has changed since it was read.",
    "413": "The body is too large, or changes too much at once.",
    "415": "The body is not JSON.",
    "429": "Too many tokens that are not valid; `Retry-After` says how long to wait.",
    "5XX": "The database cannot be reached, or something went wrong on our side.",
}


def _media(schema: Schema) -> dict[str, Any]:
    return media(schema, _MEDIA)


def paths() -> dict[str, dict[str, Any]]:
    """Every operation by path."""
    out: dict[str, dict[str, Any]] = {}
    failure = _media(ref("ScimFailure"))
    failures = {each: {"description": why, "content": failure} for each, why in _FAILURES.items()}
    for row in _OPERATIONS:
        status = "201" if row.method == "POST" else "200" if row.answer else "204"
        answer: dict[str, Any] = {"description": "The answer."}
        if row.answer:
            answer["content"] = _media(ref(*row.answer))
        found = described(row, {status: answer, **failures})
        if row.request is not None:
            found["requestBody"] = {
                "required": True,
                "content": _media(ref(row.request)) | media(ref(row.request)),
            }
        out.setdefault(row.path, {})[row.method.lower()] = found
    return out
