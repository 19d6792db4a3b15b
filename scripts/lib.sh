# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the scripts share: where things are, how they talk, how they lock.
# Nothing here may have a side effect beyond making the cache directory.

TOP=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${RXT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rxt}
PROG=${0##*/}
mkdir -p "$CACHE"

# Progress and complaints go to stderr: stdout belongs to results.
say() { printf '%s: %s\n' "$PROG" "$*" >&2; }
die() { say "$*"; exit 2; }

# need TOOL PACKAGE: one clear line when a tool is missing.
need() {
	command -v "$1" >/dev/null 2>&1 ||
		die "needs '$1' (Debian package $2): run scripts/setup"
}

# nproc, but at least 1 and not more than memory allows for a compiler each.
jobs_for_build() { nproc; }

# hash_of FILE|STRING...: twelve hex digits that change when any of them does.
hash_of() {
	local a
	for a in "$@"; do
		if [ -f "$a" ]; then cat "$a"; else printf '%s\n' "$a"; fi
	done | sha256sum | cut -c1-12
}

# with_lock NAME CMD...: one at a time per NAME over all processes of this user.
# The lock is not inherited by what CMD starts (a daemon would hold it forever).
with_lock() {
	local name=$1 fd rc=0
	shift
	mkdir -p "$CACHE/lock"
	exec {fd}>"$CACHE/lock/$name"
	flock "$fd"
	"$@" {fd}>&- || rc=$?
	exec {fd}>&-
	return $rc
}

# The newest installed Debian kernel that has both an image and headers.
stock_release() {
	local d r best=
	for d in /lib/modules/*/build; do
		[ -e "$d/Makefile" ] || continue
		r=${d%/build}
		r=${r##*/}
		[ -r "/boot/vmlinuz-$r" ] || continue
		best=$(printf '%s\n%s\n' "$best" "$r" | sort -V | tail -n 1)
	done
	[ -n "$best" ] || die "no kernel with image and headers in /boot and /lib/modules: run scripts/setup"
	printf '%s\n' "$best"
}
