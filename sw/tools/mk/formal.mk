# SPDX-License-Identifier: Apache-2.0
# `make formal` runs every proof, those of `make nightly` too; one block: `make formal F=dispatch_pool`.
formal:  ## all proofs of small blocks, refuted seeded faults; ends with "formal: N as expected, N not"
	@$(MAKE) --no-print-directory build/gen/gantry_msg_pkg.sv
	@$(PY) sw/tools/verify/formal.py $(F)
.PHONY: formal
