"""``trivium``: the command line, a module for each group of commands."""
