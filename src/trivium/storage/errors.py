"""What can go wrong with the database, in words of our own.

``storage/database.py`` translates at the border: nothing above it sees a driver's exception.
Light to import, so that code which only catches these does not load the database layer.
"""


class StorageError(Exception):
    """The base of the four below. The message names no credential."""


class StorageDown(StorageError):  # noqa: N818 - a state, as it is told to the operator
    """The database cannot be reached or does not answer in time: trying again may help."""


class SchemaStale(StorageError):  # noqa: N818 - a state, as it is told to the operator
    """The tables are not the ones this version needs; the message says what to run."""


class Conflict(StorageError):  # noqa: N818 - a state, as it is told to the operator
    """A uniqueness or reference rule of the schema refused the write."""


class Rejected(StorageError):  # noqa: N818 - a state, as it is told to the operator
    """The database answered and refused the statement or its values: trying again will not help."""
