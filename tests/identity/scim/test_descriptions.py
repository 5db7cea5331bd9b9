"""What directories read about us has the form of RFC 7643."""

from trivium.identity.scim.descriptions import configuration, resource_types, schemas

NEEDED = {"name", "type", "multiValued", "description", "required", "mutability", "returned"}


def test_descriptions():
    """Each names itself and where it is; attributes have all that section 7 wants."""
    base = "https://gateway.example/scim/v2"
    assert configuration(base)["filter"] == {"supported": True, "maxResults": 100}
    assert ["/Users", "/Groups"] == [each["endpoint"] for each in resource_types(base)]
    for schema in schemas(base):
        assert schema["meta"]["location"] == f"{base}/Schemas/{schema['id']}"
        for each in schema["attributes"]:
            assert NEEDED <= each.keys()
            assert ("caseExact" in each) is (each["type"] == "string")
            assert (each["type"] == "complex") is ("subAttributes" in each)
