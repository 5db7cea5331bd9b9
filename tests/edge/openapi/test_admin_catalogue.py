"""The catalogue's operations are described, each once, with its own name."""

from trivium.edge.openapi import admin_catalogue
from trivium.edge.openapi.schema import ref


def test_every_operation_has_a_name_and_an_answer():
    """And names components that there are."""
    rows = admin_catalogue.OPERATIONS
    names = [row.name for row in rows]
    assert len(names) == len(set(names)) == 16
    assert {"adminPutModel", "adminDeleteGroup", "adminShowChannel"} <= set(names)
    for row in rows:
        assert row.answer[0] in admin_catalogue.SCHEMAS, row.name
        assert row.request is None or row.request in admin_catalogue.SCHEMAS
        assert {name for name in row.parameters if name != "adminLimit"} <= set(
            admin_catalogue.PARAMETERS
        )


def test_a_change_says_what_was_read():
    """By a header, which is described where it is taken."""
    assert "header" == admin_catalogue.PARAMETERS["adminIfMatch"]["in"]
    written = [row for row in admin_catalogue.OPERATIONS if row.method in ("PUT", "DELETE")]
    assert all("adminIfMatch" in row.parameters for row in written)
    data = admin_catalogue.SCHEMAS["AdminCatalogueAnswer"]["properties"]["data"]
    assert ref("AdminCatalogueEntry") == data["properties"]["entries"]["items"]
