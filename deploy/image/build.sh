#!/usr/bin/env bash
# Builds deploy/image/Dockerfile without a container engine, and without a registry: on a base that debootstrap makes of Debian's
# packages, or on the image that BASE names. As root, with buildah and debootstrap; about five minutes.
#   build.sh           .image/rootfs, the image's files, and .image/trivium.tar, the image as an OCI archive
# A certificate authority of a proxy on the way to the package index is taken from PIP_CERT. Layers of an earlier build are used again.
set -euo pipefail
cd "$(dirname "$0")/../.."
release=trixie
mirror=${MIRROR:-http://deb.debian.org/debian}
base=${BASE:-localhost/trivium-base:$release}
out=.image

fail() {
  printf '%s\n' "" "make: $1" "${@:2}" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "an image is built as root." "Without root: docker build, or podman build, as docs/operate/image.md says."
for tool in buildah debootstrap; do
  command -v "$tool" >/dev/null || fail "$tool is missing." "On Debian and Ubuntu: apt-get install buildah debootstrap debian-archive-keyring"
done

# what docker.io/library/debian:trixie-slim is made of, with the updates since; `buildah rmi` has the next build make it anew
bootstrap() {
  local folder container
  folder=$(mktemp -d)
  debootstrap --variant=minbase "$release" "$folder/root" "$mirror" >"$folder/log" 2>&1 ||
    { tail -n 20 "$folder/log" >&2; fail "debootstrap failed; its last words are above"; }
  rm -rf "$folder"/root/var/cache/apt/archives/*.deb "$folder"/root/var/lib/apt/lists/*
  printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates" >"$folder/root/etc/apt/sources.list"
  [ -n "${MIRROR:-}" ] ||
    echo "deb http://deb.debian.org/debian-security $release-security main" >>"$folder/root/etc/apt/sources.list"
  chroot "$folder/root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    sh -ec 'apt-get update -q; apt-get upgrade -q -y; apt-get clean; rm -rf /var/lib/apt/lists/*' >>"$folder/log" 2>&1 ||
    { tail -n 20 "$folder/log" >&2; fail "Debian's updates could not be installed; the last words are above"; }
  # this machine's, which debootstrap copies
  rm -f "$folder/root/etc/resolv.conf" "$folder/root/etc/hostname"
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$folder/root" / >/dev/null
  buildah commit --quiet --rm "$container" "$base" >/dev/null
  rm -rf "$folder"
}

if [ -z "${BASE:-}" ] && ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  echo "making a base of Debian's packages: a minute" >&2
  bootstrap
fi
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
options=(--isolation chroot --layers --file deploy/image/Dockerfile --ignorefile deploy/image/Dockerfile.dockerignore)
# what changes with each commit as labels: an argument would have every layer built anew
options+=(--build-arg "BASE=$base" --label "org.opencontainers.image.version=$version")
options+=(--label "org.opencontainers.image.revision=$(git rev-parse HEAD 2>/dev/null || true)")
[ -z "${PIP_CERT:-}" ] || options+=(--secret "id=ca,src=$PIP_CERT")
mkdir -p "$out"
echo "building the image: three minutes for what is compiled" >&2
buildah build --format docker "${options[@]}" --tag "localhost/trivium:$version" . >"$out/build.log" 2>&1 ||
  { tail -n 30 "$out/build.log" >&2; fail "the build failed; its last words are above, all of them in $out/build.log"; }

rm -rf "$out/rootfs" "$out/trivium.tar"
buildah push --quiet "localhost/trivium:$version" "oci-archive:$out/trivium.tar:trivium:$version"
mkdir "$out/rootfs"
container=$(buildah from "localhost/trivium:$version")
tar -C "$(buildah mount "$container")" -cf - . | tar -C "$out/rootfs" -xpf -
buildah rm "$container" >/dev/null
python3 deploy/image/parts.py "$out"
