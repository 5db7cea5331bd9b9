#!/usr/bin/env bash
# Installs the Node clients that tests/node drives: from the lock, without running install scripts.
# Some of the newest ask for Node.js 22 in their package.json; they run on 20, and npm only warns.
# To take newer ones, nothing younger than a week: npm install --before=YYYY-MM-DD in tests/node.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f tests/node/package.json ] || exit 0
if [ "${TRIVIUM_WITHOUT_NODE:-}" = 1 ]; then
  echo "TRIVIUM_WITHOUT_NODE=1: the tests with Node clients are left out" >&2
  exit 0
fi
for tool in node npm; do
  if ! command -v "$tool" >/dev/null; then
    echo "make: $tool is missing: the tests with the official Node clients need Node.js 20 or newer and npm." >&2
    echo "On Debian: apt-get install nodejs npm. To go on without these tests: TRIVIUM_WITHOUT_NODE=1 make …" >&2
    exit 1
  fi
done
if ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)'; then
  echo "make: Node.js $(node --version) is too old for the clients; 20 or newer is needed." >&2
  exit 1
fi
cd tests/node
stamp=$(cat package.json package-lock.json | cksum)
if [ "$(cat node_modules/.stamp 2>/dev/null)" != "$stamp" ]; then
  echo "installing the Node clients locked in tests/node/package-lock.json" >&2
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel error; then
    echo "make: npm could not install the locked packages (the reason is above)." >&2
    echo "A mirror can be named by npm_config_registry=…; without them: TRIVIUM_WITHOUT_NODE=1 make …" >&2
    exit 1
  fi
  echo "$stamp" >node_modules/.stamp
fi
