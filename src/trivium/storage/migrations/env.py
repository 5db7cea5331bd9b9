"""What Alembic executes for each command: our connection, inside the caller's transaction."""

from alembic import context

from trivium.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_type=True,
    compare_server_default=True,
)
context.run_migrations()
