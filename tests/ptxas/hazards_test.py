#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/sass_hazards.py: a loop that ptxas 13.0 made of kernels/nvidia/ring.cl, most of its products left out, in which
R16 is loaded at its end and used at its beginning, and one of two ways between them does not wait."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
import sass_hazards

with open(os.path.join(HERE, "missing_wait.sass")) as listing:
    LISTING = listing.read()
BRANCH = "0x010fea0003800000"  # at 2c30: waits for scoreboard 4
LOAD = "0x000e220000000c00"  # at 4620: raises scoreboard 0


def changed(word, other):
    assert LISTING.count(word) == 1
    return LISTING.replace(word, other)


class FindHazards(unittest.TestCase):
    def test_finds_the_uses_that_the_load_reaches_on_the_way_without_a_wait(self):
        found = sass_hazards.find_hazards(LISTING)
        self.assertEqual([(h.load.address, h.use.address, h.registers) for h in found],
                         [(0x4620, use, (16,)) for use in (0x33D0, 0x33F0, 0x3400)])

    def test_finds_nothing_where_the_branch_waits_too(self):
        self.assertEqual(sass_hazards.find_hazards(changed(BRANCH, "0x011fea0003800000")), [])

    def test_a_wait_for_another_scoreboard_does_not_count(self):
        self.assertEqual(len(sass_hazards.find_hazards(changed(BRANCH, "0x012fea0003800000"))), 3)

    def test_a_load_that_raises_what_the_branch_waits_for_is_waited_for(self):
        self.assertEqual(sass_hazards.find_hazards(changed(LOAD, "0x000f220000000c00")), [])

    def test_a_load_without_a_scoreboard_is_there_when_the_next_one_is(self):
        # R40, loaded at 45f0 without one, returns before R16, of which one way does not wait.
        found = sass_hazards.find_hazards(changed("0x000f220000000c00", "0x000fe20000000c00"))
        self.assertEqual({(h.load.address, h.registers) for h in found},
                         {(0x4620, (16,)), (0x45F0, (40,)), (0x45F0, (41,)), (0x45F0, (42,))})

    def test_every_function_is_looked_at(self):
        both = ".text.first:\n" + assembled("EXIT") + ".text.second:\n" + LISTING
        self.assertEqual(len(sass_hazards.find_hazards(both)), 3)

    def test_reads_what_each_instruction_reads_and_writes(self):
        (instructions, labels), = sass_hazards.parse(LISTING)
        by_address = {i.address: i for i in instructions}
        self.assertEqual(by_address[0x4620].writes, {16, 17, 18, 19})
        self.assertEqual(by_address[0x33D0].reads, {16, 40, 53})
        self.assertEqual(by_address[0x33D0].writes, {53})
        self.assertEqual((by_address[0x4630].reads, by_address[0x4630].writes), ({14}, frozenset()))
        self.assertEqual(instructions[labels[".L_x_32"]].address, 0x33C0)
        self.assertTrue(by_address[0x57E0].ends)
        self.assertFalse(by_address[0x57D0].ends)


def assembled(*lines):
    """A listing of instructions; of each (text, scoreboard raised, scoreboards waited for), or of labels."""
    listing = ""
    for index, line in enumerate(lines):
        text, raised, waited = line if isinstance(line, tuple) else (line, sass_hazards.NONE, 0)
        control = (raised << 5 | sass_hazards.NONE << 8 | waited << 11) << 41
        listing += (text + "\n" if text.endswith(":") else
                    f"  /*{16 * index:04x}*/  {text} ;  /* 0x{0:016x} */\n  /* 0x{control:016x} */\n")
    return listing


def hazards(*lines):
    return [str(h) for h in sass_hazards.find_hazards(assembled(*lines))]


class FollowPrograms(unittest.TestCase):
    LOAD = ("LDS.64 R2, [R8]", 1, 0)

    def test_a_wait_on_the_way_or_at_the_use_is_enough(self):
        self.assertEqual(len(hazards(self.LOAD, "FADD R4, R2, R5", "EXIT")), 1)
        self.assertEqual(hazards(self.LOAD, ("FADD R4, R2, R5", sass_hazards.NONE, 2), "EXIT"), [])
        self.assertEqual(hazards(self.LOAD, ("NOP", sass_hazards.NONE, 2), "FADD R4, R3, R5", "EXIT"), [])
        self.assertEqual(hazards(self.LOAD, "DEPBAR.LE SB1, 0x0", "FADD R4, R3, R5", "EXIT"), [])

    def test_one_of_two_ways_is_not_enough(self):
        ways = (self.LOAD, "@P0 BRA `(.L_x_1)", ("NOP", sass_hazards.NONE, 2), ".L_x_1:", "FADD R4, R2, R5", "EXIT")
        self.assertEqual(len(hazards(*ways)), 1)

    def test_overwriting_counts_as_a_use(self):
        self.assertEqual(len(hazards(self.LOAD, "MOV R3, RZ", "EXIT")), 1)

    def test_other_results_that_take_time(self):
        self.assertEqual(len(hazards(("S2R R0, SR_TID.X", 2, 0), "IADD3 R1, R0, R0, RZ", "EXIT")), 1)
        self.assertEqual(len(hazards(("LDSM.16.M88.4 R4, [R0]", 2, 0), "MOV R1, R7", "EXIT")), 1)
        self.assertEqual(len(hazards(("ATOMS.ADD R6, [R0], R1", 2, 0), "MOV R1, R6", "EXIT")), 1)

    def test_what_is_called_is_looked_at(self):
        program = ("CALL.REL.NOINC `($divide)", "EXIT", "$divide:", self.LOAD, "MOV R1, R2", "RET.REL.NODEC R20 `(kernel)")
        self.assertEqual(len(hazards(*program)), 1)

    def test_what_cannot_be_followed_is_refused(self):
        for program in [(), ("BRX R2 -0x10", "EXIT"), ("BRA `(.L_x_9)", "EXIT"), ("BSYNC B0", "EXIT")]:
            with self.assertRaises(sass_hazards.Unsupported):
                hazards(*program)


unittest.main()
