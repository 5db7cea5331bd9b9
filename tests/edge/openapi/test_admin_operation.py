"""Requests, health and settings in the description: every row has what it names."""

from trivium.edge.openapi import admin, admin_operation


def test_what_operations_name_is_there():
    """Answers, bodies and parameters, here or in what all of the API shares."""
    for row in admin_operation.OPERATIONS:
        assert {*row.answer} | ({row.request} if row.request else set()) <= admin.SCHEMAS.keys()
        assert {*row.parameters} <= admin.PARAMETERS.keys(), row.name


def test_nothing_is_described_in_vain():
    """Every component is some operation's, and every parameter too."""
    named = {name for row in admin_operation.OPERATIONS for name in (*row.answer, row.request)}
    shown = {name for name in admin_operation.SCHEMAS if name.startswith("Admin")} - {
        "AdminRequestRecord",
        "AdminChannelHealth",
        "AdminIdentity",
        "AdminVideo",
    }
    assert shown <= named
    assert admin_operation.PARAMETERS.keys() <= {
        name for row in admin_operation.OPERATIONS for name in row.parameters
    }
