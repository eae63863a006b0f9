# SPDX-License-Identifier: Apache-2.0
# SystemC TLM-2.0 modules of partitions and GPUs.  Nothing else needs SystemC.
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
.PHONY: systemc systemc-there systemc-files
