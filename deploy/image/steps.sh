#!/bin/sh
# What deploy/image/Dockerfile runs, one word a step.
#   tools      compiler, headers and pip, for the stages that end before the image
#   packages   what the gateway needs, as requirements/run.txt locks it, into /opt/trivium; and what compiles it
#   gateway    the gateway itself, compiled, beside them; then all of it made small
#   runtime    the base becomes the system below it: Python, certificates, a user, and nothing that installs or builds
# A certificate authority of a proxy on the way to the package index is taken from the build secret `ca`.
set -eu
home=/opt/trivium
build=/build
if [ -s /run/secrets/ca ]; then export PIP_CERT=/run/secrets/ca; fi
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
# sets are written into bytecode in the order of their hashes
export PYTHONHASHSEED=0

from_debian() {
  apt-get update -q
  apt-get install -q -y --no-install-recommends "$@"
  apt-get clean
  rm -rf /var/lib/apt/lists/*
}

from_index() { # INTERPRETER ARGUMENT…
  interpreter=$1
  shift
  "$build/tools/bin/pip" --python "$interpreter" install --quiet --no-compile --only-binary :all: "$@"
}

# Unchecked: the files of an image never change, and their times may on the way through a registry. By one process: which names are
# written as references depends on what the process compiled before.
bytecode() {
  find "$1" -name __pycache__ -prune -exec rm -rf {} +
  /usr/bin/python3 -m compileall -q --invalidation-mode unchecked-hash "$1"
}

tools() {
  from_debian ca-certificates gcc libc6-dev python3-dev python3-venv
  python3 -m venv "$build/tools"
}

packages() {
  python3 -m venv --without-pip "$home"
  from_index "$home/bin/python" --require-hashes -r "$build/requirements/run.txt"
  from_index "$build/tools/bin/python" --require-hashes -r "$build/requirements/run.txt"
  from_index "$build/tools/bin/python" --require-hashes -r "$build/requirements/compile.txt"
}

gateway() {
  cd "$build"
  HATCH_BUILD_HOOK_ENABLE_CUSTOM=true tools/bin/python -m hatchling build -t wheel -d dist >build.log 2>&1 ||
    { tail -n 30 build.log >&2; exit 1; }
  from_index "$home/bin/python" --no-deps dist/*.whl
  small
  bytecode "$home"
}

# What no request comes by: symbols for debuggers, tests and C sources of packages, and the calendars of languages that no page is in.
small() {
  site=$(echo "$home"/lib/python3*/site-packages)
  find "$home" -name '*.so*' -type f -exec strip --strip-debug {} +
  find "$site" -depth -type d \( -name tests -o -name testing \) -exec rm -rf {} +
  find "$site" -type f \( -name '*.c' -o -name '*.h' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi' \) -delete
  pages=$(find "$site/trivium/console" -name '*.po' -exec basename {} .po \;)
  for path in "$site"/babel/locale-data/*.dat; do
    language=$(basename "$path" .dat)
    case " root en $(echo $pages) " in
    *" ${language%%_*} "*) ;;
    *) rm "$path" ;;
    esac
  done
}

runtime() {
  from_debian ca-certificates python3
  user
  # what installs, changes users or passes on root's rights; the list of packages stays for scanners
  dpkg --purge --force-all apt libapt-pkg7.0 sqv debconf passwd login login.defs mount util-linux perl-base \
    debian-archive-keyring >/dev/null 2>&1
  find / -xdev -type f -perm /6000 -exec chmod a-s {} +
  rm -rf /usr/share/doc /usr/share/man /usr/share/info /usr/share/locale /usr/share/lintian /usr/share/bash-completion \
    /usr/lib/python3/dist-packages /var/cache/* /var/log/* /var/lib/apt /var/lib/dpkg/*-old /tmp/* /root/.[!.]* "$build"
  for folder in /usr/lib/python3.*; do
    rm -rf "$folder"/ensurepip "$folder"/idlelib "$folder"/lib2to3 "$folder"/pydoc_data "$folder"/turtledemo "$folder"/test "$folder"/config-*
    bytecode "$folder"
  done
}

user() {
  # the day on which Debian's users got their passwords, which they have not, is the day of the build
  sed -i 's/^\([^:]*:[^:]*\):[0-9]*:/\1::/' /etc/shadow
  echo 'trivium:x:10001:' >>/etc/group
  echo 'trivium:x:10001:10001:Trivium:/var/lib/trivium:/usr/sbin/nologin' >>/etc/passwd
  mkdir -p /etc/trivium /var/lib/trivium
  chown 10001:10001 /var/lib/trivium
  chmod 0700 /var/lib/trivium
}

for step in "$@"; do "$step"; done
