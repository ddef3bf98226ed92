/** Longer than the requests that programs repeat. */
const BYTES_MAX = 256;
const COUNT_MAX = 1024;

/**
 * Short bodies that have come, by their digest: programs ask the same again and again. A repetition needs no digest of its own, and is the
 * same object as before, so that whoever has read it need not read it again. When there is no room, the oldest goes.
 */
export class KnownBodies {
  readonly #byDigest = new Map<string, Buffer>();

  /** The body with this digest, if it has these bytes. */
  find(digest: string, bytes: Uint8Array): Buffer | undefined {
    const known = this.#byDigest.get(digest);
    return known?.equals(bytes) ? known : undefined;
  }

  /** Keeps a copy of a body, whose digest this is; undefined where it is too long to be kept. */
  add(digest: string, bytes: Uint8Array): Buffer | undefined {
    if (bytes.length > BYTES_MAX) return undefined;
    if (this.#byDigest.size >= COUNT_MAX) for (const oldest of this.#byDigest.keys()) if (this.#byDigest.delete(oldest)) break;
    const copy = Buffer.from(bytes);
    this.#byDigest.set(digest, copy);
    return copy;
  }
}
