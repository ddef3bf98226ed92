/** So many random bytes. */
export type Random = (bytes: number) => Buffer;
