# SPDX-License-Identifier: Apache-2.0
# `make profile` shows where the time of a simulation goes; other work: `make profile P='build/bin/gantry kernel ...'`.
profile: all kernels  ## a table of simulation time by block of the design (needs linux-perf)
	@$(PY) sw/tools/speed/profile.py -- $(P)
.PHONY: profile
