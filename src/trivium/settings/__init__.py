"""Settings: one frozen struct, read once from a file and the environment."""

from trivium.settings.model import Settings

__all__ = ["Settings"]
