"""How long a recording is, read from its container: for bills where no vendor says."""
