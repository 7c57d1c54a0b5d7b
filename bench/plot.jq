# Writes a gnuplot script (without terminal and output) for results of sgemm-bench; see bench/plot.
include "results";

def quoted: "\"" + gsub("\\\\"; "\\\\") + "\"" | gsub("\n"; "\\n");
def text: gsub("\""; "'") | quoted;

# Colours that stay apart for colour-blind readers. Steps of the progression share one ramp
# (viridis) from dark to light; the planner's choice is red, under other settings green to violet;
# other libraries are dashed and warm (Okabe, Ito).
def ramp: ["#440154", "#481f70", "#443983", "#3b528b", "#31688e",
           "#287c8e", "#21918c", "#20a486", "#35b779", "#5ec962"];
def peer_colours: { clblast: "#d55e00", cublas: "#0072b2", openblas: "#cc79a7", blis: "#e69f00",
                      "clblast-tuned": "#b8860b", "fma-peak": "#888888" };

def setting_colours: ["#009e73", "#7b3294", "#56b4e9", "#8c510a", "#999933", "#aa4499"];
def cut($most): if length > $most then .[:$most - 3] + "..." else . end;

def style($impls):
  . as $impl
  | ($impls | map(select(startswith("auto:"))) | index([$impl])) as $setting
  | ($impls | map(select(startswith("kernel:")))) as $kernels
  | ($kernels | index([$impl])) as $step
  | ($impls | map(select(startswith("cblas:"))) | index([$impl])) as $file
  | if $setting then
      { colour: setting_colours[$setting % 6], width: 3, dash: 1, point: ([9, 5, 13, 11, 8, 4][$setting % 6]) }
    elif . == "auto" then { colour: "#d1495b", width: 3.5, dash: 1, point: 7 }
    elif $file then { colour: ["#a6761d", "#7570b3", "#e7298a"][$file % 3], width: 2, dash: 2, point: [15, 14, 12][$file % 3] }
    elif peer_colours[$impl] then
      { colour: peer_colours[$impl], width: 2, dash: 2,
        point: ({ clblast: 9, "clblast-tuned": 8, cublas: 5, openblas: 13, blis: 11, "fma-peak": 1 }[$impl]) }
    else
      ($step // 0) as $step
      | (if ($kernels | length) > 1 then $step * 9 / (($kernels | length) - 1) | floor else 0 end)
        as $shade
      | { colour: ramp[$shade], width: 1.5, dash: 1, point: ([4, 6, 8, 10, 12, 5, 7, 9, 11, 13][$step % 10]) }
    end;

[inputs] as $files
| ($files | cases) as $cases
| if $cases == [] then "plot: no measurement in the file\n" | halt_error else . end
| $files[0].context as $context
| ($cases | map(.op) | distinct) as $ops
| ($cases | map(.impl) | distinct) as $impls
| ($cases | map(.shape) | distinct) as $shapes
| ($ops | length == 1) as $one_op
| ($shapes | length > 24) as $crowded
| ($cases | squares_of_one_op) as $square
| ($cases | map(.gflops) + [$peak | select(. != "") | tonumber] | max) as $top
| (if $top >= 10000 then { factor: 0.001, name: "TFLOPS" } else { factor: 1, name: "GFLOPS" } end)
  as $unit
| def x: if $square then .m else .shape as $shape | $shapes | index([$shape]) end;
  def y: . * $unit.factor;
  # "NN 512 ld 1024" where M = N = K.
  def tick: (if $one_op then .[3:] else . end)
    | sub("(?<size>[0-9]+)x\\k<size>x\\k<size>(?![0-9])"; .size);
  # The legend reads like the right end of the picture: best on top.
  ($cases | group_by(.impl)
   | map({ impl: .[0].impl, points: sort_by(x), last: (max_by(x) | [x, .gflops]) })
   | sort_by(.last) | reverse) as $series

| "set encoding utf8",
  "set title " + ((if $title != "" then $title else $cases | conclusion($context.device // $context.cpu) end) | text)
    + " noenhanced font ',14' offset 0,0.6",
  "set label 1 " + ("suite \($context.suite | cut(30))" + (if $one_op then ", op \($ops[0])" else "" end)
    + ", fp32, column-major; wall clock from call to result, all passes included" | text)
    + " at graph 0.5, graph 1.03 center noenhanced font ',10' textcolor '#555555'",
  "set label 2 " + ((($files | provenance)
    + ["median of \($cases | map(.repetitions) | max) repetitions, largest spread ±\($cases | worst_spread | round) %"]
    | join("  ·  "))
    + "\n" + ($files | peers | join("  ·  ")) | text)
    + " at screen 0.015, screen 0.045 noenhanced font ',8.5' textcolor '#555555'",
  # Shapes are written aslant or upright below the axis and need room.
  "set bmargin \(if $square then 6
                 else 4.5 + ($shapes | map(tick | length) | max) * (if $crowded then 0.5 else 0.42 end) end)",
  (if $square then empty else "set lmargin 11" end),
  "set tmargin 5",
  "set key outside right center vertical Left reverse noenhanced samplen 3 spacing 1.25",
  "set border 3 linecolor '#888888'",
  "set grid ytics linecolor '#dddddd' linewidth 1 linetype 1",
  "set tics nomirror out scale 0.6 textcolor '#222222'",
  "set ylabel '\($unit.name)'",
  (if $log_y == 1 then "set logscale y" else "set yrange [0:\($top * 1.06 | y)]" end),
  (if $square then
     ($cases | map(.m) | unique) as $sizes
     | ($sizes | map(select((log2 - (log2 | round)) == 0))) as $powers
     | (if $powers | length > 1 then $powers else $sizes end) as $labelled
     | "set logscale x 2", "set xlabel 'M = N = K'",
       "set xtics (" + ($labelled | map("'\(.)' \(.)") | join(", ")) + ") font ',10'",
       "set xrange [\($sizes[0] / 1.08):\($sizes[-1] * 1.08)]"
   else
     "set xtics (" + ([$shapes | to_entries[]
        | "\(.value | tick | text) \(.key)"] | join(", "))
        + ") rotate by \(if $crowded then "90 right noenhanced font \u0027,7\u0027" else "50 right noenhanced font \u0027,9\u0027" end)",
     "set xrange [-0.5:\(($shapes | length) - 0.5)]"
   end),
  (if $peak != "" then
     ($peak | tonumber | y) as $height
     | "set arrow 1 from graph 0, first \($height) to graph 1, first \($height) nohead dashtype 3 linewidth 1.5 linecolor '#666666'",
       "set label 3 " + ("\($peak_label) \($height) \($unit.name)" | text)
         + " at graph 0.01, first \($height) offset 0,-0.7 noenhanced font ',9' textcolor '#555555'"
   else empty end),
  ($series | to_entries[]
   | "$data\(.key) << END", (.value.points[]
       | "\(x) \(.gflops | y)"), "END"),
  "plot " + ([$series | to_entries[]
     | (.value.impl | style($impls)) as $style
     | "$data\(.key) using 1:2 with linespoints title \(.value.impl | shown | text) linewidth \($style.width) dashtype \($style.dash) pointtype \($style.point) pointsize 0.8 linecolor '\($style.colour)'"]
     | join(", "))
