"""What a load balancer and an operator are told of a worker's parts. Pure."""

import msgspec


class Readiness(msgspec.Struct, frozen=True):
    """The parts of a worker by name, and whether each is there."""

    needed: dict[str, bool]
    """Without one of these no priced call is answered."""
    wanted: dict[str, bool]
    """Without one of these calls are answered, and something is worse than it should be."""

    @property
    def status(self) -> str:
        """``ok``; ``degraded``: serve on, and look into it; ``unavailable``: ask another node."""
        if not all(self.needed.values()):
            return "unavailable"
        return "ok" if all(self.wanted.values()) else "degraded"

    @property
    def parts(self) -> dict[str, bool]:
        """Return every part by name with whether it is well, needed ones first."""
        return {**self.needed, **self.wanted}
