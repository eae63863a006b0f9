# SPDX-License-Identifier: Apache-2.0
"""What the page of `make validate` says of the measurement and of its rows."""
KNOWN = ""
READINGS = ""
ROWS = ""
EXPLAINED = ""
