/**
 * The disk did not take a write: it is full, read-only or broken. What was to be written is not promised to anybody. Or it did not give
 * back what was written.
 */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  /** Refused writes are kept in memory, where reads see them, and go to the disk once it takes writes again. */
  readonly kept: boolean;

  constructor(message: string, { cause, kept = false }: { readonly cause?: unknown; readonly kept?: boolean } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kept = kept;
  }
}

/** Resolves when a change is on disk, or kept until the disk takes it: enough for what takes risk away. */
export async function whenTaken(written: Promise<unknown> | undefined): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof StorageFailure && error.kept)) throw error;
  }
}
