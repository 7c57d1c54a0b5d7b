# SPDX-License-Identifier: Apache-2.0
"""Contexts, plans and the choice of a device."""

import contextlib
import gc
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import weakref
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import sgemm
from support import OnDevice, matrix


class Contexts(OnDevice):
    def test_one_is_kept_for_a_queue(self):
        self.assertIs(sgemm.context_of(self.queue), sgemm.context_of(cl.CommandQueue(self.context)))
        before = sgemm.context_of(self.queue)
        sgemm.release_contexts()
        self.assertIsNot(sgemm.context_of(self.queue), before)

    def test_those_of_the_last_eight_are_kept(self):
        kept = sgemm.context_of(self.queue)
        others = [cl.CommandQueue(cl.Context([self.queue.device])) for _ in range(8)]
        first = sgemm.context_of(others[0])
        for queue in others[1:7]:
            sgemm.context_of(queue)
        self.assertIs(sgemm.context_of(self.queue), kept)
        sgemm.context_of(others[7])
        self.assertIs(sgemm.context_of(self.queue), kept)
        self.assertIsNot(sgemm.context_of(others[0]), first)

    def test_one_that_was_closed_is_made_anew(self):
        before = sgemm.context_of(self.queue)
        before.close()
        before.close()
        a, b = matrix(8, 8), matrix(8, 8)
        self.check(sgemm.gemm(self.queue, a, b), a, b)
        self.assertIsNot(sgemm.context_of(self.queue), before)

    def test_one_that_logs_to_its_owner_is_collected(self):
        class Owner:
            def __init__(self, context):
                self.library = sgemm.Context(context, log=self.log)

            def log(self, level, text):
                pass

        owner = Owner(self.context)
        owner.library.gemm(self.queue, matrix(8, 8), matrix(8, 8))
        gone = weakref.ref(owner)
        del owner
        gc.collect()
        self.assertIsNone(gone())

    def test_what_is_collected_meanwhile_may_look_one_up(self):
        program = ("import pyopencl, sgemm, sgemm._context as package\n"
                   "queue = pyopencl.CommandQueue(pyopencl.Context([sgemm.select_device()]))\n"
                   "class Caller:\n"
                   "    def __del__(self):\n"
                   "        sgemm.context_of(queue)\n"
                   "class Collecting(dict):\n"
                   "    def pop(self, key, default=None):\n"
                   "        held.clear()\n"
                   "        return super().pop(key, default)\n"
                   "held = [Caller()]\n"
                   "package._contexts = Collecting()\n"
                   "print(sgemm.context_of(queue) is sgemm.context_of(queue))\n")
        run = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True, timeout=60)
        self.assertEqual(run.stdout, "True\n")

    def test_a_forced_kernel(self):
        a, b = matrix(20, 30), matrix(30, 10)
        with sgemm.Context(self.context, kernel="01_naive", disk_cache=False) as context:
            self.assertEqual(context.plan(a, b).kernel, "01_naive")
            self.check(context.gemm(self.queue, a, b), a, b)
            context.release_workspace()
        with self.assertRaisesRegex(sgemm.ArgumentError, "closed"):
            context.gemm(self.queue, a, b)

    def test_options_arrive(self):
        with self.assertRaises(sgemm.ConfigurationError):
            sgemm.Context(self.context, table_file="/nonexistent.toml")
        with self.assertRaisesRegex(sgemm.ArgumentError, "no_such_kernel"):
            with sgemm.Context(self.context, kernel="no_such_kernel") as context:
                context.plan((8, 8), (8, 8))
        with tempfile.TemporaryDirectory() as folder:
            with sgemm.Context(self.context, disk_cache=True, cache_folder=folder) as context:
                context.gemm(self.queue, matrix(8, 8), matrix(8, 8))
            self.assertTrue(os.listdir(folder))

    def test_the_log(self):
        # Read when a Context is made: a variable of this process's environment would be too late.
        program = ("import numpy, pyopencl, sgemm\n"
                   "device = sgemm.select_device()\n"
                   "context = pyopencl.Context([device])\n"
                   "log = lambda level, text: print('log', level, text.split()[0], flush=True)\n"
                   "with sgemm.Context(context, log=log) as library:\n"
                   "    x = numpy.ones((8, 8), numpy.float32)\n"
                   "    library.gemm(pyopencl.CommandQueue(context), x, x)\n")
        run = subprocess.run([sys.executable, "-c", program], env=os.environ | {"SGEMM_TRACE": "1"}, text=True,
                             capture_output=True, check=True)
        self.assertIn("log trace", run.stdout)

    def test_a_plan_is_that_of_the_call(self):
        a = cl_array.to_device(self.queue, matrix(300, 200))
        plan = sgemm.plan(self.queue, a.T, a)
        self.assertIn("200x200x300", str(plan))
        self.assertIn(plan.kernel, plan.summary)
        self.assertGreater(plan.predicted_seconds, 0)
        self.assertGreaterEqual(plan.launches, 1)
        self.assertEqual(plan.precision, sgemm.Precision.STRICT)
        shapes = sgemm.plan(self.queue, (300, 200), (300, 200), transpose_a=True)
        self.assertEqual(str(shapes).splitlines()[0], str(plan).splitlines()[0])

    def test_a_plan_of_numpy_arrays_is_that_of_their_copies(self):
        a, b = matrix(60, 80), matrix(80, 40)

        def head(*arrays):
            return str(sgemm.plan(self.queue, *arrays)).splitlines()[0]

        tight = head((30, 40), (40, 20))
        self.assertEqual(head(a[::2, ::-2], b[::2, 1::2]), tight)
        self.assertEqual(head(a[:30, :40], b[:40, :20], matrix(60, 40)[::2, ::2]), tight)
        self.assertEqual(head(a[:30, :40], b[:40, :20], matrix(30, 20, order="F")),
                         head((30, 40), (40, 20), cl_array.zeros(self.queue, (30, 20), np.float32, order="F")))

    def test_what_the_guide_shows(self):
        page = Path(os.environ["SGEMM_TEST_SOURCE"], "docs", "guide", "python.md").read_text(encoding="utf-8")
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(re.search(r"^```python\n(.*?)^```$", page, flags=re.S | re.M)[1], names)
        self.assertIn("candidates by predicted time", printed.getvalue())
        self.check(names["host"], names["a"].get(), names["b"].get())

    def test_no_such_device(self):
        with self.assertRaisesRegex(sgemm.ArgumentError, "no such device"):
            sgemm.select_device("no such device")


class Library(unittest.TestCase):
    def test_versions_are_one(self):
        version = os.environ["SGEMM_TEST_VERSION"]
        self.assertEqual(sgemm.version(), version)
        project = Path(os.environ["SGEMM_TEST_SOURCE"], "python", "pyproject.toml")
        self.assertIn(f'version = "{version}"', project.read_text(encoding="utf-8"))

    def test_a_library_that_is_not_there(self):
        for file in "/nonexistent/libsgemm.so", "libc.so.6":
            run = subprocess.run([sys.executable, "-c", "import sgemm"], env=os.environ | {"SGEMM_LIBRARY": file},
                                 capture_output=True, text=True, check=False)
            self.assertNotEqual(run.returncode, 0)
            self.assertRegex(run.stderr, "ImportError: libsgemm cannot be used: .*SGEMM_LIBRARY")
