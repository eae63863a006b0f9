# SPDX-License-Identifier: Apache-2.0
# `make fidelity`: whole-GPU microbenchmarks beside hardware's figures: build/fidelity/GROUP.json, docs/fidelity.md, docs/fidelity/*.svg.
# `make fidelity G="stream chase"` measures these groups again and takes the others as they were.
fidelity: all  ## latencies and rates of an RTL GPU beside hardware's, in docs/fidelity.md
	@$(PY) sw/fidelity/fidelity.py $(G)
.PHONY: fidelity
