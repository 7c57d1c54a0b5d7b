# Tables of a sweep over leading dimensions; see bench/ld-table.
include "results";

# Slower by less than this is noise, or not worth a remedy.
def least_slowdown: 1.05;

def geomean: map(log) | add / length | exp;
def rounded: . * 100 | round / 100 | tostring;
def figure: if . == null then "–" elif . >= 100 then round | tostring else . * 10 | round / 10 | tostring end;
def row: "| " + join(" | ") + " |";
def heading: row, (["---"] + (.[1:] | map("---:")) | row);

# The settings of a forced kernel as an object.
def settings: split(":")[2:] | map(split("=") | { key: .[0], value: .[1] }) | from_entries;
# What a column is called: how it differs from the first forced kernel.
def remedy($plain):
  if startswith("kernel:") | not then .
  else settings as $s
  | ($s.repack // $s.relay) as $repack # the latter in older files
  | [ (if [$s.parts_m, $s.parts_n, $s.parts_k] != ["1", "1", "1"]
       then "parts \($s.parts_m)x\($s.parts_n)x\($s.parts_k)" else empty end),
      (if $repack == "always" then "repacked AB"
       elif $repack == "only_a" then "repacked A"
       elif $repack == "only_b" then "repacked B" else empty end),
      (if $s.tile_m != $plain.tile_m or $s.tile_n != $plain.tile_n
       then "tile \($s.tile_m)x\($s.tile_n)" else empty end),
      (if $s.stagger then "stagger" else empty end),
      (if $s.raster then "raster" else empty end) ]
  | if . == [] then "plain" else join(", ") end end;
# The largest power of two up to 4096 that divides.
def period: . as $ld | [4096, 2048, 1024, 512, 256, 128, 64, 32, 16] | map(select($ld % . == 0)) | first;

[inputs] as $files
| ($files | cases) as $raw
| ($raw | map(.impl | select(startswith("kernel:"))) | first | settings) as $plain
| ($raw | map(.remedy = (.impl | remedy($plain)) | .ld = (.ld | split(",")[0] | tonumber))) as $cases
| ($cases | map(.remedy) | distinct) as $remedies
| ($cases | map(.op) | distinct) as $ops
| ($cases | map(.ld) | unique) as $lds
| def table(value): $cases | map({ key: "\(.remedy) \(.op) \(.ld)", value: value }) | from_entries;
  table(.gflops) as $medians
| table(.high // .gflops) as $fastest
# Ratios compare fastest repetitions: what disturbs a measurement only ever makes it slower.
| def median_at($remedy; $op; $ld): $medians["\($remedy) \($op) \($ld)"];
  def at($remedy; $op; $ld): $fastest["\($remedy) \($op) \($ld)"];
  # Time at a multiple over the time beside it, if all three were measured.
  def slowdown($remedy; $op; $ld):
    [at($remedy; $op; $ld), at($remedy; $op; $ld + 16), at($remedy; $op; $ld + 32)]
    | if any(. == null) then empty else ([.[1], .[2]] | geomean) / .[0] end;
  def mean(values): [values] | if . == [] then "–" else geomean | rounded end;
  ($lds | map(select(period >= 256))) as $multiples
| ($multiples | map(period) | unique) as $periods
| "GFLOPS (medians), M = N = K = \($cases[0].m), all three leading dimensions as given.",
  "",
  (["op", "ld"] + $remedies | heading),
  ($ops[] as $op | $lds[] as $ld
   | [$op, "\($ld)"] + [$remedies[] | median_at(.; $op; $ld) | figure] | row),
  "",
  "Time at a multiple over the geomean of the times 16 and 32 further on (1: no loss); fastest repetitions.",
  "",
  (["op", "ld", "multiple of"] + $remedies | heading),
  ($ops[] as $op | $multiples[] as $ld
   | [$op, "\($ld)", "\($ld | period)"] + [$remedies[] | mean(slowdown(.; $op; $ld))] | row),
  "",
  "Speed of each remedy over plain, geomean of the four ops; fastest repetitions.",
  "",
  (["ld", "multiple of"] + $remedies | heading),
  ($lds[] as $ld
   | ["\($ld)", "\($ld | period)"]
     + [$remedies[] as $remedy
        | mean($ops[] | select(at($remedy; .; $ld) and at("plain"; .; $ld))
               | at($remedy; .; $ld) / at("plain"; .; $ld))] | row),
  "",
  ([$periods[] as $period
    | { period: $period,
        factor: ([($multiples[] | select(period == $period)) as $ld
                  | $ops[] | slowdown("plain"; .; $ld)] | geomean) }]) as $factors
| "Slowdown of plain by period: "
  + ($factors | map("\(.period): \(.factor | rounded)") | join(", ")) + ".",
  # The period is the smallest from which on every one costs something.
  (($factors | map(.factor >= least_slowdown) | . as $bad
    | [range(length) | select(. as $i | $bad[$i:] | all)] | first) as $first
   | "",
     "```toml",
     (if $first == null then "ld_period = 0 # none costs \(least_slowdown) or more"
      else "ld_period = \($factors[$first].period)",
           "ld_slowdown = \($factors[$first:] | map(.factor) | geomean | rounded)" end),
     "```"),
  "",
  "\($files[0].context.device // $files[0].context.cpu), "
  + ($files | provenance | join(", ")) + ". "
  + "Median of \($cases | map(.repetitions) | max) repetitions, "
  + "largest spread ±\($cases | worst_spread | figure) %.",
  ($files[0].context.command | "`" + (if length > 300 then .[:300] + " ..." else . end) + "`")
