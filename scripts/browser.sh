#!/usr/bin/env bash
# Makes sure of a browser for the tests that look at the pages. It is the system's: on Debian and
# Ubuntu it is installed where that is possible without asking. TRIVIUM_CHROMIUM names one that is
# not on the path.
set -euo pipefail
if [ "${TRIVIUM_WITHOUT_BROWSER:-}" = 1 ]; then
  echo "TRIVIUM_WITHOUT_BROWSER=1: the tests in a browser are left out" >&2
  exit 0
fi
there() {
  local name
  for name in "${TRIVIUM_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then
      return 0
    fi
  done
  return 1
}

there && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing Chromium with apt-get (about 100 MB): the pages are tested in a browser" >&2
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if { apt-get install -y --no-install-recommends chromium ||
    { apt-get update && apt-get install -y --no-install-recommends chromium; }; } >"$log" 2>&1 && there; then
    exit 0
  fi
  tail -n 5 "$log" >&2
fi
echo "make: Chromium is missing: the pages are tested in a browser." >&2
echo "On Debian: apt-get install chromium. To go on without these tests: TRIVIUM_WITHOUT_BROWSER=1 make …" >&2
exit 1
