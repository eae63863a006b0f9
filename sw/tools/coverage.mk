# SPDX-License-Identifier: Apache-2.0
coverage: all  ## which encodings, operand kinds and modifiers lock step has compared (N=instructions)
	@$(PY) sw/tools/coverage.py $(if $(N),--instructions $(N))
.PHONY: coverage
