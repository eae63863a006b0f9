# SPDX-License-Identifier: Apache-2.0
# `make dispatch-bench`: lines of empty kernels (S3.1) and launches a CPU second; FULL=1: every shape, up to 65,536 work-groups.
dispatch-bench: all  ## cycles of a launch and of a work-group over shapes and sizes, with fits
	@$(PY) sw/dispatch/bench.py $(if $(FULL),--full)
.PHONY: dispatch-bench
