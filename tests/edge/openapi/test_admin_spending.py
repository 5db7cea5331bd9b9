"""What the description says of invoices and of budgets over all keys."""

from trivium.edge.openapi import admin, admin_spending


def test_every_operation_is_described():
    """Each with an answer: a component of the admin API's, or a file."""
    paths = admin.paths()
    for row in admin_spending.OPERATIONS:
        made = paths[row.path][row.method.lower()]
        assert row.name == made["operationId"]
        assert set(row.answer) <= admin.SCHEMAS.keys()
        assert row.request is None or row.request in admin.SCHEMAS
        assert set(row.parameters) <= admin.PARAMETERS.keys()


def test_a_pdf_is_no_json():
    """The one answer that is a file."""
    made = admin.paths()["/api/admin/invoices/{invoice}/pdf"]["get"]
    assert {"application/pdf": {}} == made["responses"]["200"]["content"]
