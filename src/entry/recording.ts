import { err, ok, type Result } from '../access/index.js';
import { RecordedDay } from '../backends/sim/index.js';
import type { Clock } from '../contract/clock.js';
import type { Logger } from '../daemon/log.js';
import type { Settings } from '../daemon/settings-table.js';
import type { Backend } from '../gateway/index.js';
import { Playback, Recorder, recordedBackend } from '../recording/index.js';

/** A backend, and what records it. */
export interface MadeBackend {
  readonly backend: Backend;
  /** undefined where nothing is recorded. Closed after the backend has stopped. */
  readonly recorder?: Recorder;
}

/** Records a backend where `--record` says so. `clock` is the one that the backend's data go by. */
export async function recorded(backend: Backend, settings: Settings, clock: Clock, logger: Logger): Promise<Result<MadeBackend, string>> {
  const { record: folder, recordAccounts: accountData } = settings;
  if (folder === null) return ok({ backend });
  const recorder = new Recorder({ folder, clock, accountData, report: (message) => logger.warn({ target: 'recording' }, message) });
  try {
    await recorder.start();
  } catch (thrown) {
    return err(`--record ${folder}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  return ok({ backend: recordedBackend(backend, recorder, accountData), recorder });
}

/** The recording in the folder of `--sim-data`; undefined where there is none. */
export async function openRecordedDay(
  folder: string,
  simClock: Settings['simClock'],
  logger: Logger,
): Promise<Result<RecordedDay | undefined, string>> {
  if (!(await Playback.isIn(folder))) return ok(undefined);
  const start = simClock.mode === 'replay' ? simClock.start : Number.NEGATIVE_INFINITY;
  let day: RecordedDay;
  try {
    day = await RecordedDay.open(folder, start);
  } catch (thrown) {
    return err(`--sim-data ${folder}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const from = new Date(day.span.from).toISOString();
  const span = `${from} to ${new Date(day.span.to).toISOString()}`;
  if (simClock.mode !== 'replay') {
    return err(`--sim-data ${folder} holds a recording of ${span}: it is played with --sim-clock replay:${from}`);
  }
  if (start > day.span.to) logger.warn({ target: 'recording' }, `the recording of ${span} is over before the replay begins`);
  else logger.info({ target: 'recording' }, `playing the recording of ${span}`);
  return ok(day);
}
