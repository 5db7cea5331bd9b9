"""Codes, payments and books in the description: every row has what it names."""

from trivium.edge.openapi import admin, admin_money


def test_what_operations_name_is_there():
    """Answers, bodies and parameters, here or in what all of the API shares."""
    for row in admin_money.OPERATIONS:
        assert {*row.answer} | (
            {row.request} if row.request else set()
        ) <= admin_money.SCHEMAS.keys()
        assert {*row.parameters} <= admin.PARAMETERS.keys(), row.name


def test_nothing_is_described_in_vain():
    """Every component is some operation's, and every parameter too."""
    named = {name for row in admin_money.OPERATIONS for name in (*row.answer, row.request)}
    shown = {name for name in admin_money.SCHEMAS if name.startswith("Admin")} - {"AdminPayment"}
    assert named - {None} == shown
    assert admin_money.PARAMETERS.keys() <= {
        name for row in admin_money.OPERATIONS for name in row.parameters
    }
