"""Models to begin with."""

from trivium.ledger.suggestions.model import bundled
from trivium.ledger.suggestions.starting import starting_models


def test_models_to_begin_with_have_prices():
    """Each that people are offered first."""
    suggestions = bundled()
    assert "openai" in starting_models()
    for provider, models in starting_models().items():
        assert all(suggestions.find(provider, model) for model in models), provider
