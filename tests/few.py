# SPDX-License-Identifier: Apache-2.0
"""How many of many: a build with a sanitizer runs the same code with a third of the random samples.  Whether the numbers
are right is what the other build tells; this one tells what memory and threads say to it, and is slow."""
import os

SANITIZED = 'SCOPE_SANITIZED' in os.environ


def few(n):
    return max(1, n // 3) if SANITIZED else n
