"""Every table of version 0.1.0."""

from trivium.storage.migrations.first import logins, money, oauth, people, requests

revision: str = "r0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Create everything, in the order in which tables refer to each other."""
    people.create()
    logins.create()
    money.create()
    requests.create()
    oauth.create()
