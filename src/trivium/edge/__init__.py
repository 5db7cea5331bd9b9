"""HTTP in and out: routes, keys, rendering."""
