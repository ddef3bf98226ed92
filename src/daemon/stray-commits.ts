import { isStrayCommitFailure } from '../storage/index.js';

/** Lets a failed commit of the database end as its writer's `StorageFailure` alone, and not the process. */
export function tolerateStrayCommits(): void {
  process.on('unhandledRejection', (reason) => {
    if (!isStrayCommitFailure(reason)) throw reason;
  });
}
