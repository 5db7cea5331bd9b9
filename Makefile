# Everything here works on a machine with Python 3.11 or newer and `make`; the rest is installed into .venv.
.DEFAULT_GOAL := help
.PHONY: help demo check compiled compiled-check coverage test layout lint types format dependencies node langchain docs soak fuzz agents compat bench chart release workflows versions lock news clean dev image

RUN := .venv/bin

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## a gateway with a small real model inside, no vendor account needed (downloads about 130 MB once; SPEECH=1: 300 MB more; ARGS="--listen HOST:PORT")
	@exec scripts/demo.sh $(ARGS)

check: ## format, lint, types, dependencies, layout, tests: exactly what .ci/run does
	@exec scripts/check.sh

coverage: ## the same, with what the tests reach of each module, and its floor
	@TRIVIUM_COVERAGE=1 exec scripts/check.sh

test: dev node langchain ## the tests; pass options as ARGS="tests/wire -x"
	@exec $(RUN)/python -m pytest -m "not slow" $(ARGS)

layout: dev ## the rules of the house alone
	@exec $(RUN)/python -m pytest tests/layout

lint: dev ## ruff
	@$(RUN)/ruff format --check . && exec $(RUN)/ruff check .

format: dev ## let ruff write
	@$(RUN)/ruff format . && exec $(RUN)/ruff check --fix .

types: dev ## mypy, strict
	@exec $(RUN)/mypy

dependencies: dev ## what is imported is declared, what is declared is imported
	@exec $(RUN)/deptry src

node: ## install the Node clients that tests/node drives, from its lock
	@exec scripts/node.sh

langchain: ## install LangChain's clients, which tests/langchain drives, from their lock
	@exec scripts/langchain.sh

docs: ## the site of documents as site/index.html, from docs/ and the OpenAPI description, all links checked; installs its generator into .docs (SITE_URL=https://… for llms.txt)
	@SITE_URL="$(SITE_URL)" exec scripts/docs.sh

soak: dev node ## the slow tests that `make check` leaves out, the worst cases on the compiled build, too (minutes to build)
	@scripts/faketime.sh && { [ -n "$$TRIVIUM_WITHOUT_COMPILED" ] || scripts/compiled.sh; } && exec $(RUN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile many --timeout 7200 $(ARGS)

fuzz: dev ## every reader and the HTTP glue, guided by coverage (SECONDS=60 each, TARGETS="edge"); installs atheris into .fuzz
	@SECONDS_EACH="$(or $(SECONDS),60)" TARGETS="$(TARGETS)" exec scripts/fuzz.sh

agents: dev ## coding agents as published (Codex, Gemini CLI, opencode) work through a gateway
	@exec scripts/agents.sh $(ARGS)

compat: dev node langchain ## the tests against the local engine, the Node clients and LangChain
	@scripts/environment.sh engine && exec $(RUN)/python -m pytest -m "engine or node or langchain" $(ARGS)

compiled: ## the same gateway with its hot path compiled, as .compiled/bin/trivium (needs a C compiler; minutes)
	@exec scripts/compiled.sh

compiled-check: ## the tests that drive whole gateways, on that one
	@scripts/compiled.sh dev && exec scripts/compiled_check.sh $(ARGS)

bench: dev ## CPU per request beside nginx; needs gcc, wrk and nginx
	@exec bench/run.sh $(ARGS)

chart: dev ## render, lint and validate the Helm chart (needs Go; builds helm and kubeconform into .chart, a minute or two)
	@exec scripts/chart.sh

release: ## dist/: sdist, pure and compiled wheel, SBOM, chart, image, provenance, checksums, the same bytes each time (needs a C compiler; ARGS="--without-compiled")
	@exec scripts/release.sh $(ARGS)

workflows: ## look over .github/workflows with actionlint (needs Go) and zizmor
	@scripts/release.sh environment && exec scripts/release_workflows.sh

versions: dev ## a fast part of the tests on the oldest versions that pyproject.toml permits, and on the newest (needs the package index)
	@exec scripts/versions.sh $(ARGS)

image: ## the image of the compiled gateway, as .image/trivium.tar, without a container engine (as root, needs buildah and debootstrap; minutes)
	@exec deploy/image/build.sh

lock: dev ## resolve requirements/ anew, nothing younger than a week
	@exec scripts/lock.sh

news: dev ## show the changelog entry that the fragments would make
	@exec $(RUN)/towncrier build --draft --version next

clean: ## remove .venv, caches and what a demo left
	@rm -rf .venv .compiled .docs .fuzz .chart .image .release .versions .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* htmlcov demo site tests/langchain/.venv tests/node/node_modules

dev:
	@scripts/environment.sh dev
