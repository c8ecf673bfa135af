# A thin front: CMake does the work, see CMakePresets.json.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all run test bench lint fuzz coverage install packages clean

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
	@ctest --preset release --parallel $(JOBS)

bench: all
	@benchmarks/run.sh build/bin

lint: packages
	@tools/lint.sh

fuzz: packages
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --parallel $(JOBS)
	@bash tests/fuzz/fuzz.sh build/fuzz

coverage: packages
	@cmake --preset coverage >/dev/null
	@cmake --build build/coverage --parallel $(JOBS)
	@ctest --preset coverage --parallel $(JOBS)
	@gcovr --root . --object-directory build/coverage -f common -f protocol -f scheduler -f tools --fail-under-line 90

install: all
	@cmake --install build --prefix $(PREFIX)

clean:
	@cmake -E rm -rf build
