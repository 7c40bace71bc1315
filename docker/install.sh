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

pip_install() { "$python" -m pip install --quiet --disable-pip-version-check --require-hashes "$@"; }
has_driver() { [ -e /proc/driver/nvidia/version ] || command -v nvidia-smi >/dev/null 2>&1; }

if [ -z "${TORCH:-}" ] && has_driver; then TORCH=cuda; fi
if [ "${TORCH:-cpu}" = cpu ]; then
  echo "Installing torch without CUDA ..."
  if pip_install --no-deps -r "$here/requirements-cpu.lock"; then
    TORCH=cpu
  elif [ "${TORCH:-}" = cpu ]; then
    echo "pip finds no CPU build of torch: point PIP_EXTRA_INDEX_URL at the CPU wheels of pytorch.org, or use TORCH=cuda" >&2
    exit 2
  else
    echo "pip finds no CPU build of torch here: installing the CUDA build (several GB)"
    TORCH=cuda
  fi
fi

set -- "$here/requirements.lock" "$@"
[ "$TORCH" = cpu ] || set -- "$@" "$here/requirements-cuda.lock"
echo "Installing the locked dependencies ..."
for lock in "$@"; do
  set -- "$@" -r "$lock"
  shift
done
pip_install "$@"
