# SPDX-License-Identifier: Apache-2.0
# `make fidelity`: whole-GPU microbenchmarks beside hardware's figures: build/fidelity/GROUP.json, and the page with its plots
# in build/fidelity/docs; UPDATE=1: in docs.
# `make fidelity G="stream chase"` measures these groups again and takes the others as they were.
fidelity: all  ## latencies and rates of an RTL GPU beside hardware's; UPDATE=1 writes docs/fidelity.md
	@$(PY) sw/fidelity/fidelity.py $(if $(filter 1,$(UPDATE)),--update) $(G)
.PHONY: fidelity
