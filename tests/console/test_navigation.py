"""The side navigation."""

from trivium.console.navigation import SECTIONS, sections
from trivium.console.render import environment
from trivium.identity.model import Role, User

ADA = User(id=1, name="ada", email="ada@example.com")
EVE = User(id=2, name="eve", email="eve@example.com", role=Role.ADMIN)


def paths(user):
    return [link.path for section in sections(user) for link in section.links]


def test_everybody_sees_what_they_may_open():
    """Administrators everything, visitors nothing."""
    every = [link.path for section in SECTIONS for link in section.links]
    assert [] == paths(None)
    assert [path for path in every if not path.startswith("/admin")] == paths(ADA)
    assert every == paths(EVE)
    assert len(every) == len(set(every))


def test_every_link_has_a_symbol_that_is_drawn():
    """A misspelt one would break every page."""
    drawn = environment("en").get_template("icons.html").module.paths
    assert set() == {link.icon for section in SECTIONS for link in section.links} - set(drawn)
