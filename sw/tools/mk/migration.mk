# SPDX-License-Identifier: Apache-2.0
# `make migration`: programs of sw/apps/pages under each policy of moves, on r9nano; what is measured is kept in build/migration until RTL, host or
# programs change, so it goes on where it was ended.  `make migration GROUP="reuse writers" ONLY=threshold` measures a part of it (ONLY: a regular expression
# over `workload policy`).  The page is build/migration/docs/migration.md; UPDATE=1: docs/migration.md.
MIGRATION_APPS := $(addprefix $(B)/apps/pages_,turns arrays graphs tables)
migration: all $(MIGRATION_APPS)  ## cycles of programs whose pages move, by policy, on 2 and 4 GPUs; UPDATE=1 writes docs/migration.md
	@$(PY) sw/tools/speed/migration.py $(if $(filter 1,$(UPDATE)),--update) $(if $(ONLY),--only "$(ONLY)") $(GROUP)
.PHONY: migration
