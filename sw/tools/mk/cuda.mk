# SPDX-License-Identifier: Apache-2.0
# CUDA: one folder with bin/nvcc, include and lib64, as makefiles written for nvcc look for it (docs/cuda.md).
CUDA := $(B)/cuda
CUDA_LIB := $(wildcard sw/cuda/lib/*.cpp)
CUDA_CXX := g++ -std=c++14 -O2 -fPIC -shared -Wall -Wextra -Wno-deprecated-declarations -D__HIP_PLATFORM_AMD__ -Isw/cuda/lib -I$(CUDA)/src -I$(CUDA)/include
CUDA_MADE := $(CUDA)/lib64/libcudart.so $(CUDA)/lib64/libcuda.so $(CUDA)/bin/nvcc
cuda:  ## gantry-nvcc, headers and libraries for CUDA programs, into build/cuda
	$(call step,building the CUDA tools,$(words $(CUDA_MADE)),cuda-files)
cuda-files: $(CUDA_MADE)
$(CUDA)/src/runtime.cpp: sw/cuda/names.tsv sw/tools/gen/gen_cuda.py $(wildcard sw/cuda/include/*.h sw/cuda/include/*/*.h)
	@mkdir -p $(CUDA)/include
	$(call say,CUDA)
	$(Q)cp -R sw/cuda/include/. $(CUDA)/include/
	$(Q)python3 sw/tools/gen/gen_cuda.py $(CUDA)
$(CUDA)/lib64/libcudart.so: $(CUDA)/src/runtime.cpp $(CUDA_LIB) sw/cuda/lib/native.h
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CUDA_CXX) -Wl,-soname,libcudart.so.11.0 -o $(@D)/libcudart.so.11.0 $(filter-out sw/cuda/lib/driver.cpp,$(CUDA_LIB)) $< -lamdhip64 -ldl
	@ln -sf libcudart.so.11.0 $@
	@ln -sf libcudart.so.11.0 $(@D)/libcudart_static.a
$(CUDA)/lib64/libcuda.so: $(CUDA)/lib64/libcudart.so sw/cuda/lib/driver.cpp sw/cuda/lib/native.h
	@mkdir -p $(@D)/stubs
	$(call say,CXX)
	$(Q)$(CUDA_CXX) -Wl,-soname,libcuda.so.1 -Wl,-rpath,'$$ORIGIN' -o $(@D)/libcuda.so.1 sw/cuda/lib/driver.cpp $(CUDA)/src/driver.cpp -L$(@D) -lcudart -lamdhip64
	@ln -sf libcuda.so.1 $@
	@ln -sf ../libcuda.so.1 $(@D)/stubs/libcuda.so
$(CUDA)/bin/nvcc: $(wildcard sw/cuda/nvcc/*) sw/tools/builder/releases.tsv
	@mkdir -p $(@D) $(CUDA)/nvcc
	@cp sw/cuda/nvcc/*.py $(CUDA)/nvcc/
	@sw/tools/builder/release.sh --fill <sw/cuda/nvcc/gantry-nvcc >$(@D)/gantry-nvcc && chmod 755 $(@D)/gantry-nvcc
	@ln -sf gantry-nvcc $@
.PHONY: cuda cuda-files
