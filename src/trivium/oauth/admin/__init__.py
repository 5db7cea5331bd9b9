"""Tokens for machines that administer: each does what its scopes say."""
