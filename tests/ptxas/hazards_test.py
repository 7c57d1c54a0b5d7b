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

LISTING = open(os.path.join(HERE, "missing_wait.sass")).read()
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
        self.assertEqual({(h.load.address, h.registers) for h in found}, {(0x4620, (16,)), (0x45F0, (40,)), (0x45F0, (41,)), (0x45F0, (42,))})

    def test_reads_what_each_instruction_reads_and_writes(self):
        instructions, labels = sass_hazards.parse(LISTING)
        by_address = {i.address: i for i in instructions}
        self.assertEqual(by_address[0x4620].writes, {16, 17, 18, 19})
        self.assertEqual(by_address[0x33D0].reads, {16, 40, 53})
        self.assertEqual(by_address[0x33D0].writes, {53})
        self.assertEqual(instructions[labels[".L_x_32"]].address, 0x33C0)
        self.assertTrue(by_address[0x57E0].ends)
        self.assertFalse(by_address[0x57D0].ends)


unittest.main()
