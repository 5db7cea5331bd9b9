"""``/scim/v2``: what directories provision people and teams by (RFC 7644)."""
