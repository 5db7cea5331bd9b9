"""Packages of others that the gateway is to load."""

from trivium.settings.section import Section


class Plugins(Section, frozen=True):
    """Packages that bring providers or hooks, see docs/plugins.md."""

    enabled: tuple[str, ...] = ()
    """Names of installed packages, as ``pip`` has them. One that is not listed is not loaded, so
    that installing it alone changes nothing."""
