# SPDX-License-Identifier: Apache-2.0
# host, bridge and shim with sanitizers, in build/asan and build/tsan: T=PATTERN runs what has it in its name, SHORT=1 what `make test` runs.
asan: all  ## C tests and HIP programs on a build with ASan and UBSan; ends with "asan: N passed, N failed"
	@$(PY) sw/tools/verify/sanitize.py asan $(if $(SHORT),--short) $(T)
tsan: all  ## the same with TSan, what has several threads; ends with "tsan: N passed, N failed"
	@$(PY) sw/tools/verify/sanitize.py tsan $(if $(SHORT),--short) $(T)
.PHONY: asan tsan
