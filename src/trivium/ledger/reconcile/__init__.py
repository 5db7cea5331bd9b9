"""A vendor's own account of a time beside ours."""
