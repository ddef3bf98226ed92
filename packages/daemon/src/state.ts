import { join } from 'node:path';
import { err, ok, type Result } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { askDaemon } from '@svc-gateway/control/control-socket';
import { type DurableStore, ensurePrivateFolder, type OpenProblem, openLevelStore } from '@svc-gateway/storage';
import type { Logger } from './log.js';
import { markerPath, readMark, StateMarker } from './state-marker.js';

export interface StateOptions {
  readonly stateDir: string;
  readonly configDir: string;
  /** `--accept-restored-state`. */
  readonly acceptRestored: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The state folder, opened for this process alone. */
export interface State {
  readonly store: DurableStore;
  /** Reason why trading is off, where the folder turned out to be older than it has been; undefined where all is well. */
  readonly restored: string | undefined;
  close(): Promise<void>;
}

/** How often the note of the database's progress is put on disk: what an older copy can lack unnoticed after a power failure. */
const SYNC_MS = 1_000;

/** A row that keeps trading off until the operator accepts the restored state. */
interface Halt {
  /** {@link DurableStore.sequence} as it was found, and as it had been. */
  readonly found: number;
  readonly noted: number;
  /** ISO 8601. */
  readonly noticedAt: string;
}

/** Opens the database of the state folder. The error is one sentence: what is wrong, where, and what to do. */
export async function openState(options: StateOptions): Promise<Result<State, string>> {
  const { stateDir } = options;
  try {
    ensurePrivateFolder(stateDir);
  } catch (error) {
    return err(`cannot write to the state folder ${stateDir}: ${(error as Error).message}`);
  }
  // Asked before the lock is tried: somebody may have removed the locked file, and opening would already change the database.
  const holder = await askDaemon(stateDir, 'status');
  if ('pid' in holder) return err(inUse(stateDir, `another svcd (process ${holder.pid})`));
  const store = await openLevelStore(join(stateDir, 'database'));
  if ('kind' in store) return err(sentence(stateDir, store));
  const restored = await judge(store, options);
  const stopNoting = restored === undefined ? noteProgress(store, options) : async () => undefined;
  return ok({
    store,
    restored,
    async close() {
      try {
        await store.close();
      } finally {
        await stopNoting();
      }
    },
  });
}

function sentence(stateDir: string, { kind, message }: OpenProblem): string {
  if (kind === 'unusable') return `cannot write to the state folder ${stateDir}: ${message}`;
  return kind === 'locked' ? inUse(stateDir, 'another svcd') : message;
}

function inUse(stateDir: string, who: string): string {
  return `${who} uses the state folder ${stateDir}; stop it, or give this one another with --state-dir`;
}

/** Whether the database is what it was when it was last seen: why it is not to be traded on. */
async function judge(
  store: DurableStore,
  { stateDir, configDir, acceptRestored, clock, logger }: StateOptions,
): Promise<string | undefined> {
  const table = store.table<Halt>('state-halt');
  const path = markerPath(configDir, store.identity);
  const noted = readMark(path);
  const isDamaged = noted === 'damaged';
  const mark = isDamaged ? undefined : noted;
  let halt = table.get('halt');
  if (halt === undefined && mark !== undefined && mark.sequence > store.sequence) {
    const found: Halt = { found: store.sequence, noted: mark.sequence, noticedAt: new Date(clock.now()).toISOString() };
    halt = found;
    await store.write((change) => change.put(table, 'halt', found));
  }
  if (halt === undefined && !isDamaged) {
    if (mark === undefined && store.sequence > 0) {
      logger.warn({ stateDir, path }, 'this state folder is new to this machine: an older copy would go unnoticed');
    }
    if (acceptRestored) logger.warn({}, '--accept-restored-state has nothing to accept; remove it, or the next restore may go unnoticed');
    return undefined;
  }
  const [what, remedy] =
    halt === undefined
      ? [
          `the note of the state folder's progress, ${path}, is damaged, and whether ${stateDir} is an older copy cannot be told`,
          'compare orders with the broker',
        ]
      : [
          `the state folder ${stateDir} is an older copy: it ends at write ${halt.found}, and had been at ${halt.noted}`,
          'orders, totals and idempotency keys since then are missing; compare with the broker',
        ];
  if (!acceptRestored) {
    const reason = `${what}; ${remedy}, then start once with --accept-restored-state`;
    logger.error({ stateDir, path, ...halt }, `${reason}. TRADING IS OFF`);
    return reason;
  }
  if (halt !== undefined) {
    await store.advanceTo(Math.max(halt.noted, mark?.sequence ?? 0));
    await store.write((change) => change.remove(table, 'halt'));
  }
  logger.warn({ stateDir, path, ...halt }, `${what}; accepted`);
  return undefined;
}

/** Notes the database's progress while it rises, before it is acknowledged. The result notes the last of it and ends. */
function noteProgress(store: DurableStore, { configDir, clock, logger }: StateOptions): () => Promise<void> {
  const marker = new StateMarker(markerPath(configDir, store.identity), store.identity);
  let complained = false;
  const complain = (error: unknown) => {
    if (!complained)
      logger.error({ err: error, path: marker.path }, 'cannot record the progress of the state folder: an older copy would go unnoticed');
    complained = true;
  };
  const note = () => {
    try {
      marker.note(store.sequence);
      complained = false;
    } catch (error) {
      complain(error);
    }
  };
  note();
  store.onDurable(note);
  let cancel: () => void = () => undefined;
  let ended = false;
  let syncing = Promise.resolve();
  const tick = () => {
    // One after the other: a slow disk may take longer than the pause.
    syncing = marker
      .sync()
      .catch(complain)
      .then(() => {
        if (!ended) cancel = clock.after(SYNC_MS, tick);
      });
  };
  tick();
  return async () => {
    ended = true;
    cancel();
    await syncing;
    note();
    await marker.sync().catch(complain);
    marker.close();
  };
}
