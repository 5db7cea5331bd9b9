"""Numbers for Prometheus: counted in each worker, summed over all of them, written as text."""
