"""The operations of prices are described, each once, with its own name."""

from trivium.edge.openapi import admin_catalogue, admin_prices
from trivium.oauth.admin.routes import SCOPES


def test_every_operation_has_a_name_and_an_answer():
    """And names components that there are; none of the routes is missing."""
    rows = admin_prices.OPERATIONS
    assert 6 == len({row.name for row in rows})
    assert {
        (method, path) for method, path in SCOPES if path.startswith("/api/admin/catalogue/prices")
    } == {(row.method, row.path) for row in rows}
    there = admin_prices.PARAMETERS.keys() | admin_catalogue.PARAMETERS.keys() | {"adminLimit"}
    for row in rows:
        assert row.answer[0] in admin_prices.SCHEMAS, row.name
        assert row.request is None or row.request in admin_prices.SCHEMAS
        assert set(row.parameters) <= there


def test_differences_are_told_as_changes_of_the_catalogue_are():
    data = admin_prices.SCHEMAS["AdminPriceResult"]["properties"]["data"]["properties"]
    entries = admin_catalogue.SCHEMAS["AdminCatalogueResult"]["properties"]["data"]["properties"]
    assert entries["entries"] == data["entries"]
