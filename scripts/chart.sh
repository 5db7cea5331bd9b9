#!/usr/bin/env bash
# Renders the chart with each values file of deploy/chart/ci into tests/deploy/rendered, where fast tests look at it, lints it,
# and validates it strictly against Kubernetes' own schemas, the oldest that it is for among them. Tools come from the Go module
# proxy into .chart: a minute or two, once. The values table of the page and the folder's hash are held by tests/deploy/test_chart.py.
set -euo pipefail
cd "$(dirname "$0")/.."
helm=v3.21.4 kubeconform=v0.8.0 operator=v0.85.0 kubernetes=(v1.30.14 v1.36.3)
rendered=tests/deploy/rendered

command -v go >/dev/null || {
  echo "make chart: Go is needed to build helm and kubeconform (Debian: apt-get install golang; 1.26 or newer)" >&2
  exit 1
}

# GO names a module and its version; prints where it was unpacked
module() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }

tools() {
  local stamp="$helm $kubeconform $operator ${kubernetes[*]} $(sha256sum <scripts/kubernetes_schemas.py)" version
  [ "$(cat .chart/stamp 2>/dev/null)" = "$stamp" ] && return
  echo "building helm $helm and kubeconform $kubeconform into .chart" >&2
  mkdir -p .chart
  GOBIN=$PWD/.chart/bin go install "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform"
  GOBIN=$PWD/.chart/bin go install "helm.sh/helm/v3/cmd/helm@$helm"
  local crds
  crds=$(module "github.com/prometheus-operator/prometheus-operator@$operator")/example/prometheus-operator-crd
  for version in "${kubernetes[@]}"; do
    "${PYTHON:-.venv/bin/python}" scripts/kubernetes_schemas.py ".chart/schemas/$version" \
      "$(module "k8s.io/kubernetes@$version")/api/openapi-spec/swagger.json" \
      "$crds/monitoring.coreos.com_servicemonitors.yaml"
  done
  echo "$stamp" >.chart/stamp
}

# the same as in tests/deploy/test_chart.py
inputs() { find deploy/chart -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1; }

tools
mkdir -p "$rendered"
for values in deploy/chart/ci/*-values.yaml; do
  name=$(basename "$values" -values.yaml)
  .chart/bin/helm lint --strict --quiet --kube-version "${kubernetes[-1]}" deploy/chart --values "$values"
  {
    echo "# written by scripts/chart.sh from $(inputs)"
    .chart/bin/helm template trivium deploy/chart --namespace gateways --kube-version "${kubernetes[-1]}" --values "$values"
  } | sed 's/[[:space:]]*$//' >"$rendered/$name.yaml"
  for version in "${kubernetes[@]}"; do
    echo "$name, Kubernetes $version: $(.chart/bin/kubeconform -strict -summary \
      -schema-location ".chart/schemas/$version/{{.ResourceKind}}{{.KindSuffix}}.json" "$rendered/$name.yaml")"
  done
done
# what the schema of the values is for: a slip is refused by name
for slip in replica=3 replicas=none image.pullPolicy=Sometimes secret.keys.own=; do
  if said=$(.chart/bin/helm template trivium deploy/chart --kube-version "${kubernetes[-1]}" --set secret.existing=trivium --set "$slip" 2>&1); then
    echo "make chart: --set $slip was not refused" >&2
    exit 1
  fi
  echo "refused: $slip: $(grep -m1 '^- ' <<<"$said")"
done
