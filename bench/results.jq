# Reads what sgemm-bench writes with --benchmark_out: used by bench/plot and bench/table.
#   jq -n -L bench 'include "results"; [inputs] | cases' FILE...

def median: sort | if length % 2 == 1 then .[(length - 1) / 2]
                   else (.[length / 2 - 1] + .[length / 2]) / 2 end;

# Those of a stream of values that come first, in order.
def distinct: reduce .[] as $item ([]; if index([$item]) then . else . + [$item] end);

# " ld 80,40,64", or one number where all are equal.
def ld_text: if . then " ld " + (split(",") | if unique | length == 1 then .[0] else join(",") end) else "" end;

# "auto/NT/64x32x16/ld80,40,64" taken apart. (Google Benchmark's own reporters add "/manual_time".)
def parse_name:
  capture("^(?<impl>.+?)/(?<op>[NT]{2})/(?<m>[0-9]+)x(?<n>[0-9]+)x(?<k>[0-9]+)(/ld(?<ld>[0-9,]+))?")
  | .m |= tonumber | .n |= tonumber | .k |= tonumber
  | .shape = "\(.op) \(.m)x\(.n)x\(.k)" + (.ld | ld_text);

# One record per benchmark that was measured: median, min and max of its repetitions.
def summarize($runs):
  [$runs[] | select(.run_type == "iteration") | .GFLOPS] as $values
  | [$runs[] | select(.aggregate_name == "median") | .GFLOPS] as $medians
  | ($runs[0].run_name | parse_name)
    + { gflops: (if $values != [] then $values | median else $medians[0] end),
        low: ($values | min), high: ($values | max), repetitions: ($values | length),
        max_error: $runs[0].max_error, label: $runs[0].label };

# From an array of files, in the order of implementations and shapes that was asked for (random
# interleaving writes them in another).
def cases:
  [.[].benchmarks | sort_by(.family_index)[] | select(.GFLOPS and (.error_occurred | not))]
  | map(.run_name) as $names
  | group_by(.run_name) | map({ key: .[0].run_name, value: . }) | from_entries as $runs
  | $names | distinct | map(summarize($runs[.])) | map(select(.gflops));

# Half of the widest range, in per cent of the median.
def worst_spread: map(select(.repetitions > 1) | 50 * (.high - .low) / .gflops) | max // 0;

def squares_of_one_op:
  all(.m == .n and .n == .k and .ld == null) and (map(.op) | unique | length == 1);

def day: .date[0:10];

# What the figures were made with, in words: a list of short texts.
def provenance:
  if map(.context.sustained) | unique | length > 1
  then error("some files are of throughput (--sustained), others are not, or are of fewer calls") else . end
  | .[0].context
  | [ "driver \(.driver // "none")", "libsgemm \(.sgemm_version) \(.commit)", day,
      (.sustained // empty) ];

def peers:
  .[0].context
  | [ (.clblast_version // empty | "CLBlast \(.)"),
      (.cublas_version // empty | "cuBLAS \(.)"),
      (.openblas_version // empty | "OpenBLAS \(split(" ")[1]), kernels for \(split(" ")[-2])"),
      (if .blis_version then "BLIS \(.blis_version), kernels for \(.blis_architecture)" else empty end),
      (to_entries[] | select(.key | startswith("cblas:") and endswith("_version"))
       | "\(.key | rtrimstr("_version")): \(.value)") ];

# What a reader calls an implementation.
def shown:
  { auto: "libsgemm", clblast: "CLBlast", "clblast-tuned": "tuned CLBlast", cublas: "cuBLAS", openblas: "OpenBLAS",
    blis: "BLIS", "fma-peak": "peak (FMA)" }[.] // (sub("^auto:"; "libsgemm ") | sub("^(kernel|cblas):"; "") | gsub("[_:]"; " "));

# The library by itself beside each other library that was measured: its name, and ratios by shape.
def comparisons:
  . as $cases
  | map(select(.impl == "auto")) as $ours
  | (map(.impl) | distinct | map(select(in({ clblast: 1, "clblast-tuned": 1, cublas: 1, openblas: 1, blis: 1 })
                                        or startswith("cblas:"))))[] as $peer
  | ($cases | map(select(.impl == $peer) | { key: .shape, value: .gflops }) | from_entries) as $theirs
  | [$ours[] | select($theirs[.shape]) | { shape, ratio: (.gflops / $theirs[.shape]) }]
  | select(. != [])
  | { peer: ($peer | shown), ratios: ., mean: (map(.ratio | log) | add / length | exp) };

def times: if . >= 10 then round | tostring else . * 100 | round / 100 | tostring end;

# The same in words.
def standings:
  comparisons
  | (.ratios | min_by(.ratio)) as $worst | (.ratios | max_by(.ratio)) as $best
  | "* libsgemm runs \(.mean | times) times as fast as \(.peer) on average, and is ahead at "
    + "\(.ratios | map(select(.ratio > 1)) | length) of \(.ratios | length) shapes: "
    + "from \($worst.ratio | times) (\($worst.shape)) to \($best.ratio | times) (\($best.shape)).";

# The conclusion, against the peer that is hardest to beat.
def conclusion($device):
  [comparisons] | min_by(.mean)
  | if . == null then "SGEMM on \($device)"
    else "libsgemm is ahead of \(.peer) at \(.ratios | map(select(.ratio > 1)) | length) of "
         + "\(.ratios | length) shapes on \($device)" end;
