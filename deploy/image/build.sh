#!/usr/bin/env bash
# Builds deploy/image/Dockerfile without a container engine, and without a registry: on a base that debootstrap makes of Debian's
# packages, or on the image that BASE names. As root, with buildah and debootstrap; about five minutes.
#   build.sh           .image/rootfs, the image's files, and .image/trivium.tar, the image as an OCI archive
# A certificate authority of a proxy on the way to the package index is taken from PIP_CERT. Layers of an earlier build are used again;
# FRESH=1 uses none of them and makes the base anew. The same commit and the same packages of Debian make the same bytes: all times are
# the commit's. Where there is no git, REVISION names the commit and SOURCE_DATE_EPOCH its time.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 022
export TZ=UTC
release=trixie
mirror=${MIRROR:-http://deb.debian.org/debian}
base=${BASE:-localhost/trivium-base:$release}
out=.image
revision=${REVISION:-$(git rev-parse HEAD 2>/dev/null || true)}
[ -n "${REVISION:-}" ] || [ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || revision+=-changed
at=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}

fail() {
  printf '%s\n' "" "make: $1" "${@:2}" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "an image is built as root." "Without root: docker build, or podman build, as docs/operate/image.md says."
for tool in buildah debootstrap; do
  command -v "$tool" >/dev/null || fail "$tool is missing." "On Debian and Ubuntu: apt-get install buildah debootstrap debian-archive-keyring"
done

# what docker.io/library/debian:trixie-slim is made of, with the updates since; FRESH=1 makes it anew
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
  buildah commit --quiet --rm --timestamp "$at" "$container" "$base" >/dev/null
  rm -rf "$folder"
}

if [ -z "${BASE:-}" ] && { [ -n "${FRESH:-}" ] || ! buildah inspect --type image "$base" >/dev/null 2>&1; }; then
  echo "making a base of Debian's packages: a minute" >&2
  bootstrap
fi
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
options=(--isolation chroot --file deploy/image/Dockerfile --ignorefile deploy/image/Dockerfile.dockerignore --timestamp "$at")
# squashed: the one layer that there is is written now, so that one which another commit left, with its times, is not taken for it
options+=(--build-arg "BASE=$base" --squash --identity-label=false)
options+=(--label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=$revision")
if [ -n "${FRESH:-}" ]; then options+=(--no-cache); else options+=(--layers); fi
[ -z "${PIP_CERT:-}" ] || options+=(--secret "id=ca,src=$PIP_CERT")
mkdir -p "$out"
echo "building the image: three minutes for what is compiled" >&2
buildah build --format docker "${options[@]}" --tag "localhost/trivium:$version" . >"$out/build.log" 2>&1 ||
  { tail -n 30 "$out/build.log" >&2; fail "the build failed; its last words are above, all of them in $out/build.log"; }

rm -rf "$out/rootfs" "$out/oci" "$out/trivium.tar"
buildah push --quiet "localhost/trivium:$version" "oci:$out/oci:trivium:$version"
# packed here, since buildah's own archive has the time of day in it
tar -C "$out/oci" --sort=name --mtime="@$at" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=ustar \
  -cf "$out/trivium.tar" oci-layout index.json blobs
rm -rf "$out/oci"
mkdir "$out/rootfs"
container=$(buildah from "localhost/trivium:$version")
tar -C "$(buildah mount "$container")" -cf - . | tar -C "$out/rootfs" -xpf -
buildah rm "$container" >/dev/null
python3 deploy/image/parts.py "$out"
