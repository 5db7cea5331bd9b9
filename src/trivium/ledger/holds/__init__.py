"""Holds that outlive the worker that placed them: rows, beside the leases of workers."""
