# SPDX-License-Identifier: Apache-2.0
# SystemC TLM-2.0 modules of partitions, GPUs and the host model (docs/systemc.md).  Nothing else needs SystemC.
# libsystemc of Debian 12 and 13 links with C++17 alone.
TLM_SRC := $(wildcard bridge/tlm/*.cpp host/tlm/*.cpp)
TLM_OBJ := $(TLM_SRC:%.cpp=$(B)/obj/%.tlm.o)
TLM_LIB := $(B)/lib/libgantry_tlm.so
CXX := g++
CXXFLAGS := -std=gnu++17 -O3 -g -march=$(MARCH) -Wall -Wextra -Werror -I. -Ihost -Ibridge -I$(B)/gen $(EXTRA_CXXFLAGS)
systemc: systemc-there  ## build the SystemC modules, libgantry_tlm.so; needs libsystemc-dev
	$(call step,building the SystemC modules,$(words $(LIB_OBJ) $(TLM_OBJ)),systemc-files)
systemc-there:
	@printf '#include <systemc>\n' | $(CXX) -std=gnu++17 -x c++ -E - >/dev/null 2>&1 || \
		{ echo 'systemc: SystemC is not installed; run as root: apt-get install libsystemc-dev' >&2; exit 69; }
systemc-files: $(TLM_LIB)
$(B)/obj/%.tlm.o: %.cpp | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(CXXFLAGS) -fPIC -MMD -MP -c -o $@ $<
# C of the host model is in it, and nobody sees it from outside.
$(TLM_LIB): $(TLM_OBJ) $(B)/lib/libgantry.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -o $@ $(TLM_OBJ) $(B)/lib/libgantry.a $(LDLIBS) -lsystemc
-include $(TLM_OBJ:.o=.d)
# Of `make install`: headers below include/gantry, where gantry_msg.h is, and what pkg-config says of them; where there is no SystemC: nothing.
TLM_HEADERS := $(wildcard bridge/tlm/*.hpp host/tlm/*.hpp)
install-systemc:
	@if $(MAKE) --no-print-directory systemc-there >/dev/null 2>&1; then $(MAKE) --no-print-directory MARCH=$(MARCH) install-systemc-files; fi
install-systemc-files: $(TLM_LIB)
	@install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/gantry/bridge/tlm $(DESTDIR)$(PREFIX)/include/gantry/tlm
	@install -m 755 $(TLM_LIB) $(DESTDIR)$(PREFIX)/lib/
	@install -m 644 $(filter bridge/%,$(TLM_HEADERS)) $(DESTDIR)$(PREFIX)/include/gantry/bridge/tlm/
	@install -m 644 $(filter host/%,$(TLM_HEADERS)) $(DESTDIR)$(PREFIX)/include/gantry/tlm/
	@install -m 644 host/tlm/gantry_tlm.hpp $(B)/gen/gantry_msg.h $(DESTDIR)$(PREFIX)/include/gantry/
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(shell sed -n 's/^#define GANTRY_VERSION "\(.*\)"/\1/p' host/config/version.h)|' host/tlm/gantry-tlm.pc.in \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/gantry-tlm.pc
.PHONY: systemc systemc-there systemc-files install-systemc install-systemc-files
