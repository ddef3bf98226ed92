/**
 * Results of a file of this folder, as the last line of its output, for run.mjs. A figure:
 *
 *   name      what was measured
 *   value     "38,200 requests/s"
 *   limit     what it is measured against, from the same run
 *   ratio     value to limit, in the direction in which more is better (absent where there is only a bound)
 *   score     by which the lowest of several runs is found, more is better (the ratio, where it is absent)
 *   spread    the middle half of the rounds' ratios or values
 *   floor     what the figure has to reach: "≥ 0.7"
 *   pass      whether it does (absent where nothing is demanded)
 *   cannot    why this machine cannot show it; then nothing is demanded
 */
export function report(figures) {
  const shown = figures.map(withoutVerdict);
  for (const figure of shown) console.log(lineOf(figure));
  console.log(JSON.stringify({ figures: shown }));
}

function withoutVerdict({ pass, ...figure }) {
  return figure.cannot === undefined && pass !== undefined ? { ...figure, pass } : figure;
}

function lineOf({ name, value, limit, ratio, floor, pass, cannot }) {
  const against = limit === undefined ? '' : `, against ${limit}`;
  const relation = ratio === undefined ? '' : `: ratio ${ratio.toFixed(2)}`;
  const verdict = pass === undefined ? (cannot ?? '') : pass ? 'pass' : 'FAIL';
  return `${name}: ${value}${against}${relation}${verdict === '' ? '' : ` (floor ${floor}: ${verdict})`}`;
}

/** Lowest of each figure over several runs of one file. */
export function lowest(runs) {
  const [first, ...others] = runs;
  return (first ?? []).map((figure, index) =>
    others.map((run) => run[index]).reduce((worst, other) => (isLower(other, worst) ? other : worst), figure),
  );
}

function isLower(one, other) {
  if (one.pass !== other.pass) return one.pass === false;
  return (one.score ?? one.ratio ?? 0) < (other.score ?? other.ratio ?? 0);
}

export function verdictOf({ pass, cannot }) {
  return pass === undefined ? (cannot ?? '') : pass ? 'pass' : '**FAIL**';
}

/** Figures with a floor or a limit, in columns for a terminal. */
export function tableOf(figures) {
  const rows = figures.map((figure) => [
    figure.name,
    firstOf(figure.value),
    firstOf(figure.limit ?? ''),
    figure.ratio?.toFixed(2) ?? '',
    figure.floor ?? '',
    verdictOf(figure).replaceAll('*', ''),
  ]);
  const all = [['figure', 'measured', 'limit', 'ratio', 'floor', ''], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The first of several figures: "2,932/s" of "2,932/s, p50 1.2 ms". */
function firstOf(text) {
  return text.split(', ', 1)[0];
}

export function number(value, digits = 0) {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
