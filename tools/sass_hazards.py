# SPDX-License-Identifier: Apache-2.0
"""Results of SASS that may be used before they are there.

On NVIDIA devices an instruction whose result takes its time, such as a load, says which of six scoreboards of its warp it
raises, and whoever uses the result has to wait for that one; the device does not look. ptxas writes both into each
instruction. This module follows all ways through the functions that `nvdisasm -c -hex` lists and finds the uses that
such a result can reach on a way where nobody waits. The encoding (bits 105 to 125 of an instruction: stall, yield, raised by
a result, raised by reading, waited for) is not documented by NVIDIA; it is as others have worked it out (Jia and others 2018,
"Dissecting the NVIDIA Volta GPU architecture via microbenchmarking") and as programs of sm_90 bear out.

Loads without a scoreboard are taken to return in order, before the next one of their kind that has one. Not looked at:
uniform registers and predicates, registers that are overwritten before they are read, the upper halves of pairs that an
instruction names by their lower one, and, in a function that is called, what its caller has not waited for.
"""
import dataclasses
import re

LOADS = {"LDS", "LDG", "LDL", "LD", "LDSM"}
STORES = {"STS", "STG", "STL", "ST"}
# No register of theirs is a result. Comparisons write predicates.
ONLY_READ = STORES | {"ARRIVES", "BAR", "BMOV", "BRA", "BREAK", "BSSY", "BSYNC", "CALL", "DEPBAR", "ELECT", "ERRBAR",
                      "EXIT", "LDGDEPBAR", "LDGSTS", "MEMBAR", "NOP", "PLOP3", "R2UR", "RED", "RET", "SYNCS", "UBLKCP", "WARPSYNC", "YIELD"}
FLOW = {"BRA", "CALL", "WARPSYNC"}  # with a label
OTHER_FLOW = {"BRX", "BRXU", "JMP", "JMX"}
NONE = 7  # no scoreboard
NEXT = -1  # that of the next load of its kind


class Unsupported(Exception):
    """The listing holds what this module does not follow; its text says what."""


@dataclasses.dataclass
class Instruction:
    address: int
    text: str
    raises: int
    waits: int  # a bit for each scoreboard
    kind: str = ""
    reads: frozenset = frozenset()
    writes: frozenset = frozenset()
    targets: tuple = ()  # labels, where it goes or what it calls
    barrier: str = ""  # of BSSY and BSYNC
    meets: tuple = ()  # label of BSSY: where those that come to BSYNC go on
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
    matrices = re.match(r"LDSM\S*\.M88(?:\.(\d))?", operation)
    if matrices:
        return int(matrices.group(1) or 1)
    return 4 if ".128" in operation else 2 if ".64" in operation else 1


def _decode(instruction):
    predicated = re.match(r"@(!?U?P\w+)\s+(.*)", instruction.text)
    text = predicated.group(2) if predicated else instruction.text
    operation = text.split()[0]
    kind = operation.split(".")[0]
    if kind in OTHER_FLOW:
        raise Unsupported(f"{instruction.address:x} {instruction.text}")
    operands = [o.strip() for o in re.split(r",(?![^\[]*\])", text[len(operation):]) if o.strip()]
    only_read = kind in ONLY_READ or kind.endswith("SETP")
    reads, writes = set(), set()
    width = _width(operation)
    result = 0
    while not only_read and result < len(operands) and re.match(r"!?U?P[T\d]", operands[result]):
        result += 1
    for index, operand in enumerate(operands):
        if not only_read and index == result and re.match(r"R\d+", operand):
            pair = "WIDE" in operation or (kind == "CS2R" and ".32" not in operation)
            writes |= _registers(operand, width if kind in LOADS | {"LDC"} else 2 if pair else 1)
        else:
            reads |= _registers(operand, width if kind in STORES and "[" not in operand else 1)
    instruction.kind, instruction.reads, instruction.writes = kind, frozenset(reads), frozenset(writes)
    labels = tuple(re.findall(r"`\(([.$][\w.$]+)\)", text))
    instruction.targets = labels if kind in FLOW else ()
    if kind in {"BSSY", "BSYNC"}:
        instruction.barrier, instruction.meets = operands[0], labels
    depends = re.match(r"DEPBAR\.LE SB(\d), 0x0\b", text)
    if depends:
        instruction.waits |= 1 << int(depends.group(1))
    always = not predicated and not (kind == "BRA" and len(operands) > 1)
    instruction.ends = kind in {"BRA", "EXIT", "RET"} and always


def parse(listing):
    """The functions of what `nvdisasm -c -hex` printed: of each its instructions, and the index of the one that each label
    precedes. Unsupported: the text is something else, or holds what is not followed."""
    word = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")
    functions, labels = [], {}
    lines = iter(listing.split("\n"))
    for line in lines:
        label = re.match(r"([.$][\w.$]+):", line)
        found = re.search(r"/\*([0-9a-f]{4,})\*/\s+(.*?);\s+/\* 0x", line)
        if (label and label.group(1).startswith(".text.")) or (found and not functions):
            labels = {}
            functions.append(([], labels))
        if label and functions:
            labels[label.group(1)] = len(functions[-1][0])
        elif found:
            second = word.search(next(lines, ""))
            if not second:
                raise Unsupported(f"no second word of {found.group(1)}")
            control = int(second.group(1), 16) >> 41
            instruction = Instruction(int(found.group(1), 16), found.group(2).strip(), control >> 5 & 7, control >> 11 & 63)
            _decode(instruction)
            functions[-1][0].append(instruction)
    functions = [function for function in functions if function[0]]
    if not functions:
        raise Unsupported("no instructions")
    return functions


def _followers(instructions, labels):
    """Of each instruction those that may come next, by index."""
    meets = {}
    for instruction in instructions:
        meets.setdefault(instruction.barrier, set()).update(instruction.meets)
    for index, instruction in enumerate(instructions):
        where = f"{instruction.address:x} {instruction.text}"
        if set(instruction.targets) - set(labels):
            raise Unsupported(f"{where}: no such label")
        if instruction.kind == "BSYNC" and all(labels.get(label) != index + 1 for label in meets[instruction.barrier]):
            raise Unsupported(f"{where}: all meet elsewhere")
        followers = set() if instruction.ends else {index + 1}
        if instruction.kind != "CALL":
            followers |= {labels[target] for target in instruction.targets}
        yield [follower for follower in followers if follower < len(instructions)]


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
    if instruction.raises == NONE and instruction.kind not in LOADS:
        return left, early
    board = NEXT if instruction.raises == NONE else instruction.raises
    if board != NEXT and instruction.kind in LOADS:  # those before it return first
        for register, loads in left.items():
            left[register] = frozenset((board, load) if own == NEXT and instructions[load].kind == instruction.kind
                                       else (own, load) for own, load in loads)
    for register in instruction.writes:
        left[register] = frozenset({(board, index)})
    return left, early


def _find_in_function(instructions, labels):
    all_followers = list(_followers(instructions, labels))
    called = {labels[target] for instruction in instructions if instruction.kind == "CALL" for target in instruction.targets}
    before = {entry: {} for entry in called | {0}}
    to_do, early_uses = list(before), {}
    while to_do:
        index = to_do.pop()
        behind, early = _step(instructions, index, before[index])
        for load, registers in early.items():
            early_uses.setdefault((load, index), set()).update(registers)
        for follower in all_followers[index]:
            known = before.get(follower)
            merged = dict(known or {})
            for register, loads in behind.items():
                merged[register] = merged.get(register, frozenset()) | loads
            if known is None or merged != known:
                before[follower] = merged
                to_do.append(follower)
    return [Hazard(instructions[load], instructions[use], tuple(sorted(registers)))
            for (load, use), registers in sorted(early_uses.items())]


def find_hazards(listing):
    """All pairs of a result and a use that it can reach without being waited for. Unsupported: see parse()."""
    return [hazard for function in parse(listing) for hazard in _find_in_function(*function)]
