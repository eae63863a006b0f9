# SPDX-License-Identifier: Apache-2.0
# The RTL models of a configuration, ahead of the first run that needs them (the command builds them by itself).
MODEL_PACKAGES := $(B)/gen/gantry_msg_pkg.sv $(B)/gen/gantry_cfg_pkg.sv $(B)/gen/gcn3_pkg.sv
MODEL_KINDS := cu sqc noc l2 utcl2 rdma dispatch
$(B)/bin/gantry: | $(MODEL_PACKAGES)
models:  ## build the RTL models of CONFIG (default demo)
	$(call step,building the RTL models,$(words $(MODEL_KINDS) $(MODEL_KINDS)),models-files)
models-files: $(MODEL_PACKAGES) | $(B)/bin/gantry
	@$(PY) sw/tools/builder/models.py $(if $(GANTRY_MODEL_CHECK),--check) $$($(B)/bin/gantry config -c $(or $(CONFIG),configs/demo.yaml) --sv | sed 's/^/--set=/') $(MODEL_KINDS)
# What most tests run, with the assertions of the RTL: built before them, so that a test of another machine finds of it what it shares (tests/conftest.py, LIGHT).
tests-models-files: $(MODEL_PACKAGES) | $(B)/bin/gantry
	@for machine in 'tiny --set system.gpus=1' 'tiny --set system.gpus=2' smallest demo; do \
		$(PY) sw/tools/builder/models.py --check $$($(B)/bin/gantry config -c $$machine --sv | sed 's/^/--set=/') $(MODEL_KINDS) || exit; done
.PHONY: models models-files tests-models-files
# What foreign tools need to read rtl/gpu/gpu.sv: the manifest, and the packages that it lists.
core:  ## rewrite gantry.core, the list of the RTL for FuseSoC
	@$(PY) sw/tools/gen/gen_core.py
packages: $(MODEL_PACKAGES) $(B)/gen/trans_tables_pkg.sv  ## write the SystemVerilog packages that gantry.core lists (default configuration)
.PHONY: core packages
