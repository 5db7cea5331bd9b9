#!/usr/bin/env bash
# Says whether the tests that look at the pages in a browser can run. The browser is the system's:
# it is not downloaded. TRIVIUM_CHROMIUM names one that is not on the path.
set -euo pipefail
if [ "${TRIVIUM_WITHOUT_BROWSER:-}" = 1 ]; then
  echo "TRIVIUM_WITHOUT_BROWSER=1: the tests in a browser are left out" >&2
  exit 0
fi
for name in "${TRIVIUM_CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null; then
    exit 0
  fi
done
echo "make: Chromium is missing: the pages are tested in a browser." >&2
echo "On Debian: apt-get install chromium. To go on without these tests: TRIVIUM_WITHOUT_BROWSER=1 make …" >&2
exit 1
