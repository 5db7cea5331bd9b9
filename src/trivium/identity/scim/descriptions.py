"""What a directory may read about us: configuration, kinds of resources, schemas. Pure.

RFC 7643, sections 5, 6 and 7: exactly what is kept and what can be done.
"""

from typing import Any, Final

from trivium.identity.scim.model import GROUP_URN, PAGE_MAX, USER_URN

_CONFIG_URN: Final = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
_TYPE_URN: Final = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
_SCHEMA_URN: Final = "urn:ietf:params:scim:schemas:core:2.0:Schema"


def configuration(base: str) -> dict[str, Any]:
    """What can be done. ``base``: the address that ends with ``/scim/v2``."""
    return {
        "schemas": [_CONFIG_URN],
        "patch": {"supported": True},
        "bulk": {"supported": False, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": PAGE_MAX},
        "changePassword": {"supported": False},
        "sort": {"supported": False},
        "etag": {"supported": True},
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "Bearer token",
                "description": "A token that the gateway's operator makes for one organisation.",
                "specUri": "https://www.rfc-editor.org/info/rfc6750",
                "primary": True,
            }
        ],
        "meta": _meta("ServiceProviderConfig", f"{base}/ServiceProviderConfig"),
    }


def resource_types(base: str) -> list[dict[str, Any]]:
    """The kinds of resources, users and groups, each with where it is served."""
    return [
        {
            "schemas": [_TYPE_URN],
            "id": name,
            "name": name,
            "endpoint": f"/{name}s",
            "description": about,
            "schema": urn,
            "meta": _meta("ResourceType", f"{base}/ResourceTypes/{name}"),
        }
        for name, urn, about in (
            ("User", USER_URN, "A person's account"),
            ("Group", GROUP_URN, "A team, and whom the directory puts there"),
        )
    ]


def schemas(base: str) -> list[dict[str, Any]]:
    """The attributes that are kept."""
    return [
        {
            "schemas": [_SCHEMA_URN],
            "id": urn,
            "name": name,
            "description": about,
            "attributes": attributes,
            "meta": _meta("Schema", f"{base}/Schemas/{urn}"),
        }
        for urn, name, about, attributes in (
            (USER_URN, "User", "A person's account", _USER),
            (GROUP_URN, "Group", "A team", _GROUP),
        )
    ]


def _meta(kind: str, location: str) -> dict[str, str]:
    return {"resourceType": kind, "location": location}


def _attribute(name: str, about: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    plain = {
        "name": name,
        "type": kind,
        "multiValued": False,
        "description": about,
        "required": False,
        "mutability": "readWrite",
        "returned": "default",
    }
    if kind == "string":
        plain |= {"caseExact": False, "uniqueness": "none"}
    return plain | more


_USER: Final = [
    _attribute(
        "userName",
        "The directory's name for the person; an address where emails are left out.",
        required=True,
        uniqueness="server",
    ),
    _attribute(
        "name",
        "The parts of the name.",
        "complex",
        subAttributes=[
            _attribute("formatted", "As it is shown."),
            _attribute("givenName", "First name."),
            _attribute("familyName", "Last name."),
        ],
    ),
    _attribute("displayName", "As the person is shown."),
    _attribute("active", "Whether the person may come in at all.", "boolean"),
    _attribute(
        "emails",
        "One is kept: the primary one, else that of work, else the first.",
        "complex",
        multiValued=True,
        subAttributes=[
            _attribute("value", "The address, in lower case."),
            _attribute("type", "Always 'work' when it is read."),
            _attribute("primary", "Always true when it is read.", "boolean"),
        ],
    ),
    _attribute(
        "groups",
        "The groups into which the directory put the person.",
        "complex",
        multiValued=True,
        mutability="readOnly",
        subAttributes=[
            _attribute("value", "The group's id.", mutability="readOnly"),
            _attribute(
                "$ref",
                "The group's address.",
                "reference",
                referenceTypes=["Group"],
                mutability="readOnly",
            ),
            _attribute("display", "The group's name.", mutability="readOnly"),
            _attribute("type", "Always 'direct'.", mutability="readOnly"),
        ],
    ),
    _attribute("externalId", "The directory's own id.", caseExact=True),
]
_GROUP: Final = [
    _attribute(
        "displayName",
        "The directory's name for the group; the team keeps the name it was made with.",
        required=True,
        uniqueness="server",
    ),
    _attribute(
        "members",
        "People whom the directory brought.",
        "complex",
        multiValued=True,
        subAttributes=[
            _attribute("value", "The user's id.", mutability="immutable"),
            _attribute(
                "$ref",
                "The user's address.",
                "reference",
                referenceTypes=["User"],
                mutability="immutable",
            ),
            _attribute("type", "Always 'User'.", mutability="immutable"),
            _attribute("display", "The user's userName.", mutability="readOnly"),
        ],
    ),
    _attribute("externalId", "The directory's own id.", caseExact=True),
]
