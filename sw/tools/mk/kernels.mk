# SPDX-License-Identifier: Apache-2.0
# Code objects of sw/kernels in four versions: 2 and 3 by the clang that hipcc brings, 4 and 5 by clang-19.
BITCODE := $(shell sw/tools/builder/release.sh bitcode 2>/dev/null)
HIP_CLANG := clang-$(shell sw/tools/builder/release.sh hip_llvm 2>/dev/null)
CL_FLAGS := -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx803 -O2 -Wall -Werror \
            --rocm-device-lib-path=$(BITCODE)
$(B)/kernels/%.v2.co: sw/kernels/%.cl
	@mkdir -p $(@D)
	$(call say,CL)
	$(Q)$(HIP_CLANG) $(CL_FLAGS) -mcode-object-version=2 -o $@ $<
$(B)/kernels/%.v3.co: sw/kernels/%.cl
	@mkdir -p $(@D)
	$(call say,CL)
	$(Q)$(HIP_CLANG) $(CL_FLAGS) -mcode-object-version=3 -o $@ $<
$(B)/kernels/%.v4.co: sw/kernels/%.cl
	@mkdir -p $(@D)
	$(call say,CL)
	$(Q)clang-19 $(CL_FLAGS) -mcode-object-version=4 -o $@ $<
$(B)/kernels/%.v5.co: sw/kernels/%.cl
	@mkdir -p $(@D)
	$(call say,CL)
	$(Q)clang-19 $(CL_FLAGS) -mcode-object-version=5 -o $@ $<
KERNELS := $(patsubst sw/kernels/%.cl,%,$(wildcard sw/kernels/*.cl))
KERNEL_FILES := $(foreach v,v2 v3 v4 v5,$(KERNELS:%=$(B)/kernels/%.$v.co))
kernels:  ## code objects of sw/kernels
	$(call step,building kernels,$(words $(KERNEL_FILES)),kernels-files)
kernels-files: $(KERNEL_FILES)
.PHONY: kernels kernels-files
