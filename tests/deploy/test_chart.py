"""deploy/chart: what it renders is sound, and a gateway starts on it.

`make chart` renders it into tests/deploy/rendered, lints it and validates it against Kubernetes'
own schemas; that takes Helm. These tests look at what it left, and that it is up to date.
"""

import hashlib
import json
import os
import re
import subprocess
import uuid

import pytest
import yaml

import warm
from deploy.pages import ROOT, VALUES, uncommented
from end_to_end.running import TRIVIUM
from trivium.cli.workers import GRACE_S
from trivium.observe.metrics import model
from trivium.routing.reload import LIVE

CHART = VALUES.parent
RENDERED = ROOT / "tests" / "deploy" / "rendered"
HELM = ROOT / ".chart" / "bin" / "helm"
CASES = sorted(path.name.removesuffix("-values.yaml") for path in (CHART / "ci").iterdir())
MERGED = yaml.load(VALUES.read_text(), yaml.SafeLoader)
helm_only = pytest.mark.skipif(not HELM.exists(), reason="`make chart` has not built helm yet")


def rendered(case):
    """Objects of one case, by kind; the Service is the one that callers use."""
    found = {}
    for one in yaml.load_all((RENDERED / f"{case}.yaml").read_text(), yaml.SafeLoader):
        found.setdefault(one["kind"], one)
    return found


def template(*argv):
    """What Helm says to some values."""
    return subprocess.run(
        [HELM, "template", "trivium", CHART, "--namespace", "gateways", "--kube-version", "1.36.3",
         *argv],
        check=False, capture_output=True, text=True,
    )  # fmt: skip


def pods(case):
    """(object, pod) of whatever runs something."""
    for kind in ("StatefulSet", "Job"):
        if kind in (found := rendered(case)):
            yield found[kind], found[kind]["spec"]["template"]["spec"]


def inputs():
    """As scripts/chart.sh has it: a hash over the hashes of all files of the chart."""
    lines = "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(ROOT).as_posix()}\n"
        for path in sorted(CHART.rglob("*"), key=lambda path: path.as_posix())
        if path.is_file()
    )
    return hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize("case", CASES)
def test_what_was_rendered_is_what_there_is(case):
    """`make chart` renders it anew."""
    (first, *_) = (RENDERED / f"{case}.yaml").read_text().splitlines()
    assert f"# written by scripts/chart.sh from {inputs()}" == first, "run `make chart`"


@helm_only
@pytest.mark.parametrize("case", CASES)
def test_helm_renders_the_same(case):
    """Where it is there."""
    done = template("--values", CHART / "ci" / f"{case}-values.yaml")
    assert 0 == done.returncode, done.stderr
    own = list(yaml.load_all(done.stdout, yaml.SafeLoader))
    kept = list(yaml.load_all((RENDERED / f"{case}.yaml").read_text(), yaml.SafeLoader))
    assert kept == own


@helm_only
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "secret.existing: name a Secret"),
        (["secret.existing=s", "database=sqlite"], "sqlite is a file of one pod"),
        (["secret.existing=s", "workers=2", "secret.keys.sharedUrl="], "workers: more than one"),
        (["secret.existing=s", "autoscaling.enabled=true"], "needs metrics.enabled"),
        (["secret.existing=s", "autoscaling.enabled=true", "autoscaling.requestsRunning=0"], "act"),
        (["secret.existing=s", "metrics.serviceMonitor.enabled=true"], "needs metrics.enabled"),
        (["secret.existing=s", "replica=3"], "replica"),
    ],
)
def test_what_cannot_go_together_is_refused(values, said):
    """With what would be right."""
    done = template(*[word for value in values for word in ("--set", value)])
    assert done.returncode != 0
    assert said in done.stderr


def test_every_value_says_what_it_is():
    """The table of the page comes from these comments; tests/deploy/test_pages.py compares it."""
    assert [] == uncommented()


def test_the_schema_knows_every_value_and_no_other():
    """And refuses slips, of any depth that is ours."""

    def differences(schema, value, path=""):
        if "properties" not in schema:
            return
        assert schema["additionalProperties"] is False, path
        names = set(schema["properties"]) - ({"global"} if not path else set())
        yield from (f"{path}{name}" for name in names ^ set(value))
        for name in names & set(value):
            yield from differences(schema["properties"][name], value[name], f"{path}{name}.")

    schema = json.loads((CHART / "values.schema.json").read_text())
    assert [] == list(differences(schema, MERGED))


@pytest.mark.parametrize("case", CASES)
def test_pods_have_no_more_than_they_need(case):
    """No root, no privileges, no token of the cluster's; nothing to write to but volumes."""
    for _, pod in pods(case):
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        security = pod["securityContext"]
        assert (True, 10001) == (security["runAsNonRoot"], security["runAsUser"])
        assert {"type": "RuntimeDefault"} == security["seccompProfile"]
        for container in pod["containers"]:
            assert {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            } == container["securityContext"]
            assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize("case", CASES)
def test_no_secret_is_in_the_chart(case):
    """Neither as one of its objects nor in a variable nor in the settings."""
    assert "Secret" not in rendered(case)
    for _, pod in pods(case):
        for variable in pod["containers"][0]["env"]:
            if re.search("SECRET|TOKEN|URL$", variable["name"]):
                assert re.match("file:|sqlite:|https://", variable["value"])
    for name, value in re.findall(r"(?m)^(\w*key\w*) = (.+)$", str(rendered(case)["ConfigMap"])):
        assert "file:" in value, name


@pytest.mark.parametrize("case", CASES)
def test_a_pod_may_drain(case):
    """The kubelet kills later than the gateway's supervisor would; checks notice the notice."""
    ((_, pod), *_) = pods(case)
    container = pod["containers"][0]
    given = {one["name"]: one["value"] for one in container["env"]}
    notice = float(given["TRIVIUM_SERVER__DRAIN_NOTICE_S"])
    drain = float(given["TRIVIUM_SERVER__DRAIN_S"])
    assert pod["terminationGracePeriodSeconds"] > notice + drain + GRACE_S
    ready, alive, start = (container[f"{k}Probe"] for k in ("readiness", "liveness", "startup"))
    assert ready["periodSeconds"] * ready["failureThreshold"] < notice
    paths = [probe["httpGet"]["path"] for probe in (ready, alive, start)]
    assert ["/readyz", "/healthz", "/healthz"] == paths


def test_the_journal_outlives_its_pod():
    """A volume of each pod's own, that is kept."""
    found = rendered("least")["StatefulSet"]["spec"]
    (claim,) = found["volumeClaimTemplates"]
    mounts = {
        one["name"]: one["mountPath"]
        for one in found["template"]["spec"]["containers"][0]["volumeMounts"]
    }
    assert "/var/lib/trivium" == mounts[claim["metadata"]["name"]]
    kept = {"whenDeleted": "Retain", "whenScaled": "Retain"}
    assert kept == found["persistentVolumeClaimRetentionPolicy"]


def test_what_restarts_pods_and_what_does_not():
    """`settings` do, by a checksum; what stands in `catalogue` by its comment is taken up alone."""
    text = VALUES.read_text()
    (said,) = re.findall(r"# (Channels, models.*)as TOML: the end", text)
    for section in ("channels", "models", "routing", "groups"):
        assert section in said.lower()
        assert any(name.partition(".")[0] == section for name in LIVE)
    found = rendered("everything")["StatefulSet"]["spec"]["template"]["metadata"]["annotations"]
    settings = yaml.load((CHART / "ci" / "everything-values.yaml").read_text(), yaml.SafeLoader)
    sum_ = hashlib.sha256(settings["settings"].encode()).hexdigest()
    assert sum_ == found["checksum/settings"]


def test_it_scales_by_a_number_that_there_is():
    """And scrapes where the gateway says it."""
    found = rendered("everything")
    first, _ = found["HorizontalPodAutoscaler"]["spec"]["metrics"]
    assert model.RUNNING.name == first["pods"]["metric"]["name"]
    (endpoint,) = found["ServiceMonitor"]["spec"]["endpoints"]
    assert "/metrics" == endpoint["path"]
    selector = found["ServiceMonitor"]["spec"]["selector"]["matchLabels"]
    assert selector.items() <= found["Service"]["metadata"]["labels"].items()


def test_objects_find_the_pods_and_the_migration_is_none_of_them():
    """Neither the Service nor the policies count it in."""
    found = rendered("everything")
    labels = found["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    selectors = [
        found["Service"]["spec"]["selector"],
        *(
            found[kind]["spec"]["selector"]["matchLabels"]
            for kind in ("StatefulSet", "PodDisruptionBudget")
        ),
        found["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ]
    migration = found["Job"]["spec"]["template"]["metadata"]["labels"]
    for selector in selectors:
        assert selector.items() <= labels.items()
        assert not selector.items() <= migration.items()


def trivium(folder, container, *argv):
    """One container's command, or another one, with its variables and files in a folder."""
    own = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    own |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    for one in container["env"]:
        value = one["value"]
        for there in ("/run/secrets/trivium", "/etc/trivium", "/var/lib/trivium"):
            value = value.replace(there, f"{folder}{there}")
        own[one["name"]] = value
    return warm.run(
        [TRIVIUM, *(argv or container["args"])], check=False, cwd=folder, env=own,
        capture_output=True, text=True,
    )  # fmt: skip


def laid(folder, case, **secrets):
    """The folders that a case's pods have, with these secrets in them."""
    for name in ("run/secrets/trivium", "etc/trivium", "var/lib/trivium"):
        (folder / name).mkdir(parents=True)
    settings = rendered(case)["ConfigMap"]["data"]["trivium.toml"]
    settings = settings.replace("/run/secrets", f"{folder}/run/secrets")
    (folder / "etc" / "trivium" / "trivium.toml").write_text(settings)
    for name, value in {"trivium_secret": "s" * 64, **secrets}.items():
        (folder / "run" / "secrets" / "trivium" / name).write_text(f"{value}\n")
    return [pod["containers"][0] for _, pod in pods(case)]


def test_the_settings_of_one_pod_pass_the_check(tmp_path):
    """SQLite on its volume."""
    (gateway,) = laid(tmp_path, "sqlite")
    found = trivium(tmp_path, gateway, "check")
    assert 0 == found.returncode, found.stdout + found.stderr
    assert f"{tmp_path}/var/lib/trivium/trivium.db will be made" in found.stdout


@pytest.mark.postgres
def test_the_settings_of_several_pods_pass_the_check(tmp_path, postgresql_server, valkey):
    """After the Job that comes before them, which has the database's address and no settings."""
    name = f"chart_{uuid.uuid4().hex[:12]}"
    postgresql_server.psql(f"CREATE DATABASE {name};")
    try:
        gateway, migration = laid(
            tmp_path, "everything", shared_url=valkey.url, metrics_token="m" * 32,
            database_url=postgresql_server.get_uri(database=name), openai_api_key="sk-vendor",
        )  # fmt: skip
        done = trivium(tmp_path, migration)
        assert (0, True) == (done.returncode, "migrated from step" in done.stderr), done.stderr
        found = trivium(tmp_path, gateway, "check")
        assert 0 == found.returncode, found.stdout + found.stderr
        for line in ("catalogue: 1 channel, 1 model", "database: PostgreSQL answers", "shared"):
            assert f"ok      {line}" in found.stdout
    finally:
        postgresql_server.psql(f"DROP DATABASE {name} WITH (FORCE);")
