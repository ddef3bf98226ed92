/** The middle value. */
export function median(values) {
  return quantile(values, 0.5);
}

/** The value that a share (0 to 1) of all values does not exceed. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle half of the values, "0.71 to 0.76": what the noise of the machine does to a figure. */
export function spread(values, digits = 2) {
  return `${quantile(values, 0.25).toFixed(digits)} to ${quantile(values, 0.75).toFixed(digits)}`;
}

/** Runs each measurement in turn, round after round, so that what else the machine does falls on all alike. */
export async function interleave(rounds, measurements) {
  const results = Object.fromEntries(Object.keys(measurements).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(measurements)) results[name].push(await measure());
  }
  return results;
}
