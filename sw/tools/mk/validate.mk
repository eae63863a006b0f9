# SPDX-License-Identifier: Apache-2.0
# `make validate`: matrix products of rocBLAS (Debian 13's packages, which root gets by debootstrap where the host has none) on RTL `r9nano` beside what AMD timed
# on a R9 Nano, sw/validate.  What is measured is kept in build/validate/results until RTL, host or configurations change, so it goes on where it was ended.
#   make validate BUDGET=MINUTES       so much CPU time (120); KERNELS=full-rate|packaged|both, MOST=GFLOP (2.2), ONLY=expression over names as NT-512-16-512
#   make validate TABLE=FILE           another table of the same form (sw/validate/table.py)
# The page is build/validate/docs/validation.md; UPDATE=1: docs/validation.md.
validate: all  ## times of rocBLAS's matrix products beside those of a R9 Nano; UPDATE=1 writes docs/validation.md
	@$(PY) sw/validate/validate.py $(if $(filter 1,$(UPDATE)),--update) $(if $(BUDGET),--budget $(BUDGET)) $(if $(TABLE),--table $(TABLE)) \
	    $(if $(KERNELS),--kernels $(KERNELS)) $(if $(MOST),--most $(MOST)) $(if $(ONLY),--only "$(ONLY)")
.PHONY: validate
