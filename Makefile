# Short names for what is done often. `make help` lists them. The build itself is CMakeLists.txt.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF
TORTURE_SECONDS ?= 300
export JOBS WERROR

.PHONY: all help setup demo test test-quick bench check fix docs install clean tsan fuzz torture validate

all: setup
	@scripts/build release

help:
	@echo "make             build/ringlet"
	@echo "make demo        red curls on a walk: out/curls, and a picture of each kind of hair: out/posters"
	@echo "make test        all tests but the longest, then the quick ones with address and undefined sanitizers"
	@echo "make validate    the slow tests with their longest cases (whole horses, all validations), sanitizers and analyzers at length"
	@echo "make test-quick  the quick tests only"
	@echo "make bench       the timed workloads"
	@echo "make check       format, static analysis, include order, headers alone, documentation"
	@echo "make fix         apply the format and regenerate the reference page"
	@echo "make install     PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)"
	@echo "make tsan        the quick tests with the thread sanitizer"
	@echo "make fuzz        each fuzz program for 20 s (clang)"
	@echo "make torture     kills, damage, full disks, two runs at once for TORTURE_SECONDS=$(TORTURE_SECONDS)"
	@echo "make clean       remove all builds and out/"

# Installs what is missing; says and does nothing when all is there.
setup:
	@scripts/setup build

demo: all
	build/ringlet demo curls --out out/curls --force
	@scripts/posters out/posters

test: setup
	@scripts/test all

validate: setup
	@RINGLET_LONG=1 scripts/test validate
	@scripts/setup check
	@RINGLET_LONG=1 scripts/check

test-quick: setup
	@scripts/test quick

bench: all
	build/ringlet bench

check: setup
	@scripts/setup check
	@scripts/check

docs: all
	build/ringlet schema > build/scene.md
	mkdir -p docs/reference
	mv build/scene.md docs/reference/scene.md

fix: docs
	@scripts/setup check
	@scripts/c-files | xargs clang-format -i

install: all
	cmake -S . -B build -DCMAKE_INSTALL_PREFIX="$(PREFIX)" > build/install.log
	DESTDIR="$(DESTDIR)" cmake --install build

tsan: setup
	@scripts/test tsan

fuzz:
	@scripts/setup check
	@scripts/build fuzz
	@for program in build-fuzz/fuzz/fuzz_*; do \
	    test -f $$program || continue; \
	    mkdir -p $$program-corpus; echo $$program; \
	    name=$${program##*/fuzz_}; seeds="scenes scenes/presets"; words=; \
	    test ! -d tests/corpus/$$name || seeds=tests/corpus/$$name; \
	    test ! -f tests/corpus/$$name.dict || words=-dict=tests/corpus/$$name.dict; \
	    $$program -max_total_time=20 -verbosity=0 -max_len=4096 $$words $$program-corpus $$seeds || exit 1; \
	done

torture: all
	build/tests/torture --seconds $(TORTURE_SECONDS)

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz build-clang out
