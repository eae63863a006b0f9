# SPDX-License-Identifier: Apache-2.0
# make install PREFIX=DIR [DESTDIR=DIR]: command, shim, man page, headers, configurations, and under share/gantry what
# builds RTL models (their cache goes there as well; the Python environment stays where the bootstrap made it).
PREFIX ?= /usr/local
SHARE := $(DESTDIR)$(PREFIX)/share/gantry
install: all  ## install below PREFIX (default /usr/local)
	@install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/include/gantry $(SHARE)/build
	@install -m 755 $(B)/bin/gantry $(DESTDIR)$(PREFIX)/bin/
	@install -m 755 $(B)/lib/libgantry_shim.so $(DESTDIR)$(PREFIX)/lib/
	@install -m 644 docs/gantry.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	@install -m 644 bridge/inproc/sim.h $(B)/gen/gantry_msg.h $(B)/gen/gantry_cfg.h $(DESTDIR)$(PREFIX)/include/gantry/
	@for d in configs rtl bridge host sw/tools; do mkdir -p $(SHARE)/$$d; cp -R $$d/. $(SHARE)/$$d/; done
	@rm -rf $(SHARE)/build/gen && cp -R $(B)/gen $(SHARE)/build/gen
	@if [ -d $(B)/models ]; then rm -rf $(SHARE)/build/models; cp -Rp $(B)/models $(SHARE)/build/models; fi
	@ln -sfn $(abspath $(B))/venv $(SHARE)/build/venv
	@echo "install: gantry is in $(DESTDIR)$(PREFIX)/bin"
.PHONY: install
