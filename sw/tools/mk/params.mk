# SPDX-License-Identifier: Apache-2.0
# Configuration table: C struct, SystemVerilog package with the defaults, reference page, from configs/params.def.
GENERATED += $(B)/gen/gantry_cfg.h
$(B)/gen/gantry_cfg.h $(B)/gen/gantry_cfg_table.h &: configs/params.def sw/tools/gen/gen_params.py
	@mkdir -p $(B)/gen
	$(Q)python3 sw/tools/gen/gen_params.py c --header $(B)/gen/gantry_cfg.h --table $(B)/gen/gantry_cfg_table.h
$(B)/gen/gantry_cfg_pkg.sv: configs/params.def sw/tools/gen/gen_params.py
	@mkdir -p $(B)/gen
	$(Q)python3 sw/tools/gen/gen_params.py sv --out $@
# Other dispatchers for benches: build/gen/dispatch_place.fill+patience.300/gantry_cfg_pkg.sv
$(B)/gen/dispatch_%/gantry_cfg_pkg.sv: configs/params.def sw/tools/gen/gen_params.py
	@mkdir -p $(@D)
	$(Q)python3 sw/tools/gen/gen_params.py sv $(patsubst %,--set gpu.dispatch.%,$(subst .,=,$(subst +, ,$*))) --out $@
# Other compute units for benches: build/gen/cu_lanes.4+operand_stages.1/gantry_cfg_pkg.sv
$(B)/gen/cu_%/gantry_cfg_pkg.sv: configs/params.def sw/tools/gen/gen_params.py
	@mkdir -p $(@D)
	$(Q)python3 sw/tools/gen/gen_params.py sv $(patsubst %,--set gpu.cu.%,$(subst .,=,$(subst +, ,$*))) --out $@
# Whole memory paths for benches: one KEY=VALUE a line in tests/rtl/memory/shapes
$(B)/gen/shape_%/gantry_cfg_pkg.sv: tests/rtl/memory/shapes/%.set configs/params.def sw/tools/gen/gen_params.py
	@mkdir -p $(@D)
	$(Q)python3 sw/tools/gen/gen_params.py sv $$(sed -n 's/^[a-z]/--set &/p' $<) --out $@
$(B)/obj/host/config/key_table.o: $(B)/gen/gantry_cfg_table.h
docs-config:  ## rewrite docs/reference/config.md from configs/params.def
	@python3 sw/tools/gen/gen_params.py md --out docs/reference/config.md
.PHONY: docs-config
