/**
 * What a file of this folder found out, as the last line of its output, for run.mjs. A figure:
 *
 *   name      what was measured
 *   value     "38,200 requests/s"
 *   limit     what it is measured against, from the same run
 *   ratio     value to limit, in the direction in which more is better (absent where there is only a bound)
 *   spread    the middle half of the rounds' ratios or values
 *   floor     what the figure has to reach: "≥ 0.7"
 *   pass      whether it does (absent where nothing is demanded)
 */
export function report(figures) {
  for (const figure of figures) console.log(lineOf(figure));
  console.log(JSON.stringify({ figures }));
}

function lineOf({ name, value, limit, ratio, floor, pass }) {
  const against = limit === undefined ? '' : `, against ${limit}`;
  const relation = ratio === undefined ? '' : `: ratio ${ratio.toFixed(2)}`;
  const verdict = pass === undefined ? '' : ` (floor ${floor}: ${pass ? 'pass' : 'FAIL'})`;
  return `${name}: ${value}${against}${relation}${verdict}`;
}

export function number(value, digits = 0) {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
