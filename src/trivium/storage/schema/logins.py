"""People's own ways in: sessions, single-use tickets, second factors, passkeys, outside logins.

Every secret is a SHA-256 digest (of 256 random bits; recovery codes have 80) or sealed.
"""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    text,
)

from trivium.storage.schema.core import BIG, table

sessions = table(
    "sessions",
    Column("id", BIG, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the session's token
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("created_at", BIG, nullable=False),
    Column("seen_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),  # whatever happens
    Column("confirmed_at", BIG, nullable=False),  # when the user last proved who they are
    Column("way", Text, nullable=False),  # password, passkey, outside, ticket
    Column("address", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Index("ix_sessions_expires_at", "expires_at"),
)

tickets = table(
    "tickets",
    Column("id", BIG, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),  # SHA-256 of the ticket's token
    Column("purpose", Text, nullable=False),
    Column("user_id", BIG, ForeignKey("users.id"), index=True),
    Column("email", Text),
    Column("data", Text, nullable=False, server_default=text("'{}'")),  # JSON
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG, nullable=False),
    Column("used_at", BIG),
    Index("ix_tickets_expires_at", "expires_at"),
)
"""What works once: links in letters, invitations, steps of a login under way."""

tries = table(
    "tries",
    Column("subject", LargeBinary, primary_key=True),  # SHA-256 of who is counted
    Column("count", BIG, nullable=False),
    Column("since", BIG, nullable=False),
    Column("until", BIG, nullable=False),  # nothing more before
    Column("forget_at", BIG, nullable=False),
    Index("ix_tries_forget_at", "forget_at"),
)
"""How often something was tried that must not be tried often."""

totp_secrets = table(
    "totp_secrets",
    Column("user_id", BIG, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("secret", LargeBinary, nullable=False),  # sealed
    Column("created_at", BIG, nullable=False),
    Column("confirmed_at", BIG),  # null: enrolment is under way, nothing is asked for yet
    Column("last_step", BIG, nullable=False, server_default=text("0")),  # the newest code used
)

recovery_codes = table(
    "recovery_codes",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("used_at", BIG),
    UniqueConstraint("user_id", "digest"),
)

passkeys = table(
    "passkeys",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("credential", LargeBinary, nullable=False, unique=True),
    Column("public_key", LargeBinary, nullable=False),  # COSE
    Column("handle", LargeBinary, nullable=False),  # the user's, random, the same for all theirs
    Column("sign_count", BIG, nullable=False),
    Column("transports", Text, nullable=False),  # JSON list
    Column("synced", Boolean, nullable=False, server_default=false()),
    Column("name", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("used_at", BIG),
)

outside_logins = table(
    "outside_logins",
    Column("id", BIG, primary_key=True),
    Column("user_id", BIG, ForeignKey("users.id"), nullable=False, index=True),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("email", Text, nullable=False),  # as the provider had it last
    Column("created_at", BIG, nullable=False),
    Column("used_at", BIG),
    UniqueConstraint("issuer", "subject", name="uq_outside_logins_issuer_subject"),
)
