/**
 * The disk refused a write (it is full, read-only or broken), which is not acknowledged to anybody; or a row that was read is
 * damaged.
 */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  /** Refused writes are kept in memory, where reads see them. */
  readonly kept: boolean;
  /** No restart is needed: kept writes go to the disk as soon as it takes them. Otherwise they are lost when the process ends. */
  readonly passes: boolean;

  constructor(message: string, { cause, kept = false, passes = kept }: FailureOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kept = kept;
    this.passes = passes;
  }
}

interface FailureOptions {
  readonly cause?: unknown;
  readonly kept?: boolean;
  /** Default: as `kept`. */
  readonly passes?: boolean;
}

/** Resolves when a change is on disk, or kept in memory until the disk takes it, which is enough for changes that reduce risk. */
export async function whenTaken(written: Promise<unknown> | undefined): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof StorageFailure && error.kept)) throw error;
  }
}
