import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Recorded } from './event-reader.js';
import type { RecordedEvent, RecordedLoss } from './events.js';
import { FILE_ENDING } from './frame.js';
import { DamagedRecording, readRecording } from './recording-file.js';

interface RecordedFile {
  readonly path: string;
  /** Time of the last event, epoch ms; undefined in a file without one. */
  readonly to: number | undefined;
}

/** Events that are handed out in one turn at most. */
const EVENTS_A_TURN = 200;

/** Receiver of a recording that is played. */
export interface PlaybackListener {
  event(event: RecordedEvent): void;
  /** Events are missing here. */
  loss(loss: RecordedLoss): void;
  /** There is nothing more. */
  end(): void;
  /** The rest of a file cannot be read. */
  problem(message: string): void;
}

/** The recording in a folder, as it is played from some moment on. */
export class Playback {
  readonly #files: readonly RecordedFile[];
  readonly #start: number;
  #stopped = false;
  #cancelWait: () => void = () => {};

  private constructor(
    files: readonly RecordedFile[],
    start: number,
    /** When its first and its last event came, epoch ms. */
    readonly span: { readonly from: number; readonly to: number },
    /** How many there are. */
    readonly events: number,
  ) {
    this.#files = files;
    this.#start = start;
  }

  /** Whether a folder holds a recording; one that cannot be read does not. */
  static async isIn(folder: string): Promise<boolean> {
    return (await filesIn(folder).catch(() => [])).length > 0;
  }

  /**
   * Looks a recording through once. `seen` is told every event, in order, and whether it came by `start` (epoch ms). Rejects with
   * {@link DamagedRecording} where a file is none, or where nothing is in it.
   */
  static async open(folder: string, start: number, seen: (event: RecordedEvent, isPast: boolean) => void): Promise<Playback> {
    const files: RecordedFile[] = [];
    let from: number | undefined;
    let to = Number.NEGATIVE_INFINITY;
    let events = 0;
    for (const path of await filesIn(folder)) {
      let last: number | undefined;
      for await (const batch of readRecording(path)) {
        for (const recorded of batch) {
          if (!('event' in recorded)) continue;
          const { event } = recorded;
          from ??= event.time;
          to = Math.max(to, event.time);
          last = Math.max(last ?? event.time, event.time);
          events += 1;
          seen(event, event.time <= start);
          if (events % EVENTS_A_TURN === 0) await nextTurn();
        }
      }
      files.push({ path, to: last });
    }
    if (from === undefined) throw new DamagedRecording(`${folder} holds no recorded event`);
    return new Playback(files, start, { from, to }, events);
  }

  /** Hands out the events after the start, each when the clock shows its time, until {@link stop}. What is late comes at once, in its order. */
  async play(clock: Clock, listener: PlaybackListener): Promise<void> {
    for (const { path, to } of this.#files) {
      if (to === undefined || to <= this.#start) continue;
      try {
        for await (const batch of readRecording(path)) {
          await this.#hand(batch, clock, listener);
          if (this.#stopped) return;
        }
      } catch (thrown) {
        listener.problem(thrown instanceof Error ? thrown.message : String(thrown));
      }
    }
    listener.end();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelWait();
  }

  async #hand(batch: Iterable<Recorded>, clock: Clock, listener: PlaybackListener): Promise<void> {
    let handed = 0;
    for (const recorded of batch) {
      const time = 'event' in recorded ? recorded.event.time : recorded.loss.to;
      if (time <= this.#start) continue;
      if (time > clock.now()) {
        await this.#until(time, clock);
        handed = 0;
      } else if (++handed % EVENTS_A_TURN === 0) await nextTurn();
      if (this.#stopped) return;
      if ('event' in recorded) listener.event(recorded.event);
      else listener.loss(recorded.loss);
    }
  }

  #until(time: number, clock: Clock): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.at(time, resolve);
      this.#cancelWait = () => {
        cancel();
        resolve();
      };
    });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(FILE_ENDING)).sort();
  return names.map((name) => join(folder, name));
}
