#!/bin/sh
# Install the locked dependencies into the Python named first: docker/install.sh .venv/bin/python [more.lock ...]
#
# TORCH=cuda installs torch with its CUDA libraries, TORCH=cpu the build without them. Unset, a machine with an NVIDIA driver
# gets the first, and any other the second if pip can find it (where to look is pip's configuration, for example
# PIP_EXTRA_INDEX_URL with the index of CPU wheels that pytorch.org names).
set -eu
here=$(dirname "$0")
python=$1
shift

options="--quiet --disable-pip-version-check --require-hashes --no-deps"
has_driver() { [ -e /proc/driver/nvidia/version ] || command -v nvidia-smi >/dev/null 2>&1; }

if [ -z "${TORCH:-}" ] && has_driver; then TORCH=cuda; fi
set -- "$here/requirements.lock" "$@"
[ "${TORCH:-}" != cuda ] || set -- "$@" "$here/requirements-cuda.lock"

echo "Installing the locked dependencies ..."
# The locks name every package there is to install, so nothing has to be resolved: several pips share them, where one would
# mostly wait for the network or keep one core busy. setuptools comes before the others, some of which are built with it.
parts=$(mktemp -d)
pids=
trap 'rm -rf "$parts"' EXIT
trap '[ -z "$pids" ] || kill $pids; exit 130' INT TERM
awk -v parts="$parts" '
  /^[a-z0-9]/ { part = /^setuptools==/ ? "first" : /^torch==/ ? "torch" : ++packages % 6 ".lock" }
  !/^#/ { print > (parts "/" part) }' "$@"
"$python" -m pip install $options -r "$parts/first"
for part in "$parts"/*.lock; do
  "$python" -m pip install $options -r "$part" &
  pids="$pids $!"
done

failed=0
if [ "${TORCH:-cpu}" = cpu ] && "$python" -m pip install $options -r "$here/requirements-cpu.lock"; then
  echo "torch is installed without CUDA"
elif [ "${TORCH:-}" = cpu ]; then
  echo "pip finds no CPU build of torch: point PIP_EXTRA_INDEX_URL at the CPU wheels of pytorch.org, or use TORCH=cuda" >&2
  kill $pids
  exit 2
else
  if [ -z "${TORCH:-}" ]; then
    echo "pip finds no CPU build of torch here: installing the CUDA build (several GB)"
    cat "$here/requirements-cuda.lock" >> "$parts/torch"
  fi
  "$python" -m pip install $options -r "$parts/torch" || failed=1
fi
for pid in $pids; do wait "$pid" || failed=1; done
exit "$failed"
