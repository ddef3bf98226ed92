/**
 * Has the requests of one turn of the event loop take each of their steps together: cohort scheduling (Larus and Parkes, 2002).
 *
 * An order runs through more code than a core's caches hold. One after the other, with the code of its connection between, each
 * fetches all of that again, which is a quarter of what it costs where dozens come at once. So they are begun in one go, in
 * the order in which they came, once every socket was read; behind their first wait they go on in step by themselves, since
 * the continuations of promises run first in, first out. All that a turn has read goes on in it: what waited for later turns would pile
 * up, before anybody asked whose it is.
 */
export class Cohort {
  #gathered: Promise<void> | undefined;

  /** Resolves later in this turn, for all who have asked until then. */
  gathered(): Promise<void> {
    this.#gathered ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#gathered = undefined;
        resolve();
      });
    });
    return this.#gathered;
  }
}
