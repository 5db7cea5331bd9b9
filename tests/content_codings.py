"""Content codings, the packing way."""

import gzip
import sys
import zlib

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["PACK", "brotli", "zstd"]

PACK = {
    b"gzip": lambda data: gzip.compress(data, mtime=0),
    b"deflate": zlib.compress,
    b"br": lambda data: brotli.compress(data, quality=5),
    b"zstd": zstd.compress,
}
"""A whole body by coding."""
