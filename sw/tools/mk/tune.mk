# SPDX-License-Identifier: Apache-2.0
# `make tune` before long runs: models laid out after what runs; `make tune CONFIG="my.yaml r9nano"` for other machines.
tune: all  ## build faster models: train the C++ compiler on benchmark kernels (CONFIG, default r9nano demo tiny)
	@$(PY) sw/tools/speed/tune.py $(CONFIG)
bench: tune
.PHONY: tune
