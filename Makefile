# OpenBench builds an engine with `make EXE=name`; the program must then stand at ./name.
EXE ?= aspirant

ifeq ($(OS),Windows_NT)
	SUFFIX := .exe
endif

.PHONY: all test bench clean

all:
	cargo rustc --release --locked --bin aspirant -- -C target-cpu=native --emit link=$(EXE)$(SUFFIX)

test:
	cargo test --locked

bench:
	cargo run --release --locked -- bench

clean:
	cargo clean
