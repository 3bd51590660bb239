# OpenBench builds an engine with `make EXE=name`; the program must then stand at ./name.
EXE ?= aspirant

ifeq ($(OS),Windows_NT)
	SUFFIX := .exe
endif

HOST := $(shell rustc -vV | sed -n 's/host: //p')
PROFILE_DATA := $(CURDIR)/target/pgo
PROFDATA ?= llvm-profdata

LEVEL ?= x86-64

# Tables are found a little faster in a program that is always loaded at the same address (docs/performance.md). For matches:
# a program that serves strangers keeps its random addresses.
ifneq (,$(findstring linux,$(HOST)))
	FIXED := -C relocation-model=static
endif

.PHONY: all x86-64-v2 x86-64-v3 pgo test bench clean

# For this machine.
all:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=native --emit link=$(EXE)$(SUFFIX)

# For other machines than this one: processors since about 2009 (v2) and 2013 (v3).
x86-64-v2 x86-64-v3:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=$@ --emit link=$(EXE)-$@$(SUFFIX)

# For LEVEL, built twice: the first program's benchmark tells the compiler which way the second one will go most often. Wants an
# llvm-profdata no older than the compiler's LLVM (`rustc -vV`): PROFDATA=llvm-profdata-22, for instance.
pgo:
	rm -rf $(PROFILE_DATA)
	RUSTFLAGS="-C profile-generate=$(PROFILE_DATA)" cargo build --release --locked --target $(HOST)
	target/$(HOST)/release/aspirant$(SUFFIX) bench
	$(PROFDATA) merge -o $(PROFILE_DATA)/merged.profdata $(PROFILE_DATA)
	RUSTFLAGS="-C profile-use=$(PROFILE_DATA)/merged.profdata -C target-cpu=$(LEVEL) $(FIXED)" \
		cargo build --release --locked --target $(HOST)
	cp target/$(HOST)/release/aspirant$(SUFFIX) $(EXE)$(SUFFIX)

test:
	cargo test --locked

bench:
	cargo run --release --locked -- bench

clean:
	cargo clean
