# SPDX-License-Identifier: Apache-2.0
"""What the package says of sgemm/sgemm.h against the header itself, read by the C compiler and as text."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from sgemm import _library

INCLUDE = Path(os.environ["SGEMM_TEST_SOURCE"], "include")
HEADER = re.sub(r"/\*.*?\*/", "", (INCLUDE / "sgemm" / "sgemm.h").read_text(encoding="utf-8"), flags=re.S)
HANDLES = {"cl_context", "cl_device_id", "cl_command_queue", "cl_mem", "sgemm_context", "sgemm_plan"}
NUMBERS = {"void": None, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "cl_uint": ctypes.c_uint,
           "cl_int": ctypes.c_int32, "float": ctypes.c_float}


def is_pointer(kind):
    return kind in (ctypes.c_void_p, ctypes.c_char_p) or hasattr(kind, "contents")


class Header(unittest.TestCase):
    def test_sizes_places_and_values(self):
        claims = []
        for name, structure in _library.STRUCTURES.items():
            claims.append(f"sizeof({name}) == {ctypes.sizeof(structure)}")
            for field, _ in structure._fields_:
                place = getattr(structure, field)
                claims.append(f"offsetof({name}, {field}) == {place.offset}")
                claims.append(f"sizeof((({name}*)0)->{field}) == {place.size}")
        claims += [f"{name} == {value:d}" for name, value in _library.ENUMERATORS.items()]
        claims.append(f"SGEMM_TIGHT == {_library.TIGHT + 1} - 1")
        lines = "".join(f'_Static_assert({claim}, "{claim}");\n' for claim in claims)
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(f"#include <sgemm/sgemm.h>\n#include <stddef.h>\n{lines}")
            file.flush()
            run = subprocess.run([os.environ["SGEMM_TEST_CC"], "-std=c11", "-fsyntax-only", f"-I{INCLUDE}", file.name],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_no_field_is_left_out(self):
        for name, structure in _library.STRUCTURES.items():
            body = re.search(r"typedef struct " + name + r" \{(.*?)\}", HEADER, flags=re.S)[1]
            fields = [re.search(r"(\w+)$", line.strip())[1] for line in body.split(";")[:-1]]
            self.assertEqual(fields, [field for field, _ in structure._fields_], name)

    def test_functions(self):
        for name, (result, *arguments) in _library.FUNCTIONS.items():
            match = re.search(r"SGEMM_API ([\w\s*]+?)\s*\b" + name + r"\(([^;]*)\);", HEADER)
            parameters = [] if match[2] == "void" else [re.sub(r"\w+$", "", p.strip()) for p in match[2].split(",")]
            self.assertEqual(len(parameters), len(arguments), name)
            for text, kind in [(match[1], result), *zip(parameters, arguments)]:
                text = text.replace("const", "").strip()
                with self.subTest(name=name, type=text):
                    if "*" in text or text in HANDLES:
                        self.assertTrue(is_pointer(kind))
                    else:  # an enumeration, or a number
                        self.assertIs(kind, NUMBERS.get(text, ctypes.c_int))
