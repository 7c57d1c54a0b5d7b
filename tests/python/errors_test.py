# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments: an exception of the documented type, and `out` as it was."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools
import sgemm
from support import OnDevice, matrix


class Errors(OnDevice):
    def setUp(self):
        self.a, self.b = self.device(matrix(12, 16)), self.device(matrix(16, 20))
        self.before = matrix(12, 20)
        self.out = self.device(self.before)

    def tearDown(self):
        self.assertTrue((self.out.get() == self.before).all(), "out was written")

    def device(self, array):
        return cl_array.to_device(self.queue, array)

    def refused(self, exception, pattern, a=None, b=None, out=None, **options):
        a, b, out = (mine if x is None else x for x, mine in ((a, self.a), (b, self.b), (out, self.out)))
        with self.assertRaisesRegex(exception, pattern):
            sgemm.gemm(self.queue, a, b, out, **options)

    def test_other_types_of_elements(self):
        for kind in np.float64, np.float16, np.complex64, np.int32, ">f4":
            self.refused(sgemm.DTypeError, "a is of", self.device(np.ones((12, 16), kind)))
            self.refused(sgemm.DTypeError, "b is of", b=np.ones((16, 20), kind))
        self.refused(sgemm.DTypeError, "out is of float64", out=np.zeros((12, 20)))
        with self.assertRaises(sgemm.DTypeError):
            sgemm.plan(self.queue, np.ones((8, 8)), self.b)

    def test_what_is_no_array(self):
        self.refused(TypeError, "a is a list", [[1.0]])
        self.refused(TypeError, "bare memory.*Array", b=self.b.base_data)
        self.refused(TypeError, "", alpha=None)

    def test_shapes(self):
        self.refused(sgemm.ShapeError, "12 x 16.*12 x 16", b=self.a)
        self.refused(sgemm.ShapeError, "out has the shape", out=self.a)
        self.refused(sgemm.ShapeError, r"a has the shape \(16,\)", self.device(matrix(16)))
        self.refused(sgemm.ShapeError, "3 matrices and b has 2", matrix(3, 12, 16), matrix(2, 16, 20))
        self.refused(sgemm.ShapeError, "op.a. is 16 x 12", transpose_a=True)

    def test_contiguous_in_neither_direction(self):
        self.refused(sgemm.StrideError, "must be copied", self.device(matrix(24, 32))[::2, ::2])
        self.refused(sgemm.StrideError, "out", out=self.device(matrix(12, 40))[:, ::2])
        overlapping = cl_array.Array(self.queue, (12, 16), np.float32, data=self.a.base_data, strides=(4, 4))
        self.refused(sgemm.StrideError, "a of shape", overlapping)
        halves = cl_array.Array(self.queue, (12, 16), np.float32, data=self.a.base_data, strides=(66, 4))
        self.refused(sgemm.StrideError, "whole elements", halves)

    def test_another_context(self):
        other = cl_array.to_device(cl.CommandQueue(cl.Context([self.queue.device])), matrix(12, 16))
        self.refused(sgemm.DeviceError, "a belongs to another", other)
        with self.assertRaisesRegex(sgemm.DeviceError, "queue"):
            sgemm.context_of(other.queue).gemm(self.queue, self.a, self.b)

    def test_released_shared_virtual_memory(self):
        self.need_svm()
        allocator = pyopencl.tools.SVMAllocator(self.context, queue=self.queue)
        for name, array in ("a", matrix(12, 16)), ("b", matrix(16, 20)), ("out", self.before):
            array = cl_array.to_device(self.queue, array, allocator=allocator)
            array.finish()
            array.base_data.release()
            self.refused(sgemm.ReleasedError, f"memory of {name}", **{name: array})

    def test_too_small_a_buffer(self):
        beyond = cl_array.Array(self.queue, (12, 16), np.float32, data=self.b.base_data, offset=1024)
        self.refused(sgemm.ArgumentError, "a", beyond)

    def test_out_over_an_operand(self):
        square = self.device(matrix(8, 8))
        self.refused(sgemm.ArgumentError, "overlap|share", square, square, square)

    def test_values(self):
        self.refused(sgemm.ArgumentError, "'double'.*strict", precision="double")
        self.refused(sgemm.ArgumentError, "7", precision=7)
        read_only = np.zeros((12, 20), np.float32)
        read_only.flags.writeable = False
        self.refused(sgemm.ArgumentError, "read-only", out=read_only)
        with self.assertRaisesRegex(sgemm.ArgumentError, "beta"):
            sgemm.gemm(self.queue, self.a, self.b, beta=1)
