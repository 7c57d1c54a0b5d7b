# SPDX-License-Identifier: Apache-2.0
"""A queue on the device under test, random matrices, and the bound that results must keep."""

import os
import unittest

import numpy as np
import pyopencl as cl
import pyopencl.characterize
import sgemm

random = np.random.default_rng(1)


class OnDevice(unittest.TestCase):
    """Tests with a queue; skipped without a device, unless there must be one."""

    @classmethod
    def setUpClass(cls):
        try:
            device = sgemm.select_device()
        except sgemm.ArgumentError as error:
            if os.environ.get("SGEMM_REQUIRE_DEVICE") == "1":
                raise
            raise unittest.SkipTest(str(error)) from error
        cls.context = cl.Context([device])
        cls.queue = cl.CommandQueue(cls.context)

    @classmethod
    def tearDownClass(cls):
        sgemm.release_contexts()

    def need_svm(self):
        if not pyopencl.characterize.has_coarse_grain_buffer_svm(self.queue.device):
            self.skipTest("the device has no shared virtual memory")

    def check(self, result, a, b, alpha=1, beta=0, before=None):
        """Of NumPy arrays: `result` is alpha a b + beta before, within the documented bound."""
        a, b = a.astype(np.float64), b.astype(np.float64)
        exact, magnitude = alpha * (a @ b), abs(alpha) * (np.abs(a) @ np.abs(b))
        if beta != 0:
            exact, magnitude = exact + beta * before, magnitude + abs(beta) * np.abs(before)
        self.assertEqual(result.dtype, np.float32)
        self.assertEqual(result.shape, exact.shape)
        self.assertTrue((np.abs(result - exact) <= (a.shape[-1] + 4) * 2.0**-24 * magnitude).all())


def matrix(*shape, order="C"):
    return np.asarray(random.uniform(-1, 1, shape), dtype=np.float32, order=order)
