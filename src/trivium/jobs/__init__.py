"""Work that outlives a request: videos, looked after until they are made and paid for."""
