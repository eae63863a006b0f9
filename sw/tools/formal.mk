# SPDX-License-Identifier: Apache-2.0
formal:  ## prove the FIFO, the arbiter and the resource pool; refute their seeded faults
	@$(PY) sw/tools/formal.py
.PHONY: formal
