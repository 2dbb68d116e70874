# make run    build everything and show the main job on examples/softmax
# make test   build everything and run every test
# make bench  measure, compare with the last run and with plain C; make doc   the crate documentation; make book   the guide
# make fuzz   ten minutes each of random maps, text, bytecode and artifacts (needs cargo-fuzz; SECONDS_EACH=60 for a minute)
# make op OP=concatenate   the tests of one operation; make quick   unit tests, oracle and the lit files of maps
# make sanitize  the conformance programs under address sanitizer and valgrind (EVERY=10: a tenth of them)
# make wheel  the Python package in target/wheel, with LLVM and MLIR inside; make try-wheel (as root) runs it on a Debian without these
# make install PREFIX=/usr/local, after make    make tarball, make deb   packages of it    make fmt, make lint
#
# On Debian the missing system packages are installed first (with sudo where needed).

CARGO ?= cargo
PREFIX ?= /usr/local
MAPWRIGHT := target/release/mapwright

PACKAGES := libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libclang-22-dev clang-22 libpolly-22-dev lld-22 \
	cmake ninja-build ccache g++ libzstd-dev zlib1g-dev libxml2-dev

SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: build packages run test bench sanitize doc fmt lint fuzz install wheel try-wheel clean

# What --version says of the source.
export MAPWRIGHT_COMMIT ?= $(shell git describe --always --dirty --exclude='*' 2>/dev/null)

build: packages
	$(CARGO) build --release --locked --workspace

# Asks dpkg alone when everything is there; the package lists are fetched only when something is missing.
packages:
	@if ! command -v dpkg-query >/dev/null; then \
		echo "not a Debian system: LLVM and MLIR 22 and what docs/building.md names must be installed by hand" >&2; exit 0; fi; \
	missing=$$(for package in $(PACKAGES); do \
		dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || echo $$package; done); \
	if [ -n "$$missing" ]; then \
		if [ "$$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi; \
		echo "installing:" $$missing >&2; \
		$$as_root apt-get update && \
		DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y --no-install-recommends $$missing; \
	fi

run: build
	@examples/show.sh examples/softmax

# Programs and expected results that lie beside the project; tests that need them fail unless `none` says that they are not there.
export MAPWRIGHT_SHARED ?= $(if $(wildcard ../shared/bench),$(abspath ../shared),none)

# The page of `mapwright shards --html` is clicked through in a browser.
# The Python package is tried in a virtual environment.
# Programs run on ranks of two MPI libraries; MAPWRIGHT_TEST_MPI=none says that there is none.
test: PACKAGES += chromium chromium-driver python3-venv openmpi-bin mpich
test: packages
	@[ "$$MAPWRIGHT_SHARED" != none ] || echo "without the shared programs, as MAPWRIGHT_SHARED=none" >&2
	@# Tests are compiled beside the programs: while one crate is on the way of all others, the other processors have theirs.
	$(CARGO) build --release --locked --workspace --lib --bins --tests
	$(CARGO) test --release --locked --workspace

# One operation: the tests of `src/ops` that are named after it (its rule beside the oracle's relation), and the lit files that name it.
.PHONY: op quick
op: packages
	@[ -n "$(OP)" ] || { echo "which operation? make op OP=concatenate" >&2; exit 2; }
	$(CARGO) test --release --locked -p mapwright-ops -- $(OP)
	MAPWRIGHT_LIT_NAMES=$(OP) $(CARGO) test --release --locked --test lit

# What most changes break first.
quick: packages
	$(CARGO) test --release --locked -p mapwright-indexing -p mapwright-schedule -p mapwright-ops --lib --tests --all-features
	$(CARGO) test --release --locked --test all tidy
	$(CARGO) test --release --locked --test lit -- ops/

# Both, also where the first finds something slower.
bench: build
	@failed=0; python3 benches/bench.py || failed=1; python3 benches/against_c.py || failed=1; exit $$failed

EVERY ?= 1
sanitize: PACKAGES += valgrind
sanitize: build
	python3 tests/sanitize.py --every $(EVERY)

doc: packages
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --locked --workspace

# The guide as pages of a browser, in target/book; needs mdbook (cargo install mdbook).
.PHONY: book
book:
	mdbook build docs/guide --dest-dir "$(CURDIR)/target/book"

fmt:
	$(CARGO) fmt --all

lint: packages
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings

# The corpus begins with the programs of the lit suite, and what they are in bytecode. The stable compiler instruments when it is told
# to; the address sanitizer stays out, as libMLIR is built without it. Types may be nested deeply, hence the stack.
SECONDS_EACH ?= 600
fuzz: fuzz-maps fuzz-programs

# Maps alone: no MLIR is built for it.
.PHONY: fuzz-maps fuzz-programs
fuzz-maps:
	cd src/indexing && fuzz/corpus.sh && RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run --sanitizer none parse_simplify_evaluate -- \
		-max_total_time=$(SECONDS_EACH) -timeout=60 -max_len=2048 -dict=fuzz/words.dict $(FUZZ_FLAGS)

fuzz-programs: build
	RUSTC_BOOTSTRAP=1 $(CARGO) fuzz build --sanitizer none
	fuzz/corpus.sh
	for target in text bytecode artifact; do \
		( ulimit -s 1000000; RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run --sanitizer none $$target -- \
			-max_total_time=$(SECONDS_EACH) -timeout=60 -max_len=16384 -rss_limit_mb=4096 $(FUZZ_FLAGS) ) || exit; \
	done

# What installs and packs takes what was built: root need not have cargo.
PROGRAMS ?= target/release
.PHONY: built tarball deb
built:
	@[ -x $(PROGRAMS)/mapwright ] || { echo "there is no $(PROGRAMS)/mapwright: build first, with make" >&2; exit 1; }

install: built
	cmake -DPREFIX="$(abspath $(PREFIX))" -DPROGRAMS="$(abspath $(PROGRAMS))" -P cmake/install.cmake

tarball: built
deb: built
tarball deb:
	cmake -DKIND=$@ -DPROGRAMS="$(abspath $(PROGRAMS))" -DOUT=target/package -P cmake/package.cmake

PYTHON ?= python3
wheel: PACKAGES += python3
wheel: packages
	$(PYTHON) python/backend.py target/wheel

try-wheel: PACKAGES += debootstrap
try-wheel: wheel
	python/tests/bare.sh target/wheel/mapwright_hlo-*.whl

clean:
	$(CARGO) clean
