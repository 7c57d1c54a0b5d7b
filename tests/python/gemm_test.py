# SPDX-License-Identifier: Apache-2.0
"""Products of arrays, however they are stored."""

import itertools
import threading

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools
import sgemm
from support import OnDevice, matrix


class Gemm(OnDevice):
    def device(self, array, **options):
        return cl_array.to_device(self.queue, array, **options)

    def test_every_order_and_transpose(self):
        for orders, t_a, t_b in itertools.product(itertools.product("CF", repeat=3), (False, True), (False, True)):
            a = matrix(*((23, 37) if t_a else (37, 23)), order=orders[0])
            b = matrix(*((41, 23) if t_b else (23, 41)), order=orders[1])
            c = matrix(37, 41, order=orders[2])
            out = self.device(c)
            returned = sgemm.gemm(self.queue, self.device(a), self.device(b), out, 0.5, -2,
                                  transpose_a=t_a, transpose_b=t_b)
            self.assertIs(returned, out)
            with self.subTest(orders=orders, transposes=(t_a, t_b)):
                self.check(out.get(), a.T if t_a else a, b.T if t_b else b, 0.5, -2, c)

    def test_parts_of_matrices_and_transposed_views(self):
        a, b, c = matrix(60, 70), matrix(60, 80), matrix(90, 50)
        x, y, z = self.device(a), self.device(b), self.device(c)
        sgemm.gemm(self.queue, x.T[10:50, 3:40], y[3:40, 20:55], z[7:47, 5:40])
        result = z.get()
        self.check(result[7:47, 5:40], a.T[10:50, 3:40], b[3:40, 20:55])
        result[7:47, 5:40] = c[7:47, 5:40]
        self.assertTrue((result == c).all(), "written beside the part")

    def test_vectors(self):
        a, b = matrix(30, 40), matrix(40, 30)
        x, y = self.device(a), self.device(b)
        for rows, columns in (slice(4, 5), slice(None)), (slice(None), slice(6, 7)), (slice(4, 5), slice(6, 7)):
            self.check(sgemm.gemm(self.queue, x[rows], y[:, columns]).get(), a[rows], b[:, columns])
        self.check(sgemm.gemm(self.queue, x[:, 8:9], y[8:9]).get(), a[:, 8:9], b[8:9])

    def test_zero_sizes(self):
        for m, n, k in (0, 3, 4), (3, 0, 4), (0, 0, 0):
            self.assertEqual(sgemm.gemm(self.queue, matrix(m, k), matrix(k, n)).shape, (m, n))
        c = matrix(5, 6)
        out = self.device(c)
        sgemm.gemm(self.queue, self.device(matrix(5, 0)), self.device(matrix(0, 6)), out, beta=2)
        self.assertTrue((out.get() == 2 * c).all())

    def test_batches(self):
        a, b = matrix(3, 20, 30), matrix(3, 30, 10)
        x, y = self.device(a), self.device(b)
        self.check(sgemm.gemm(self.queue, x, y).get(), a, b)
        self.check(sgemm.gemm(self.queue, x[:, 2:9], y[:, :, 4:]).get(), a[:, 2:9], b[:, :, 4:])
        self.check(sgemm.gemm(self.queue, x, y[1]).get(), a, b[1])
        self.check(sgemm.gemm(self.queue, x[0], y).get(), a[0], b)
        self.check(sgemm.gemm(self.queue, x[:1], y[:1]).get(), a[:1], b[:1])
        self.check(sgemm.gemm(self.queue, a, b), a, b)

    def test_beta_zero_does_not_read_out(self):
        out = self.device(np.full((8, 8), np.nan, np.float32))
        a, b = matrix(8, 8), matrix(8, 8)
        self.check(sgemm.gemm(self.queue, self.device(a), self.device(b), out).get(), a, b)

    def test_numpy_in_and_out(self):
        a, b, c = matrix(50, 60), matrix(60, 40), matrix(50, 40)
        result = sgemm.gemm(self.queue, a, b)
        self.assertIsInstance(result, np.ndarray)
        self.check(result, a, b)
        self.check(sgemm.gemm(self.queue, a[::-2, ::3], b[::3, 5:]), a[::-2, ::3], b[::3, 5:])
        wide = np.zeros((50, 80), np.float32)
        out = wide[:, ::2]
        out[...] = c
        self.assertIs(sgemm.gemm(self.queue, a, b, out, 2, 3), out)
        self.check(out, a, b, 2, 3, c)
        self.assertTrue((wide[:, 1::2] == 0).all())

    def test_numpy_and_device_together(self):
        a, b = matrix(50, 60), matrix(60, 40)
        result = sgemm.gemm(self.queue, a, self.device(b))
        self.assertIsInstance(result, cl_array.Array)
        self.check(result.get(), a, b)
        out = np.empty((50, 40), np.float32)
        self.check(sgemm.gemm(self.queue, self.device(a), self.device(b), out), a, b)

    def test_a_buffer_as_an_array(self):
        a, b = matrix(16, 16), matrix(16, 16)
        buffer = cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.concatenate([b.ravel(), a.ravel()]))
        x = cl_array.Array(self.queue, (16, 16), np.float32, data=buffer, offset=a.nbytes)
        y = cl_array.Array(self.queue, (16, 16), np.float32, data=buffer)
        self.check(sgemm.gemm(self.queue, x, y).get(), a, b)

    def test_pools(self):
        pool = pyopencl.tools.MemoryPool(pyopencl.tools.ImmediateAllocator(self.queue))
        a, b = matrix(16, 17), matrix(17, 18)
        x, y = self.device(a, allocator=pool), self.device(b, allocator=pool)
        result = sgemm.gemm(self.queue, x, y)
        self.assertIs(result.allocator, pool)
        self.check(result.get(), a, b)

    def test_shared_virtual_memory(self):
        self.need_svm()
        allocator = pyopencl.tools.SVMAllocator(self.context, queue=self.queue)
        a, b = matrix(16, 17), matrix(17, 18)
        x, y = self.device(a, allocator=allocator), self.device(b, allocator=allocator)
        self.check(sgemm.gemm(self.queue, x[3:], y[:, 2:]).get(), a[3:], b[:, 2:])
        with self.assertRaisesRegex(sgemm.ArgumentError, "a in shared virtual memory, b in a buffer"):
            sgemm.gemm(self.queue, x, self.device(b))

    def test_numpy_beside_shared_virtual_memory(self):
        self.need_svm()
        a, b, c = matrix(60, 70), matrix(70, 80), matrix(60, 80)
        allocator = pyopencl.tools.SVMAllocator(self.context, queue=self.queue)
        for allocator in allocator, pyopencl.tools.SVMPool(allocator):
            x, y, z = (self.device(array, allocator=allocator) for array in (a, b, c))
            self.check(sgemm.gemm(self.queue, x, b).get(), a, b)
            self.check(sgemm.gemm(self.queue, a[:, ::2], y[::2]).get(), a[:, ::2], b[::2])
            sgemm.gemm(self.queue, a, b, z, 2, 3)
            self.check(z.get(), a, b, 2, 3, c)
            out = c.copy()
            sgemm.gemm(self.queue, x, y, out, 2, 3)
            self.check(out, a, b, 2, 3, c)
        memory = cl.SVMAllocation(self.context, a.nbytes, 0, cl.svm_mem_flags.READ_WRITE, queue=self.queue)
        x = cl_array.Array(self.queue, a.shape, np.float32, data=memory)
        x.set(a)
        self.check(sgemm.gemm(self.queue, x, b).get(), a, b)

    def test_waits_and_leaves_an_event(self):
        a, b = matrix(16, 16), matrix(16, 16)
        x, y = self.device(a), self.device(b)
        gate = cl.UserEvent(self.context)
        result = sgemm.gemm(self.queue, x, y, wait_for=[gate])
        self.queue.flush()
        self.assertNotEqual(result.events[-1].command_execution_status, cl.command_execution_status.COMPLETE)
        gate.set_status(cl.command_execution_status.COMPLETE)
        cl.wait_for_events(result.events)
        self.check(result.get(), a, b)

    def test_every_precision_keeps_the_bound(self):
        a, b = matrix(64, 64), matrix(64, 64)
        for precision in ["automatic", "strict", "emulated", sgemm.Precision.STRICT]:
            self.check(sgemm.gemm(self.queue, a, b, precision=precision), a, b)

    def test_threads(self):
        a, b = matrix(70, 80), matrix(80, 90)
        results = [None] * 8

        def multiply(i):
            results[i] = sgemm.gemm(self.queue, a, b)

        threads = [threading.Thread(target=multiply, args=(i,)) for i in range(len(results))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            self.check(result, a, b)
