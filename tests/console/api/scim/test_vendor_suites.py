"""The requests of the vendors' own suites, one after the other, each as a row of a table.

Values are ours: theirs are random. What is not kept here is taken all the same; that it is left out
of the answer is how a directory learns of it.
"""

import pytest

from console.api.scim.entra_samples import ENTRA
from console.api.scim.entra_validator import VALIDATOR
from console.api.scim.okta_suite import OKTA_CRUD, OKTA_SPEC
from console.api.scim.suite_rows import Row, walk

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("username", ["isaac.brock@example.com", "randomUsername"])
async def test_okta_spec(idp, username):
    """Okta's ``SCIM 2.0 SPEC Test``; with a name that is an address, and with one that is none, as
    the variables of its suite are set by whoever runs it.
    """
    await idp.person("before", name={"givenName": "G", "familyName": "F"})
    await walk(idp, OKTA_SPEC, username=username, capitals=username.upper())


async def test_okta_crud(idp):
    """Okta's ``SCIM 2.0 CRUD Test``, with the requests by which Okta does what it asks of Okta
    itself, and those of pushed groups from its reference.
    """
    await walk(idp, OKTA_CRUD)


async def test_entra_samples(idp):
    """The requests that Microsoft's documentation shows of its provisioning service."""
    await walk(idp, ENTRA)


async def test_entra_validator(idp):
    """The tests of Microsoft's SCIM Validator, those that count and those of its preview."""
    await walk(idp, VALIDATOR)


async def test_a_row_that_is_not_answered_so_is_found(idp):
    """These tests can fail."""
    wrong = Row(note="there", path="/Users", found={"totalResults": 7})
    with pytest.raises(AssertionError, match="totalResults"):
        await walk(idp, [wrong])
    with pytest.raises(AssertionError, match="there"):
        await walk(idp, [Row(note="there", path="/Users", found={"schemas": None})])
