# OpenBench builds an engine with `make EXE=name` and expects the program at ./name.
EXE ?= aspirant

ifeq ($(OS),Windows_NT)
	SUFFIX := .exe
endif

HOST := $(shell rustc -vV | sed -n 's/host: //p')
PROFILE_DATA := $(CURDIR)/target/pgo
PROFDATA ?= llvm-profdata

LEVEL ?= x86-64

# A fixed load address makes access to static tables slightly faster (docs/performance.md). Only for matches: a publicly
# hosted engine should keep address space randomization.
ifneq (,$(findstring linux,$(HOST)))
	STATIC_RELOCATION := -C relocation-model=static
endif

# Builds for matches take more time to compile than `cargo build --release` and run about 1 % faster.
export CARGO_PROFILE_RELEASE_LTO := fat
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS := 1

.PHONY: all x86-64-v2 x86-64-v3 pgo web web-serve test bench clean

# Optimized for the processor of this machine.
all:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=native --emit link=$(EXE)$(SUFFIX)

# For other machines: processors since about 2009 (v2) or 2013 (v3).
x86-64-v2 x86-64-v3:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=$@ --emit link=$(EXE)-$@$(SUFFIX)

# Profile-guided optimization for LEVEL: builds an instrumented program, profiles its benchmark, and builds again. Requires an
# llvm-profdata at least as new as the compiler's LLVM (`rustc -vV`), for instance PROFDATA=llvm-profdata-22.
pgo:
	rm -rf $(PROFILE_DATA)
	RUSTFLAGS="-C profile-generate=$(PROFILE_DATA)" cargo build --release --locked --target $(HOST)
	target/$(HOST)/release/aspirant$(SUFFIX) bench
	$(PROFDATA) merge -o $(PROFILE_DATA)/merged.profdata $(PROFILE_DATA)
	RUSTFLAGS="-C profile-use=$(PROFILE_DATA)/merged.profdata -C target-cpu=$(LEVEL) $(STATIC_RELOCATION)" \
		cargo build --release --locked --target $(HOST)
	cp target/$(HOST)/release/aspirant$(SUFFIX) $(EXE)$(SUFFIX)

# The engine for browsers and node (web/dist/package) and the site (web/dist/site); docs/browser.md lists what it needs.
web:
	python3 web/build.py

web-serve:
	python3 web/build.py --serve

test:
	cargo test --locked

bench:
	cargo run --release --locked -- bench

clean:
	cargo clean
