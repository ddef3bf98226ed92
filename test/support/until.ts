const POLL_MS = 5;
/** For what has failed: a machine that is busy with other things may take its time. */
const WAIT_MS_MAX = 60_000;

/** Waits for a condition that nothing announces. Resolves with its first value that is neither undefined nor false. */
export async function until<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  what: string | (() => string),
): Promise<T> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited ${WAIT_MS_MAX} ms in vain for ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A promise that a test resolves. */
export function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
