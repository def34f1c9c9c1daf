# SPDX-License-Identifier: Apache-2.0
"""How many of many random samples a test takes: half of them in `make check`, a third in a build with a sanitizer, which runs
the same code to see what it does to memory and is slow, and all with SCOPE_ALL, as in `make check-long`."""
import os
import re
import unittest

SANITIZED = 'SCOPE_SANITIZED' in os.environ
SHARE = 1 if os.environ.get('SCOPE_ALL') else 3 if SANITIZED else 2


def few(n):
    return max(1, n // SHARE)


def once(test):
    """A test that is left to the build without sanitizers: it is long for the numbers that it compares, and what it runs is run by
    others of the same file."""
    return unittest.skipIf(SANITIZED and SHARE != 1, 'its numbers are compared in the other build')(test)


def part(case):
    """Of the tests of a class those that a build with a sanitizer runs: all of what is broken, cut, strange or large, and of the
    others every third.  Their numbers are compared in the other build."""
    names = [name for name in vars(case) if name.startswith('test_')]
    plain = [name for name in names if not re.search('bad|broken|cut|damage|endless|huge|large|lost|malformed|many|no_|piece|random|strange|torn|travel|too_', name)]
    for k, name in enumerate(plain):
        if k % 3:
            setattr(case, name, once(getattr(case, name)))
