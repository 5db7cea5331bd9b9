"""Generated files: an object store, and addresses that are signed and expire."""
