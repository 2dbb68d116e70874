#!/usr/bin/env bash
# Installs a wheel on a bare Debian, made by debootstrap (as root), that has nothing of LLVM, and runs there what needs no JAX:
#   python/tests/bare.sh target/wheel/mapwright_hlo-….whl
set -euo pipefail
wheel=$(realpath "$1")
cd "$(dirname "$0")/../.."
bare=target/bare
if [ ! -x $bare/usr/bin/python3 ]; then
	debootstrap --variant=minbase --include=python3,python3-venv bookworm $bare
fi
rm -rf $bare/try && mkdir -p $bare/try/wheels
cp "$wheel" $bare/try/wheels
# Outside, where there is a network.
python3 -m pip download --quiet --only-binary :all: --python-version 3.11 --dest $bare/try/wheels "numpy<3" ml_dtypes
cp -r python/tests docs/python.md $bare/try
chroot $bare sh -ec '
	! ls /usr/lib/*/libLLVM* /usr/lib/llvm* 2>/dev/null
	cd /try
	python3 -m venv environment
	environment/bin/pip install --quiet --no-index --find-links wheels mapwright-hlo ml_dtypes
	du -sh environment/lib/python3*/site-packages/mapwright_hlo
	environment/bin/python -m unittest discover --start-directory tests --pattern "test_arrays.py"
	environment/bin/python -c "
import doctest
found = doctest.testfile(\"/try/python.md\", module_relative=False)
assert found.attempted and not found.failed, found"
	echo "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }" | environment/bin/mapwright run -
	environment/bin/mapwright-opt --version | grep -i llvm
'
