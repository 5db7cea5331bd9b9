"""The proxy that ``https_proxy``, ``http_proxy``, ``all_proxy`` and ``no_proxy`` ask for.

Rules as curl and Go read them: lower case first; ``HTTP_PROXY`` in capitals is ignored, because a
CGI server sets it from a caller's header; loopback is never proxied.
Sources: curl manual, "Environment"; Go net/http ProxyFromEnvironment; both read 2026-11.
"""

import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from trivium.settings.errors import SettingsError
from trivium.settings.syntax import proxy_url

_NAMES: Final = {
    "http": ("http_proxy", "all_proxy", "ALL_PROXY"),
    "https": ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
}


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy for one address, ``None`` for a direct connection.

    Raises SettingsError naming the variable when its value is not a proxy we can use.
    """
    parts = urlsplit(url)
    name = next((name for name in _NAMES.get(parts.scheme, ()) if environ.get(name)), None)
    if name is None or _direct(parts.hostname or "", environ):
        return None
    proxy = environ[name] if "://" in environ[name] else f"http://{environ[name]}"
    what = proxy_url(proxy)
    if what:
        raise SettingsError(f"{name}: the environment's proxy {what}")
    return proxy.rstrip("/")


def _direct(host: str, environ: Mapping[str, str]) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is not None and address.is_loopback:
        return True
    listed = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    for raw in listed.split(","):
        entry = raw.strip().lower()
        if entry == "*":
            return True
        try:
            network = ipaddress.ip_network(entry, strict=False)
        except ValueError:
            name = entry.lstrip("*").lstrip(".")
            if name and (host == name or host.endswith(f".{name}")):
                return True
        else:
            if address is not None and address in network:
                return True
    return False
