/**
 * The disk did not take a write: it is full, read-only or broken. What was to be written is not promised to anybody. Or it did not give
 * back what was written.
 */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  /** A write was refused: until the process starts again no other is taken. */
  readonly lasts: boolean;

  constructor(message: string, { cause, lasts = false }: { readonly cause?: unknown; readonly lasts?: boolean } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.lasts = lasts;
  }
}
