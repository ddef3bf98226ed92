import { RecordedDay } from '../backends/sim/index.js';
import type { Clock } from '../contract/clock.js';
import type { Logger } from '../daemon/log.js';
import type { Settings } from '../daemon/settings-table.js';
import type { Backend } from '../gateway/index.js';
import { Playback, Recorder, recordedBackend } from '../recording/index.js';
import { StartProblem } from './start-problem.js';

export interface RecordedBackend {
  readonly backend: Backend;
  /** undefined where nothing is recorded. */
  readonly recorder: Recorder | undefined;
}

/** The backend, recorded where `--record` says so. `clock` is the one that the backend's data go by. */
export async function recorded(backend: Backend, settings: Settings, clock: Clock, logger: Logger): Promise<RecordedBackend> {
  const recorder = await startRecorder(settings, clock, logger);
  return { backend: recorder === undefined ? backend : recordedBackend(backend, recorder, settings.recordAccounts), recorder };
}

/** The recording in the folder of `--sim-data`; undefined where there is none. */
export async function openRecordedDay(folder: string, simClock: Settings['simClock'], logger: Logger): Promise<RecordedDay | undefined> {
  try {
    if (!(await Playback.isIn(folder))) return undefined;
    const start = simClock.mode === 'replay' ? simClock.start : Number.NEGATIVE_INFINITY;
    const day = await RecordedDay.open(folder, start);
    const span = `${new Date(day.span.from).toISOString()} to ${new Date(day.span.to).toISOString()}`;
    if (simClock.mode !== 'replay') {
      throw new StartProblem(
        `--sim-data ${folder} holds a recording of ${span}: it is played with --sim-clock replay:${new Date(day.span.from).toISOString()}`,
      );
    }
    if (start > day.span.to) logger.warn({}, `--sim-data: the recording of ${span} is over at ${new Date(start).toISOString()}`);
    logger.info({ target: 'recording' }, `playing the recording of ${span}`);
    return day;
  } catch (thrown) {
    if (thrown instanceof StartProblem) throw thrown;
    throw new StartProblem(`--sim-data ${folder}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

async function startRecorder(settings: Settings, clock: Clock, logger: Logger): Promise<Recorder | undefined> {
  const { record: folder, recordAccounts: accountData } = settings;
  if (folder === null) return undefined;
  const recorder = new Recorder({ folder, clock, accountData, report: (message) => logger.warn({ target: 'recording' }, message) });
  try {
    await recorder.start();
    return recorder;
  } catch (thrown) {
    throw new StartProblem(`--record ${folder}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
