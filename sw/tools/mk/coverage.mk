# SPDX-License-Identifier: Apache-2.0
coverage: all  ## what tests of the compute unit reach: cells of encodings, lines of RTL (N=instructions, PART=cells or rtl)
	@$(PY) sw/tools/verify/coverage.py $(if $(N),--instructions $(N)) $(if $(PART),--part $(PART))
.PHONY: coverage
