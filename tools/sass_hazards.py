# SPDX-License-Identifier: Apache-2.0
"""Loads of SASS whose result may be used before it is there.

On NVIDIA devices a load says which of six scoreboards of its warp it raises, and whoever uses its result has to wait for
that one; the device does not look. ptxas writes both into each instruction. This module follows all paths of a program
as `nvdisasm -c -hex` lists it and finds the uses that a load can reach on a path where nobody waits. The encoding
(bits 105 to 125 of an instruction: stall, yield, raised by a result, raised by reading, waited for) is not documented by
NVIDIA; it is as others have worked it out (Jia and others 2018, "Dissecting the NVIDIA Volta GPU architecture via
microbenchmarking") and as programs of sm_90 bear out.

Loads without a scoreboard are taken to return in order, before the next one of their kind that has one.
"""
import dataclasses
import re

LOADS = {"LDS", "LDG", "LDL", "LD", "LDSM"}
STORES = {"STS", "STG", "STL", "ST"}
ONLY_READ = STORES | {"ARRIVES", "ATOMS", "BAR", "BRA", "BSSY", "BSYNC", "EXIT", "LDGSTS", "MEMBAR", "NOP", "RED", "RET",
                      "SYNCS", "UBLKCP", "WARPSYNC"}
NONE = 7  # no scoreboard
NEXT = -1  # that of the next load of its kind


@dataclasses.dataclass
class Instruction:
    address: int
    text: str
    raises: int
    waits: int  # a bit for each scoreboard
    kind: str = ""
    reads: frozenset = frozenset()
    writes: frozenset = frozenset()
    target: str = ""
    ends: bool = False  # nothing behind it follows


@dataclasses.dataclass(frozen=True)
class Hazard:
    load: Instruction
    use: Instruction
    registers: tuple

    def __str__(self):
        names = " ".join(f"R{r}" for r in self.registers)
        return f"{names}: {self.load.address:x} {self.load.text} -> {self.use.address:x} {self.use.text}"


def _registers(text, width=1):
    found = set()
    for number, wide in re.findall(r"\bR(\d+)(\.64)?", text):
        found |= {int(number) + i for i in range(2 if wide else width)}
    return found


def _width(operation):
    return 4 if ".128" in operation else 2 if ".64" in operation else 1


def _decode(instruction):
    predicated = re.match(r"@(!?U?P\w+)\s+(.*)", instruction.text)
    text = predicated.group(2) if predicated else instruction.text
    operation = text.split()[0]
    kind = operation.split(".")[0]
    operands = [o.strip() for o in re.split(r",(?![^\[]*\])", text[len(operation):]) if o.strip()]
    reads, writes = set(), set()
    width = _width(operation)
    result = 0
    if kind not in ONLY_READ:
        while result < len(operands) and re.match(r"!?U?P[T\d]", operands[result]):
            result += 1
    for index, operand in enumerate(operands):
        if kind not in ONLY_READ and index == result and re.match(r"R\d+", operand):
            pair = "WIDE" in operation or (kind == "CS2R" and ".32" not in operation)
            writes |= _registers(operand, width if kind in LOADS | {"LDC"} else 2 if pair else 1)
        else:
            reads |= _registers(operand, width if kind in STORES and "[" not in operand else 1)
    target = re.search(r"`\((\.L_x_\d+)\)", text) if kind == "BRA" else None
    always = not predicated and not (kind == "BRA" and len(operands) > 1)
    instruction.kind, instruction.reads, instruction.writes = kind, frozenset(reads), frozenset(writes)
    instruction.target = target.group(1) if target else ""
    instruction.ends = kind in {"BRA", "EXIT", "RET"} and always


def parse(listing):
    """Instructions of what `nvdisasm -c -hex` printed, and the index of the one that each label precedes."""
    word = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")
    instructions, labels = [], {}
    lines = iter(listing.split("\n"))
    for line in lines:
        label = re.match(r"(\.L_x_\d+):", line)
        found = re.search(r"/\*([0-9a-f]{4,})\*/\s+(.*?);\s+/\* 0x", line)
        if label:
            labels[label.group(1)] = len(instructions)
        elif found:
            control = int(word.search(next(lines)).group(1), 16) >> 41
            instruction = Instruction(int(found.group(1), 16), found.group(2).strip(), control >> 5 & 7, control >> 11 & 63)
            _decode(instruction)
            instructions.append(instruction)
    return instructions, labels


def _step(instructions, index, pending):
    """What is on its way behind an instruction, and which registers it uses too early, by load."""
    instruction = instructions[index]
    left = {}
    for register, loads in pending.items():
        kept = frozenset(l for l in loads if l[0] == NEXT or not instruction.waits >> l[0] & 1)
        if kept:
            left[register] = kept
    early = {}
    for register in instruction.reads | instruction.writes:
        for _, load in left.get(register, ()):
            early.setdefault(load, set()).add(register)
    for register in instruction.writes:
        left.pop(register, None)
    if instruction.kind in LOADS:
        board = NEXT if instruction.raises == NONE else instruction.raises
        if board != NEXT:  # those before it return first
            for register, loads in left.items():
                left[register] = frozenset((board, load) if own == NEXT and instructions[load].kind == instruction.kind
                                           else (own, load) for own, load in loads)
        for register in instruction.writes:
            left[register] = frozenset({(board, index)})
    return left, early


def find_hazards(listing):
    """All pairs of a load and a use that it can reach without being waited for."""
    instructions, labels = parse(listing)
    before = {0: {}} if instructions else {}
    to_do, early_uses = list(before), {}
    while to_do:
        index = to_do.pop()
        behind, early = _step(instructions, index, before[index])
        for load, registers in early.items():
            early_uses.setdefault((load, index), set()).update(registers)
        instruction = instructions[index]
        followers = [] if instruction.ends else [index + 1]
        if instruction.target in labels:
            followers.append(labels[instruction.target])
        for follower in followers:
            if follower >= len(instructions):
                continue
            known = before.setdefault(follower, None)
            merged = dict(known or {})
            for register, loads in behind.items():
                merged[register] = merged.get(register, frozenset()) | loads
            if known is None or merged != known:
                before[follower] = merged
                to_do.append(follower)
    return [Hazard(instructions[load], instructions[use], tuple(sorted(registers)))
            for (load, use), registers in sorted(early_uses.items())]
