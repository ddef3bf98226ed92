const CALLS = 5000;
/** As many requests as 64 connections bring in one turn of the event loop. */
export const PER_TURN = 64;

/** Keeps the engine from eliminating a call whose result is unused. @public */
export let sink;

/** Nanoseconds of one call. */
export function nanoseconds(action, calls = CALLS) {
  const started = process.hrtime.bigint();
  for (let index = 0; index < calls; index++) sink = action(index);
  return Number(process.hrtime.bigint() - started) / calls;
}

/**
 * Nanoseconds of one call, 64 a turn: what a turn ends with (a write to the audit file) is part of it. `prepare` is run
 * for each call of a turn beforehand and is no part of it. Turns in which the system gave the processor to another process
 * are not counted: how long that had it says nothing about the call.
 */
export async function turns(action, { count = Math.ceil(CALLS / PER_TURN), prepare } = {}) {
  let spent = 0n;
  let counted = 0;
  for (let turn = 0; counted < count && turn < 2 * count; turn++) {
    const first = turn * PER_TURN;
    if (prepare !== undefined) for (let index = 0; index < PER_TURN; index++) sink = prepare(first + index);
    const switches = preemptions();
    const started = process.hrtime.bigint();
    for (let index = 0; index < PER_TURN; index++) sink = action(first + index);
    await new Promise(setImmediate);
    const elapsed = process.hrtime.bigint() - started;
    if (preemptions() !== switches) continue;
    spent += elapsed;
    counted += 1;
  }
  return Number(spent) / (counted * PER_TURN);
}

function preemptions() {
  return process.resourceUsage().involuntaryContextSwitches;
}
