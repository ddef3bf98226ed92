const CALLS = 5000;
/** As many requests as 64 connections bring in one turn of the event loop. */
const PER_TURN = 64;

/** What keeps the engine from dropping a call whose answer nobody looks at. @public */
export let sink;

/** Nanoseconds of one call. */
export function nanoseconds(action, calls = CALLS) {
  const started = process.hrtime.bigint();
  for (let index = 0; index < calls; index++) sink = action(index);
  return Number(process.hrtime.bigint() - started) / calls;
}

/** Nanoseconds of one call, 64 a turn: what a turn ends with (a write to the audit file) is part of it. */
export async function turns(action, count = Math.ceil(CALLS / PER_TURN)) {
  const started = process.hrtime.bigint();
  for (let turn = 0; turn < count; turn++) {
    for (let index = 0; index < PER_TURN; index++) sink = action(turn * PER_TURN + index);
    await new Promise(setImmediate);
  }
  return Number(process.hrtime.bigint() - started) / (count * PER_TURN);
}
