"""Answers kept under the ``Idempotency-Key`` that a request came with, until their day is over."""
