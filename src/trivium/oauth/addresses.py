"""The origins of the service, from the settings alone. Pure.

``Host`` is read for one thing: where the settings name different hosts, an endpoint that is asked
on another one than its own does not exist there.
"""

from urllib.parse import urlsplit

import msgspec

from trivium.settings.syntax import is_loopback


class ServiceOrigins(msgspec.Struct, frozen=True, kw_only=True):
    """Origins without a slash at the end."""

    public: str
    auth: str
    """Of the endpoints below ``/api/oauth2`` and of the pages: the issuer."""
    api: str
    """Of ``/api/oauth_apps``."""

    @property
    def is_split(self) -> bool:
        """Whether the settings name different hosts."""
        return len({_host(self.public), _host(self.auth), _host(self.api)}) > 1

    @property
    def is_safe(self) -> bool:
        """Whether everything is HTTPS, or stays on this machine."""
        return all(
            urlsplit(origin).scheme == "https" or is_loopback(_host(origin))
            for origin in (self.auth, self.api)
        )

    @property
    def is_https(self) -> bool:
        """Whether browsers speak TLS to the pages, here or at a proxy."""
        return urlsplit(self.auth).scheme == "https"

    def serves(self, origin: str, host: str) -> bool:
        """Whether an endpoint of ``origin`` answers a request with this ``Host``."""
        return not self.is_split or _host(f"//{host}") == _host(origin)


def addresses(public: str | None, auth: str | None, api: str | None, listen: str) -> ServiceOrigins:
    """From the settings of the server; ``listen`` where ``public_url`` is not set."""
    origin = (public or f"http://{listen}").rstrip("/")
    return ServiceOrigins(
        public=origin, auth=(auth or origin).rstrip("/"), api=(api or origin).rstrip("/")
    )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
