"""From the authorization request to the code: checks, consent, grants."""
