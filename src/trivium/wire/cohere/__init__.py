"""Cohere's shape, version 2: POST /v2/chat and POST /v2/embed."""
