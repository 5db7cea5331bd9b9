"""How upstreams are asked for videos: two ways, each a handful of pure functions."""
