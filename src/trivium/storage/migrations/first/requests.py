"""Records, stored responses, traces, jobs with their holds, files, and the health of channels."""

import sqlalchemy as sa
from alembic import op

from trivium.storage.migrations.first.types import BIG


def create() -> None:
    """Create the tables of requests."""
    _records()
    _stored_responses()
    _stored_items()
    _traces()
    _breakers()
    _jobs()
    _holds()
    _assets()


def _records() -> None:
    op.create_table(
        "records",
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("at_ms", BIG, nullable=False),
        sa.Column("key_id", BIG),
        sa.Column("user_id", BIG),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("upstream_model", sa.Text, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("stream", sa.Boolean, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("first_byte_us", BIG),
        sa.Column("total_us", BIG, nullable=False),
        sa.Column("bytes_in", BIG, nullable=False),
        sa.Column("bytes_out", BIG, nullable=False),
        sa.Column("end_user", sa.Text, nullable=False),
        sa.Column("fresh", BIG),
        sa.Column("cache_read", BIG),
        sa.Column("cache_write_short", BIG),
        sa.Column("cache_write_long", BIG),
        sa.Column("output", BIG),
        sa.Column("reasoning", BIG),
        sa.Column("audio_input", BIG),
        sa.Column("audio_output", BIG),
        sa.Column("image_input", BIG),
        sa.Column("image_output", BIG),
        sa.Column("duration_ms", BIG),
        sa.Column("characters", BIG),
        sa.Column("requests", BIG),
        sa.Column("estimated", sa.Boolean),
        sa.Column("dropped", sa.Text),
        sa.Column("repaired", sa.Text),
        sa.Column("asked_model", sa.Text),
        sa.Index("ix_records_at_ms", "at_ms"),
        sa.Index("ix_records_key_id_at_ms", "key_id", "at_ms"),
        sa.Index("ix_records_user_id_at_ms", "user_id", "at_ms"),
    )


def _stored_responses() -> None:
    op.create_table(
        "stored_responses",
        sa.Column("user_id", BIG, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("key_id", BIG, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Column("size_bytes", BIG, nullable=False),
        sa.Column("body", sa.LargeBinary),
        sa.Index("ix_stored_responses_expires_at", "expires_at"),
        sa.Index("ix_stored_responses_user_id_size_bytes", "user_id", "size_bytes"),
    )


def _stored_items() -> None:
    op.create_table(
        "stored_items",
        sa.Column("user_id", BIG, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("response_id", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id", "response_id"],
            ["stored_responses.user_id", "stored_responses.id"],
            name="fk_stored_items_user_id",
            ondelete="CASCADE",
        ),
        sa.Index("ix_stored_items_user_id_response_id", "user_id", "response_id"),
    )


def _traces() -> None:
    op.create_table(
        "traces",
        sa.Column("user_id", BIG, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("created_at", BIG, nullable=False, index=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )


def _breakers() -> None:
    op.create_table(
        "breakers",
        sa.Column("channel", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("told", sa.Boolean, nullable=False),
        sa.Column("openings", BIG, nullable=False),
        sa.Column("until_at", BIG, nullable=False),
        sa.Column("written_at", BIG, nullable=False),
        sa.Index("ix_breakers_until_at", "until_at"),
    )


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("key_id", BIG, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False, unique=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("credential", sa.Text, nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("upstream_model", sa.Text, nullable=False),
        sa.Column("upstream_id", sa.Text),
        sa.Column("file", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("progress", BIG, nullable=False),
        sa.Column("error_code", sa.Text),
        sa.Column("error_message", sa.Text),
        sa.Column("size", sa.Text, nullable=False),
        sa.Column("seconds", BIG, nullable=False),
        sa.Column("prompt", sa.LargeBinary, nullable=False),
        sa.Column("remixed_from", sa.Text),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("completed_at", BIG),
        sa.Column("expires_at", BIG),
        sa.Column("kept", sa.Text, nullable=False),
        sa.Column("assets", sa.Text, nullable=False),
        sa.Column("looked_at", BIG, nullable=False),
        sa.Column("look_at", BIG),
        sa.Column("claimed_until", BIG, nullable=False),
        sa.Index("ix_jobs_look_at", "look_at"),
        sa.Index("ix_jobs_user_id_created_at_id", "user_id", "created_at", "id"),
    )


def _holds() -> None:
    op.create_table(
        "holds",
        sa.Column("request_id", sa.Text, primary_key=True),
        sa.Column("user_id", BIG, sa.ForeignKey("accounts.user_id"), nullable=False),
        sa.Column("amount_nanos", BIG, nullable=False),
        sa.Column("bill", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Index("ix_holds_user_id", "user_id"),
    )


def _assets() -> None:
    op.create_table(
        "assets",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content_type", sa.Text, nullable=False),
        sa.Column("size_bytes", BIG),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.Index("ix_assets_expires_at", "expires_at"),
    )
