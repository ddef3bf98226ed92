/** Some milliseconds' work: what is more goes on in the next turn, so that nothing holds the event loop for long. */
const TOGETHER_MAX = 64;

/**
 * Has the requests of one turn of the event loop take each of their steps together: cohort scheduling (Larus and Parkes, 2002).
 *
 * An order runs through more code than a core's caches hold. One after the other, with the code of its connection between, each
 * fetches all of that again, which is a quarter of what it costs where dozens come at once. So they are begun in one go, in
 * the order in which they came, once every socket was read; behind their first wait they go on in step by themselves, since
 * the continuations of promises run first in, first out.
 */
export class Cohort {
  /** Those who will go on together; undefined while nobody waits. */
  #gathering: Promise<void> | undefined;
  #count = 0;

  /** Resolves later in this turn, or in one of the next for those behind a full cohort, for each in the order of the calls. */
  gathered(): Promise<void> {
    if (this.#gathering === undefined || this.#count === TOGETHER_MAX) this.#gathering = this.#begin(this.#gathering);
    this.#count += 1;
    return this.#gathering;
  }

  /** A new cohort, which goes on in the turn after the one before it. */
  #begin(before: Promise<void> | undefined): Promise<void> {
    this.#count = 0;
    const begun = new Promise<void>((resolve) => {
      const goOn = () => {
        if (this.#gathering === begun) this.#gathering = undefined;
        resolve();
      };
      if (before === undefined) setImmediate(goOn);
      else void before.then(() => setImmediate(goOn));
    });
    return begun;
  }
}
