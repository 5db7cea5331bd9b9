"""Workloads: programs whose own provider signs who they are, as it does for jobs of a CI."""
