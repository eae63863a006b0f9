# SPDX-License-Identifier: Apache-2.0
# HIP programs of sw/apps and its folders, with the stock compiler, into build/apps: `make apps` those of one or a few kernels, `make programs` the families
# of kernels (sw/apps/families), each with -O2.  build/apps/O0/NAME and build/apps/O3/NAME are the same at other levels.
FAMILIES := $(wildcard sw/apps/families/*.hip)
APP_SRC := $(wildcard sw/apps/*.hip sw/apps/faults/*.hip sw/apps/pages/*.hip)
APPS := $(patsubst %.hip,$(B)/apps/%,$(notdir $(APP_SRC)))
HIP_FLAGS := -std=c++17 -ffp-contract=off -Isw/apps -x hip
vpath %.hip sw/apps sw/apps/families sw/apps/faults sw/apps/pages
$(filter $(B)/apps/pages_%,$(APPS)): sw/apps/pages/share.h
PROGRAMS := $(patsubst sw/apps/families/%.hip,$(B)/apps/%,$(FAMILIES))
apps:  ## build the HIP programs of sw/apps into build/apps
	$(call step,building HIP programs,$(words $(APPS)),apps-files)
apps-files: $(APPS)
programs:  ## build the HIP programs with families of kernels into build/apps
	$(call step,building HIP programs,$(words $(PROGRAMS)),programs-files)
programs-files: $(PROGRAMS)
$(B)/apps/%: %.hip sw/apps/check.h sw/apps/suite.h sw/tools/builder/hipcc.sh
	@mkdir -p $(@D)
	$(call say,HIP)
	$(Q)sw/tools/builder/hipcc.sh -O2 $(HIP_FLAGS) $< -o $@ -lpthread
define app_level
$(B)/apps/$(1)/%: %.hip sw/apps/check.h sw/apps/suite.h sw/tools/builder/hipcc.sh
	@mkdir -p $$(@D)
	$$(call say,HIP)
	$$(Q)sw/tools/builder/hipcc.sh -$(1) $(HIP_FLAGS) $$< -o $$@ -lpthread
endef
$(foreach level,O0 O3,$(eval $(call app_level,$(level))))
.PHONY: apps apps-files programs programs-files
