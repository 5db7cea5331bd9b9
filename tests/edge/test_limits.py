"""The listening side's limits are the settings'."""

import pytest

from trivium.edge.limits import Limits, check_head
from trivium.faults import Fault, Kind
from trivium.settings.model import Server


def test_defaults_are_the_settings_defaults():
    """A listener built without settings keeps the documented limits."""
    shared = set(Limits.__struct_fields__) & set(Server.__struct_fields__)
    assert set(Limits.__struct_fields__) - shared == {"linger_s", "half_closed_cancels"}
    assert {n: getattr(Server(), n) for n in shared} == {n: getattr(Limits(), n) for n in shared}
    assert ("cancel", True) == (Server().half_closed, Limits().half_closed_cancels)


@pytest.mark.parametrize(("more", "lines"), [(0, 2), (-1, 2), (0, 1)])
def test_a_head_is_as_long_as_its_target_and_lines(more, lines):
    """With colon, space and line end; there are so many lines at most."""
    size = len(b"/a" + b"host: x\r\n" + b"a: \r\n")
    limits = Limits(header_bytes_max=size + more, headers_max=lines)
    headers = [(b"host", b"x"), (b"a", b"")]
    if (more, lines) == (0, 2):
        check_head(b"/a", headers, limits)
        return
    with pytest.raises(Fault) as told:
        check_head(b"/a", headers, limits)
    assert Kind.HEADERS_TOO_LARGE is told.value.kind
