# SPDX-License-Identifier: Apache-2.0
# Gantry: `make help` lists the targets, V=1 shows every command.
.DEFAULT_GOAL := all
# On a bare machine: INSTALLING targets install first, before anything below asks what is there; OPEN ones need nothing; of all others one line
# says what to run.
INSTALLING := bootstrap demo test formal nightly-part
OPEN := help clean nightly
GOALS := $(or $(MAKECMDGOALS),$(.DEFAULT_GOAL))
LETTERS = $(if $(findstring =,$(firstword -$(MAKEFLAGS))),,$(filter-out --%,$(firstword -$(MAKEFLAGS)))) # of -n, -s
export V
ifneq ($(filter $(INSTALLING),$(GOALS)),)
ifneq ($(if $(findstring n,$(LETTERS)),0,$(shell V='$(V)' sw/tools/builder/bootstrap.sh >&2; echo $$?)),0)
$(error what Gantry needs is not installed, see above)
endif
else ifneq ($(filter-out $(OPEN),$(GOALS)),)
ifneq ($(shell sw/tools/builder/bootstrap.sh --check 2>/dev/null || echo missing),)
$(error Debian packages or Python modules are missing or old: run `make bootstrap` first (as root, or a user with sudo))
endif
endif
MARCH ?= native
B := build$(if $(filter native,$(MARCH)),,/$(MARCH))
PY := build/venv/bin/python
CC := gcc
CLANG := clang-19
CFLAGS := -std=c11 -O3 -g -march=$(MARCH) -Wall -Wextra -Werror -D_GNU_SOURCE -I. -Ihost -Ibridge -I$(B)/gen $(EXTRA_CFLAGS)
MSGPACK := $(shell sw/tools/builder/release.sh msgpack 2>/dev/null)
LLVM_LIBS := $(shell llvm-config-19 --libs 2>/dev/null)
LDLIBS := -lyaml -lsqlite3 -ldw -lelf -l$(MSGPACK) -lxxhash -lzstd -llz4 -lz -lm -ldl -lpthread $(LLVM_LIBS) -L/usr/lib/llvm-19/lib -lstdc++

# Recipes show a short line each, and their command with V=1.  A step (sw/tools/builder/step.sh) is a make of its own, of which one line is seen:
# $(call step,LABEL,LINES,TARGETS), where LINES is about how many recipes there are.
Q := $(if $(filter-out 0,$(V)),,@)
say = @$(if $(or $(if $(Q),,V),$(findstring s,$(LETTERS))),:,echo "  $(1) $@")
step = +@sw/tools/builder/step.sh "$(1)" $(2) $(B)/log/$(subst /,-,$(firstword $(3))).log $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j2) $(3)

all:  ## build the command and the shim
	$(call step,building the command,$(words $(LIB_OBJ)),all-files)
all-files: $(B)/bin/gantry $(B)/lib/libgantry_shim.so lib-files
include $(wildcard sw/tools/mk/*.mk)
# No rules of make's own: tried for each header of each .d file, they take two thirds of the time of a make that has nothing to do.
.SUFFIXES:
%: %,v
%: RCS/%,v
%: RCS/%
%: s.%
%: SCCS/s.%
%.c: %.w %.ch
%.tex: %.w %.ch
%.out: %

# Generated tables: one rule each, in sw/tools/mk/generate.mk: $(GENERATED) lists what C sources need.
# C: every folder below host/ and bridge/ belongs to the library; main.c is the command.
LIB_SRC := $(filter-out host/cli/main.c,$(wildcard host/*/*.c bridge/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
$(B)/lib/libgantry.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^
$(B)/bin/gantry: $(B)/obj/host/cli/main.o $(B)/lib/libgantry.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -rdynamic -o $@ $< $(B)/lib/libgantry.a $(LDLIBS)
$(B)/obj/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -fPIC -MMD -MP -c -o $@ $<
SHIM_SRC := $(wildcard sw/shim/*.c) $(wildcard host/clients/preload*.c)
$(B)/lib/libgantry_shim.so: $(SHIM_SRC) $(wildcard sw/shim/*.h) host/clients/protocol.h host/clients/address.h host/clients/preload.h host/driver/tiling.h | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) -fPIC -shared -fvisibility=hidden -Wl,-soname,$(@F) -o $@ $(SHIM_SRC) -ldl -lpthread
-include $(LIB_OBJ:.o=.d) $(B)/obj/host/cli/main.d

bootstrap:  ## install what is missing (Debian packages, Python environment)
	@echo "bootstrap: done; make demo runs a program, make help lists the targets"

demo:  ## a HIP program on two RTL GPUs
	$(call step,building the command and a HIP program,$(words $(LIB_OBJ)),all-files $(B)/apps/peer)
	$(call step,building the RTL models,$(words $(MODEL_KINDS) $(MODEL_KINDS)),models-files)
	@sw/tools/builder/demo.sh

test:  ## run all tests, or those under T=path; ends with "N passed, N failed"
	$(call step,building what tests need,$(words $(LIB_OBJ) $(if $(T),,$(APPS) $(KERNEL_FILES))),all-files $(if $(T),,apps-files kernels-files $(B)/apps/sorting $(B)/apps/chains)) # which tests beside each other need
	$(if $(T),,$(call step,building the RTL models that tests share,$(words $(MODEL_KINDS) $(MODEL_KINDS)),tests-models-files))
	@$(PY) sw/tools/verify/run_tests.py $(T)

bench: all  ## speed figures beside a calibrated C loop, in build/bench.json
	@$(PY) sw/tools/speed/bench.py $(N)

lint: all  ## RTL by Verilator -Wall, race checker, verible and yosys; C by clang-format; what stands in the tree
	@$(PY) sw/tools/check/lint.py $(M)

house:  ## what a move of a file touches, how full folders are, how long blocks: now, limit, goal
	@$(PY) sw/tools/check/house.py

print-flags:
	@printf 'CC=%s\nCFLAGS=%s\nLDLIBS=%s\n' '$(CC)' '$(CFLAGS)' '$(LDLIBS)'

nightly:  ## make test with the long campaigns; PART=K/N: of these what part K of N has that is not current (ALL=all: all it has); UNIT='FILE K/N': one unit
	@GANTRY_NIGHTLY=1 $(MAKE) --no-print-directory $(if $(PART)$(UNIT),nightly-part,test)

nightly-part:
	$(call step,building what tests need,$(words $(LIB_OBJ) $(APPS) $(KERNEL_FILES)),all-files apps-files kernels-files $(B)/apps/sorting $(B)/apps/chains)
	@$(PY) sw/tools/verify/nightly.py $(if $(UNIT),--unit '$(UNIT)',$(PART) $(ALL))

clean:  ## remove generated files except the Python environment
	rm -rf $(B)/log $(B)/obj $(B)/lib $(B)/bin $(B)/gen $(B)/models $(B)/tests

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

.PHONY: nightly nightly-part bench demo house lint print-flags all all-files bootstrap test clean help
