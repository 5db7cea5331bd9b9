#!/usr/bin/env bash
# Makes sure of libfaketime for the slow tests in which a gateway's clock jumps. It is the system's:
# on Debian and Ubuntu it is installed where that is possible without asking.
set -euo pipefail
if [ "${TRIVIUM_WITHOUT_FAKETIME:-}" = 1 ]; then
  echo "TRIVIUM_WITHOUT_FAKETIME=1: the tests with libfaketime are left out; those with a patched clock remain" >&2
  exit 0
fi
there() {
  [ -n "$(find /usr/lib /usr/lib64 /usr/local/lib -name libfaketime.so.1 -print -quit 2>/dev/null)" ]
}

there && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing libfaketime with apt-get: a clock that jumps is one process's alone" >&2
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if { apt-get install -y --no-install-recommends libfaketime ||
    { apt-get update && apt-get install -y --no-install-recommends libfaketime; }; } >"$log" 2>&1 && there; then
    exit 0
  fi
  tail -n 5 "$log" >&2
fi
echo "make: libfaketime is missing: a gateway's clock jumps in the slow tests." >&2
echo "On Debian: apt-get install libfaketime. To go on without these tests: TRIVIUM_WITHOUT_FAKETIME=1 make …" >&2
exit 1
