# OpenBench builds an engine with `make EXE=name` and expects the program at ./name.
EXE ?= aspirant

ifeq ($(OS),Windows_NT)
	SUFFIX := .exe
endif

HOST := $(shell rustc -vV | sed -n 's/host: //p')
PROFILE_DATA := $(CURDIR)/target/pgo

LEVEL ?= x86-64

# A fixed load address makes access to static tables slightly faster. Only for matches: a publicly
# hosted engine should keep address space randomization, so scripts/package.py replaces these flags.
ifneq (,$(findstring linux,$(HOST)))
	PGO_FLAGS := -C relocation-model=static
endif

.PHONY: all x86-64-v2 x86-64-v3 pgo web web-serve test bench clean

# Optimized for the processor of this machine.
all:
	cargo rustc --profile dist --locked --bin aspirant -- -C target-cpu=native --emit link=$(EXE)$(SUFFIX)

# For other machines: processors since about 2009 (v2) or 2013 (v3).
x86-64-v2 x86-64-v3:
	cargo rustc --profile dist --locked --bin aspirant -- -C target-cpu=$@ --emit link=$(EXE)-$@$(SUFFIX)

# Profile-guided optimization for LEVEL: builds an instrumented program, profiles its benchmark, and builds again. Uses the
# first llvm-profdata that reads the compiler's profiles: PROFDATA, rustup's component llvm-tools, or one of the system.
LLVM_VERSION = $(shell rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
PROFDATA_CANDIDATES = $(PROFDATA) "$(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata" \
	llvm-profdata llvm-profdata-$(LLVM_VERSION) /usr/lib/llvm-$(LLVM_VERSION)/bin/llvm-profdata \
	/opt/homebrew/opt/llvm/bin/llvm-profdata /usr/local/opt/llvm/bin/llvm-profdata
BUILD_PGO = cargo build --profile dist --locked --bin aspirant --target $(HOST) --target-dir target

pgo:
	@case "$(CURDIR)" in *[[:space:]]*) \
		echo "make pgo: the path '$(CURDIR)' contains a space, which RUSTFLAGS does not allow; nothing was built" >&2; exit 1;; \
	esac
	@rm -rf "$(PROFILE_DATA)" && mkdir -p "$(PROFILE_DATA)"
	@too_old=; for tool in $(PROFDATA_CANDIDATES); do \
		version=$$("$$tool" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p'); \
		if [ "$${version:-0}" -ge $(LLVM_VERSION) ]; then echo "$$tool" >$(PROFILE_DATA)/tool; exit 0; fi; \
		if [ -n "$$version" ]; then too_old="$$too_old $$tool (LLVM $$version)"; fi; \
	done; \
	echo "make pgo: found no llvm-profdata of LLVM $(LLVM_VERSION) or later, the version of rustc; nothing was built." >&2; \
	if [ -n "$$too_old" ]; then echo "Too old:$$too_old" >&2; fi; \
	echo "Install it by 'rustup component add llvm-tools' or from a package such as llvm-$(LLVM_VERSION)," >&2; \
	echo "or name it: make pgo PROFDATA=/path/to/llvm-profdata" >&2; \
	exit 1
	RUSTFLAGS="-C profile-generate=$(PROFILE_DATA)" $(BUILD_PGO)
	target/$(HOST)/dist/aspirant$(SUFFIX) bench
	"$$(cat $(PROFILE_DATA)/tool)" merge -o $(PROFILE_DATA)/merged.profdata $(PROFILE_DATA)/*.profraw
	RUSTFLAGS="-C profile-use=$(PROFILE_DATA)/merged.profdata -C target-cpu=$(LEVEL) $(PGO_FLAGS)" $(BUILD_PGO)
	cp "target/$(HOST)/dist/aspirant$(SUFFIX)" "$(EXE)$(SUFFIX)"

# The engine for browsers and node (web/dist/package) and the site (web/dist/site); docs/browser.md lists what it needs.
web:
	python3 web/build.py

web-serve:
	python3 web/build.py --serve

test:
	cargo test --workspace --locked

bench:
	cargo run --release --locked -- bench

clean:
	cargo clean
