"""The responses shape: POST /v1/responses."""
