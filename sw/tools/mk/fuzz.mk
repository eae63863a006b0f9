# SPDX-License-Identifier: Apache-2.0
# Fuzzers of tests/fuzz: `make fuzz` all, T="object config" some; N inputs each (default 1,000,000; packets on RTL 100,000).
fuzz: all  ## fuzz code objects, YAML, arguments, requests, packets (T=targets, N=inputs); ends with "fuzz: N passed, N failed"
	@$(PY) sw/tools/verify/fuzzers.py $(if $(N),--inputs $(N)) $(T)
.PHONY: fuzz
