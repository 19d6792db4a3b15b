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

# module_layer BASE RELEASE BUILT: prints a directory with lib/modules/RELEASE as it is under BASE and, in extra/, the
# modules of the build directory BUILT (none when empty), with depmod's files for both. KUnit suites are in
# extra/kunit/. A layer is made once and never changed: a rebuild cannot pull it from under a running guest.
module_layer() {
	local base=$1 release=$2 built=$3 sum=none out
	[ -z "$built" ] || sum=$(built_modules "$built" | xargs -r cat | sha256sum)
	mkdir -p "$CACHE/layer"
	out=$CACHE/layer/$(hash_of "$base" "$release" "$sum" "$base/lib/modules/$release/modules.order")
	with_lock "layer-${out##*/}" _make_layer "$base" "$release" "$built" "$out"
	touch "$out"
	# Two days: no guest runs that long.
	find "$CACHE/layer" -maxdepth 1 -mindepth 1 -mmin +2880 -exec rm -rf {} +
	printf '%s\n' "$out"
}

# What the last build made; the directory may still hold modules that Kbuild no longer knows.
built_modules() {
	sed "s|^$1/||; s|^|$1/|; s|\.o\$|.ko|" "$1/modules.order"
}

_make_layer() {
	local base=$1 release=$2 built=$3 out=$4 lib tmp rel ko
	[ -d "$out" ] && return 0
	lib=$(realpath "$base/lib/modules/$release")
	tmp=$(mktemp -d "$CACHE/layer/new.XXXXXX")
	# The layer is merged with the machine's own /, where /lib may be a link.
	rel=$(realpath /lib); rel=${rel#/}/modules/$release
	mkdir -p "$tmp/$rel/extra/kunit" "$tmp/dep/lib/modules"
	if [ "$base" = / ]; then
		ln -s "$lib/kernel" "$tmp/$rel/kernel"
		cp "$lib"/modules.{order,builtin,builtin.modinfo} "$tmp/$rel/"
	else
		# Links where possible: depmod makes its files anew, and nobody writes to the others.
		cp -al "$lib/." "$tmp/$rel/" 2>/dev/null || cp -a "$lib/." "$tmp/$rel/"
		rm -f "$tmp/$rel/build" "$tmp/$rel/source"
	fi
	[ -z "$built" ] || for ko in $(built_modules "$built"); do
		case $ko in
		*/kunit/*) strip --strip-debug -o "$tmp/$rel/extra/kunit/${ko##*/}" "$ko" ;;
		*) strip --strip-debug -o "$tmp/$rel/extra/${ko##*/}" "$ko" ;;
		esac
	done
	ln -s "$tmp/$rel" "$tmp/dep/lib/modules/$release"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tmp/dep" "$release"
	[ "$base" != / ] || rm "$tmp/$rel/kernel"
	rm -r "$tmp/dep"
	# modprobe -d wants lib/; the merge with / does not
	[ "${rel%%/*}" = lib ] || ln -s "$(dirname "$(dirname "$rel")")" "$tmp/lib"
	chmod 755 "$tmp"
	mv "$tmp" "$out"
}
