"""When an announcement is shown."""

from trivium.identity.announcements.model import Announcement, Level


def test_it_waits_is_shown_and_is_over():
    """Its beginning is included, its end is not; without one it goes on."""
    made = Announcement(id=1, text="x", level=Level.INFO, starts_at=10, ends_at=20, created_at=0)
    assert ["waiting", "shown", "shown", "over"] == [made.state(at) for at in (9, 10, 19, 20)]
    endless = Announcement(
        id=1, text="x", level=Level.INFO, starts_at=10, ends_at=None, created_at=0
    )
    assert "shown" == endless.state(10**11)
