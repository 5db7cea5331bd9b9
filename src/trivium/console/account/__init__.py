"""The pages of the user centre: overview, keys, requests, statement, profile."""
