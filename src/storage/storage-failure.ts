/** The disk did not take a write: it is full, read-only or broken. What was to be written is not promised to anybody. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}
