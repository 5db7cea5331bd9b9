"""Words of entries."""

from trivium.catalogue.model import CatalogueKind, EntryName, UnfitError


def test_names_are_as_messages_have_them():
    """By the table of the file, and in an order."""
    said = [str(EntryName(kind.value, "a")) for kind in CatalogueKind]
    assert ['channels["a"]', 'models["a"]', 'groups["a"]', "routing"] == said
    assert ["channels", "models", "groups", "routing"] == [kind.plural for kind in CatalogueKind]
    assert EntryName("channel", "z") < EntryName("model", "a") < EntryName("model", "b")


def test_what_does_not_fit_is_told_line_by_line():
    """All of it."""
    assert ("a\nb", ("a", "b")) == (str(UnfitError("a", "b")), UnfitError("a", "b").lines)
