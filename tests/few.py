# SPDX-License-Identifier: Apache-2.0
"""How many of many random samples a test takes: half of them in `make check`, a third in a build with a sanitizer, which runs
the same code to see what it does to memory and is slow, and all with SCOPE_ALL, as in `make check-long`."""
import os

SANITIZED = 'SCOPE_SANITIZED' in os.environ
SHARE = 1 if os.environ.get('SCOPE_ALL') else 3 if SANITIZED else 2


def few(n):
    return max(1, n // SHARE)
