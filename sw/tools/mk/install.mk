# SPDX-License-Identifier: Apache-2.0
# make install PREFIX=DIR [DESTDIR=DIR] [MARCH=...]: command, shim, libgantry, man pages, headers, configurations, SystemC modules (where
# `make systemc` has built them), and under share/gantry what builds RTL models: also a Python environment with what that needs, and the models that are
# there.  Nothing of it leads back to this
# tree.  With DESTDIR, a package that will run elsewhere, command and models are compiled for x86-64-v3, else for this machine.
# Whoever may not write there reads it, and keeps what is missing in a cache of his own (sw/tools/builder/model_cache.py).
PREFIX ?= /usr/local
SHARE := $(DESTDIR)$(PREFIX)/share/gantry
SITE := $(patsubst build/venv/%,%,$(firstword $(wildcard build/venv/lib/python3*/site-packages)))
PACKAGES := verilator verilator-* yaml _yaml pyyaml-*
MOVED := $(if $(DESTDIR),x86-64-v3,native)
install:  ## install below PREFIX (default /usr/local)
	@$(MAKE) --no-print-directory MARCH=$(if $(filter command environment,$(firstword $(origin MARCH))),$(MARCH),$(MOVED)) install-files
install-files: all install-library $(if $(wildcard $(B)/lib/libgantry_tlm.*),install-systemc)
	@install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/include/gantry/base $(SHARE)/build
	@install -m 755 $(B)/bin/gantry $(DESTDIR)$(PREFIX)/bin/
	@install -m 755 $(B)/lib/libgantry_shim.so $(DESTDIR)$(PREFIX)/lib/
	@install -d $(DESTDIR)$(PREFIX)/lib/gantry && install -m 755 $(B)/lib/gantry/libusb-1.0.so.0 $(DESTDIR)$(PREFIX)/lib/gantry/
	@install -m 644 docs/gantry.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	@install -m 644 host/machine/sim.h $(B)/gen/gantry_cfg.h $(DESTDIR)$(PREFIX)/include/gantry/
	@install -m 644 host/base/status.h $(DESTDIR)$(PREFIX)/include/gantry/base/
	@for d in configs rtl bridge host fpga sw/tools; do mkdir -p $(SHARE)/$$d; cp -R $$d/. $(SHARE)/$$d/; done
	@rm -rf $(SHARE)/build/gen && cp -R $(B)/gen $(SHARE)/build/gen
	@echo $(MARCH) >$(SHARE)/build/march
	@rm -rf $(SHARE)/build/cuda && if [ -d $(B)/cuda ]; then cp -R $(B)/cuda $(SHARE)/build/cuda; fi  # of make cuda
	@rm -rf $(SHARE)/build/models
	@if [ $(MARCH) = native ] && [ -d build/models ]; then flock build/models/.lock python3 sw/tools/builder/model_cache.py build/models $(SHARE)/build/models; fi
	@rm -rf $(SHARE)/build/venv && mkdir -p $(SHARE)/build/venv/bin $(SHARE)/build/venv/$(SITE)
	@ln -s /usr/bin/python3 $(SHARE)/build/venv/bin/python
	@printf 'home = /usr/bin\ninclude-system-site-packages = false\n' >$(SHARE)/build/venv/pyvenv.cfg
	@cp -R $(addprefix build/venv/$(SITE)/,$(PACKAGES)) $(SHARE)/build/venv/$(SITE)/
	@find $(SHARE) -name __pycache__ -prune -exec rm -rf {} +  # they name the sources
	@chmod -R a+rX,go-w $(SHARE)
	@echo "install: gantry is in $(DESTDIR)$(PREFIX)/bin"
# What other programs are built with (docs/library.md); without the rest of `install` the library wants GANTRY_FILES.
install-library: lib-files
	@install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/gantry $(DESTDIR)$(PREFIX)/share/man/man3
	@install -m 755 $(SHARED)/libgantry.so.$(LIBRARY_VERSION) $(DESTDIR)$(PREFIX)/lib/
	@ln -sf libgantry.so.$(LIBRARY_VERSION) $(DESTDIR)$(PREFIX)/lib/libgantry.so.$(LIBRARY_MAJOR)
	@ln -sf libgantry.so.$(LIBRARY_MAJOR) $(DESTDIR)$(PREFIX)/lib/libgantry.so
	@install -m 644 $(SHARED)/libgantry.a $(DESTDIR)$(PREFIX)/lib/
	@install -m 644 host/lib/gantry.h $(B)/gen/gantry_msg.h $(DESTDIR)$(PREFIX)/include/gantry/
	@install -m 644 docs/libgantry.3 $(DESTDIR)$(PREFIX)/share/man/man3/
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(LIBRARY_VERSION)|' -e 's|@LIBS@|$(strip $(LDLIBS))|' host/lib/gantry.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/gantry.pc
.PHONY: install install-files install-library
