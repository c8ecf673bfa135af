# A thin front: CMake does the work, see CMakePresets.json.

JOBS ?= $(shell nproc)
# Most tests wait for processes and clocks: several of them share a processor.
TESTS ?= $(shell expr 6 \* $(JOBS))
# How often a test may run until it passes.
TRIES ?= 1
PREFIX ?= /usr/local

.PHONY: all run test bench lint soak fuzz coverage install packages clean

all: build/build.ninja
	@cmake --build build --parallel $(JOBS)

packages:
	@tools/install_packages.sh test

build/build.ninja: CMakeLists.txt
	@tools/install_packages.sh build
	@cmake --preset release -DBUILD_TESTING=OFF >/dev/null

# Installs what is missing, builds, and compares the policies.
run: all
	@tools/main_job.sh build/bin

# The same, then every test.
test: packages
	@cmake --preset release -DBUILD_TESTING=ON >/dev/null
	@cmake --build build --parallel $(JOBS)
	@ctest --preset release --parallel $(TESTS) --repeat until-pass:$(TRIES)

# Random tests ten times as long, the testbed ten times, ends of scheduler and master at each place 25 times, the
# path of a newcomer, and the fuzzers: about two hours.
soak: packages
	@cmake --preset release -DBUILD_TESTING=ON >/dev/null
	@cmake --build build --parallel $(JOBS)
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --parallel $(JOBS)
	@bash tests/soak.sh $(JOBS) $(TESTS)

bench: all
	@benchmarks/run.sh build/bin

lint: packages
	@tools/lint.sh

fuzz: packages
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --parallel $(JOBS)
	@bash tests/fuzz/fuzz.sh build/fuzz

# The suite under sanitizers, and which lines it runs. Counts of an older build do not fit.
coverage: packages
	@cmake --preset coverage >/dev/null
	@cmake -E rm -rf build/lines/counts
	@cmake --build build/lines --parallel $(JOBS)
	@ctest --preset coverage --parallel $(TESTS) --repeat until-pass:$(TRIES)
	@bash tests/line_coverage.sh build/lines 90

install: all
	@cmake --install build --prefix $(PREFIX)

clean:
	@cmake -E rm -rf build
