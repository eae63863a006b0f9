# SPDX-License-Identifier: Apache-2.0
# HIP programs of sw/apps, with the stock compiler: `make apps` builds them into build/apps.
APP_SRC := $(wildcard sw/apps/*.hip sw/apps/faults/*.hip)
APPS := $(patsubst %.hip,$(B)/apps/%,$(notdir $(APP_SRC)))
vpath %.hip sw/apps sw/apps/faults
apps: $(APPS)  ## build the HIP programs of sw/apps into build/apps
$(B)/apps/%: %.hip sw/apps/check.h
	@mkdir -p $(@D)
	hipcc --offload-arch=gfx803 -O2 -std=c++17 -ffp-contract=off -Isw/apps -x hip $< -o $@ -lpthread
.PHONY: apps
