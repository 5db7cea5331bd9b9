"""The moderations shape: POST /v1/moderations."""
