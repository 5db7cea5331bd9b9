"""Fetching of files that a request names by URL."""

from trivium.settings.section import Section


class Fetch(Section, frozen=True):
    """Files named by URL, for upstreams that take bytes only. Public addresses only."""

    enabled: bool = False
    """Whether they are fetched. Off: such a request is refused by name, as an operator may not want
    the gateway to call strangers' servers."""
    timeout_s: float = 15.0
    """For one file, redirects included; the caller waits meanwhile."""
    bytes_max: int = 20_971_520
    """Of one file: what the vendors take in one request."""
    files_max: int = 16
    """Of one request."""
    redirects_max: int = 3
    """Followed for one file; each target is looked at like the first."""
    kept_s: float = 3600.0
    """How long a worker keeps a file: every turn of a conversation sends its pictures again, and
    they should be the same bytes."""
    kept_bytes_max: int = 67_108_864
    """For all kept files of a worker; the oldest go first."""
    networks: tuple[str, ...] = ()
    """Ranges such as "10.20.0.0/16" that may be fetched from although they are not public."""
