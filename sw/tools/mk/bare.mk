# SPDX-License-Identifier: Apache-2.0
# Both commands of the README on bare machines (sw/tools/verify/bare.py): R=RELEASE one of them, W=user as a user with sudo, T=path a part of the tests.
bare:  ## make demo and make test on a bare Debian of each release, as root: needs root and debootstrap
	@for release in $(or $(R),12 13); do $(PY) sw/tools/verify/bare.py $$release $(or $(W),root) $(or $(T),all) || exit $$?; done
.PHONY: bare
