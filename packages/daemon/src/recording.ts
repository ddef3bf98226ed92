import { err, ok, type Result } from '@svc-gateway/access';
import { RecordedDay } from '@svc-gateway/backends/sim';
import type { Clock } from '@svc-gateway/contract/clock';
import { Playback, Recorder } from '@svc-gateway/recording';
import type { RunningSimulation } from '@svc-gateway/simulator/simulation';
import type { Logger } from './log.js';
import type { Settings } from './settings-table.js';

/** Begins the recording of `--record`; undefined where there is to be none. `clock` is the one that the recorded data go by. */
export async function startRecorder(settings: Settings, clock: Clock, logger: Logger): Promise<Result<Recorder | undefined, string>> {
  const { record: folder, recordAccounts: accountData } = settings;
  if (folder === null) return ok(undefined);
  const recorder = new Recorder({ folder, clock, accountData, report: (message) => logger.warn({ target: 'recording' }, message) });
  try {
    await recorder.start();
  } catch (thrown) {
    return err(`--record ${folder}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  return ok(recorder);
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

/** Says which recorded symbols cannot be played. */
export function warnOfUnknown({ symbols }: RecordedDay, listings: RunningSimulation['listings'], logger: Logger): void {
  const unknown = symbols.flatMap(({ symbol }) => (listings.named(symbol) === undefined ? [symbol] : []));
  if (unknown.length === 0) return;
  logger.warn({ target: 'recording' }, `recorded symbols that the simulation does not have are passed over: ${unknown.join(', ')}`);
}
