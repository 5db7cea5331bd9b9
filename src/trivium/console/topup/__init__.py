"""Pages where balance is bought, redeemed and, by administrators, given."""
