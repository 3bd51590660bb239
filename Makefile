# OpenBench builds an engine with `make EXE=name`; the program must then stand at ./name.
EXE ?= aspirant

ifeq ($(OS),Windows_NT)
	SUFFIX := .exe
endif

.PHONY: all x86-64-v2 x86-64-v3 test bench clean

all:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=native --emit link=$(EXE)$(SUFFIX)

# For other machines than this one: processors since about 2009 (v2) and 2013 (v3).
x86-64-v2 x86-64-v3:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=$@ --emit link=$(EXE)-$@$(SUFFIX)

test:
	cargo test --locked

bench:
	cargo run --release --locked -- bench

clean:
	cargo clean
