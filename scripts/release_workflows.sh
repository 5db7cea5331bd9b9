#!/usr/bin/env bash
# Looks over .github/workflows: actionlint for what GitHub would refuse (its scripts by shellcheck where that is installed),
# zizmor for what would let strangers in. actionlint comes from the Go module proxy into .release, zizmor from the lock.
set -euo pipefail
cd "$(dirname "$0")/.."
actionlint=v1.7.12
command -v go >/dev/null || {
  echo "make workflows: Go is needed to build actionlint (Debian: apt-get install golang)" >&2
  exit 1
}
[ -x .release/bin/actionlint ] || GOBIN=$PWD/.release/bin go install "github.com/rhysd/actionlint/cmd/actionlint@$actionlint"
.release/bin/actionlint
.release/bin/zizmor --offline --persona pedantic .github/workflows
