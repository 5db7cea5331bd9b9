"""A stored word is the state's own."""

from trivium.catalogue.pricing.model import ProposalState


def test_states_are_what_the_schema_says():
    assert ["open", "adopted", "dismissed", "replaced", "settled"] == [
        state.value for state in ProposalState
    ]
