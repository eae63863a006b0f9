# SPDX-License-Identifier: Apache-2.0
# Gantry: `make help` lists the targets.  Only `demo` and `test` may be the first command on a bare machine.
.DEFAULT_GOAL := all
MARCH ?= native
B := build$(if $(filter native,$(MARCH)),,/$(MARCH))
PY := build/venv/bin/python
CC := gcc
CLANG := clang-19
CFLAGS := -std=c11 -O3 -g -march=$(MARCH) -Wall -Wextra -Werror -D_GNU_SOURCE -I. -Ihost -Ibridge -I$(B)/gen $(EXTRA_CFLAGS)
LLVM_LIBS := $(shell llvm-config-19 --libs 2>/dev/null)
LDLIBS := -lyaml -lsqlite3 -ldw -lelf -lmsgpackc -lxxhash -lzstd -llz4 -lz -lm -ldl -lpthread $(LLVM_LIBS) -L/usr/lib/llvm-19/lib -lstdc++

all: $(B)/bin/gantry $(B)/lib/libgantry_shim.so  ## build the command and the shim
include $(wildcard sw/tools/*.mk)

# Generated tables: one rule each, in sw/tools/generate.mk: $(GENERATED) lists what C sources need.
# C: every folder below host/ and bridge/ belongs to the library; main.c is the command.
LIB_SRC := $(filter-out host/cli/main.c,$(wildcard host/*/*.c bridge/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
$(B)/lib/libgantry.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^
$(B)/bin/gantry: $(B)/obj/host/cli/main.o $(B)/lib/libgantry.a
	@mkdir -p $(@D)
	$(CC) -rdynamic -o $@ $< $(B)/lib/libgantry.a $(LDLIBS)
$(B)/obj/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -MMD -MP -c -o $@ $<
SHIM_SRC := $(wildcard sw/shim/*.c) $(wildcard host/driver/preload*.c)
$(B)/lib/libgantry_shim.so: $(SHIM_SRC) $(wildcard sw/shim/*.h) host/driver/protocol.h host/driver/address.h host/driver/preload.h | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared -fvisibility=hidden -Wl,-soname,$(@F) -o $@ $(SHIM_SRC) -ldl -lpthread
-include $(LIB_OBJ:.o=.d) $(B)/obj/host/cli/main.d

bootstrap:  ## install what is missing (Debian packages, Python environment)
	@sw/tools/bootstrap.sh

# A fresh machine has no compiler when make reads this file: install, then start make again.
demo: bootstrap  ## a HIP program on two RTL GPUs
	@$(MAKE) --no-print-directory -j2 all $(B)/apps/peer
	@sw/tools/demo.sh

test: bootstrap  ## run all tests, or those under T=path; ends with "N passed, N failed"
	@$(MAKE) --no-print-directory -j2 all $(if $(T),,apps kernels $(B)/apps/sorting) # which tests beside each other need
	@$(PY) sw/tools/run_tests.py $(T)

bench: all  ## speed figures beside a calibrated C loop, in build/bench.json
	@$(PY) sw/tools/bench.py $(N)

lint: all  ## Verilator -Wall, race checker, verible and yosys over all RTL
	@$(PY) sw/tools/lint.py $(M)

print-flags:
	@printf 'CC=%s\nCFLAGS=%s\nLDLIBS=%s\n' '$(CC)' '$(CFLAGS)' '$(LDLIBS)'

nightly:  ## make test with the long campaigns; installs the packages that only these need
	@GANTRY_NIGHTLY=1 $(MAKE) --no-print-directory test

clean:  ## remove generated files except the Python environment
	rm -rf $(B)/obj $(B)/lib $(B)/bin $(B)/gen $(B)/models $(B)/tests

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

.PHONY: nightly bench demo lint print-flags all bootstrap test clean help
