import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { PushEvent } from '@svc-gateway/gateway';
import { streamKey } from '@svc-gateway/gateway/push';
import { EventWriter } from './event-writer.js';
import type { RecordedLoss, Source } from './events.js';
import { FILE_ENDING } from './frame.js';
import { RecordingFile } from './recording-file.js';

export interface RecorderOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Orders, fills and what concerns accounts too. */
  readonly accountData: boolean;
  /** Told when writing begins to fail, and when it works again. */
  readonly report: (message: string) => void;
  /** Bytes of a file after which the next one is begun. */
  readonly fileBytes?: number;
}

/** Events are written after this time; a kill loses as much. */
const WRITE_MS = 1_000;
/** Events are written at this size without waiting. */
const WRITE_BYTES = 1024 * 1024;
/** Held in memory while the disk is behind. Beyond it events are counted and dropped. */
const HELD_BYTES = 32 * 1024 * 1024;
const FILE_BYTES = 256 * 1024 * 1024;
/** A file remembers the last message of each source, so they are bounded. */
const SOURCES_MAX = 100_000;
const RETRY_MS = 30_000;

/**
 * Writes what a backend pushes and answers into files of a folder. It holds nobody up: events are gathered, and written once a
 * second. While the disk takes none, or takes them too slowly, they are dropped, and the recording says how many and from when to when.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #writer = new EventWriter();
  #file: RecordingFile | undefined;
  #work: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #retryAt = 0;
  /** Loss not yet sent to the file. */
  #gathered: RecordedLoss | undefined;
  /** Loss not yet noted in the recording. */
  #lost: RecordedLoss | undefined;
  /** The time that the last file is named by. */
  #named = 0;
  #eventsWritten = 0;
  #eventsLost = 0;
  #failure: string | undefined;
  #closed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Makes the folder and the first file. Rejects where it cannot. */
  async start(): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    await this.#begin();
  }

  /** Events in the files. */
  get eventsWritten(): number {
    return this.#eventsWritten;
  }

  /** Events that were dropped. */
  get eventsLost(): number {
    return this.#eventsLost;
  }

  /** Reason why nothing can be written at present. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Records a push; one of an account only where that was asked for. */
  push(event: PushEvent): void {
    switch (event.type) {
      case 'quote': {
        const { protoId, secKey, stream, message } = event;
        const source = (): Source => ({ kind: 'quote', protoId, ...stream, secKey });
        this.#event(`q ${protoId} ${streamKey(stream)}`, source, message);
        return;
      }
      case 'notify': {
        const { protoId, message, gap, about } = event;
        if ((about?.accIds.length ?? 0) > 0 && !this.#options.accountData) return;
        const beside = gap === undefined ? '' : JSON.stringify({ gap });
        this.#event(`n ${protoId}`, () => ({ kind: 'notify', protoId }), message, beside);
        return;
      }
      case 'trade': {
        if (!this.#options.accountData) return;
        const { protoId, accId, trdMarket, message, canSellQty, recovered } = event;
        const source = (): Source => ({ kind: 'trade', protoId, accId: String(accId), trdMarket });
        const beside = canSellQty === undefined && recovered === undefined ? '' : JSON.stringify({ canSellQty, recovered });
        this.#event(`t ${protoId} ${accId} ${trdMarket}`, source, message, beside);
      }
    }
  }

  /** Records an answer, unless it is the one that the same request got last. `request` is its `C2S`, encoded. */
  answer(operation: string, request: Uint8Array, message: Message): void {
    const encoded = Buffer.from(request).toString('base64');
    const key = `a ${operation} ${encoded}`;
    const source = (): Source => ({ kind: 'answer', operation, request: encoded });
    this.#record((now) => this.#writer.change(now, key, source, message));
  }

  /** Records that events never came. */
  missed(loss: RecordedLoss): void {
    this.#record(() => {
      this.#writer.loss(loss);
      return true;
    });
  }

  /** Resolves when what has been recorded so far is written, or counted as lost. */
  async flush(): Promise<void> {
    await this.#work;
    if (this.#gathered !== undefined) this.#run();
    await this.#work;
  }

  /** Writes what has gathered, and ends the file. */
  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    this.#cancelTimer?.();
    await this.#file?.close().catch(() => {});
  }

  #event(key: string, source: () => Source, message: Message, beside = ''): void {
    this.#record((now) => {
      this.#writer.event(now, key, source, message, beside);
      return true;
    });
  }

  /** `write` says whether there was anything to write. */
  #record(write: (now: number) => boolean): void {
    if (this.#closed) return;
    const { clock } = this.#options;
    const now = clock.now();
    if (this.#file === undefined || this.#writer.length >= HELD_BYTES) {
      this.#lose({ from: now, to: now, events: 1 });
      if (this.#file === undefined && clock.monotonic() >= this.#retryAt) this.#soon(0);
      return;
    }
    if (this.#lost !== undefined) {
      this.#writer.loss(this.#lost);
      this.#lost = undefined;
    }
    try {
      if (!write(now)) return;
    } catch {
      // A message without its required fields cannot be encoded.
      this.#lose({ from: now, to: now, events: 1 });
      return;
    }
    this.#gathered = { from: this.#gathered?.from ?? now, to: now, events: (this.#gathered?.events ?? 0) + 1 };
    this.#soon(this.#writer.length >= WRITE_BYTES ? 0 : WRITE_MS);
  }

  #lose(lost: RecordedLoss | undefined): void {
    if (lost === undefined) return;
    this.#lost = { from: this.#lost?.from ?? lost.from, to: lost.to, events: (this.#lost?.events ?? 0) + lost.events };
    this.#eventsLost += lost.events;
  }

  #soon(ms: number): void {
    if (this.#work !== undefined || (this.#cancelTimer !== undefined && ms > 0)) return;
    if (ms === 0) this.#run();
    else this.#cancelTimer = this.#options.clock.after(ms, () => this.#run());
  }

  #run(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#work = this.#write().finally(() => {
      this.#work = undefined;
      if (this.#gathered !== undefined && !this.#closed) this.#soon(this.#writer.length >= WRITE_BYTES ? 0 : WRITE_MS);
    });
  }

  async #write(): Promise<void> {
    let leaving: RecordedLoss | undefined;
    try {
      const file = this.#file ?? (await this.#resume());
      leaving = this.#gathered;
      this.#gathered = undefined;
      const records = this.#writer.take();
      const size = file.size + records.length;
      const isFull = records.length > 0 && (size >= (this.#options.fileBytes ?? FILE_BYTES) || this.#writer.sources >= SOURCES_MAX);
      // A file is read from its beginning: what comes from now on is written for the next one.
      if (isFull) this.#writer = new EventWriter();
      if (records.length > 0) await file.append(records);
      this.#eventsWritten += leaving?.events ?? 0;
      leaving = undefined;
      if (isFull) {
        await this.#begin();
        await file.close();
      }
    } catch (thrown) {
      this.#lose(leaving);
      await this.#failed(thrown);
    }
  }

  async #resume(): Promise<RecordingFile> {
    const file = await this.#begin();
    this.#failure = undefined;
    this.#options.report(`recording again into ${file.path}`);
    return file;
  }

  async #begin(): Promise<RecordingFile> {
    const { folder, clock } = this.#options;
    // Files are read in the order of their names, whatever the clock says.
    this.#named = Math.max(clock.now(), this.#named + 1);
    const name = new Date(this.#named).toISOString().replaceAll(':', '-');
    this.#file = await RecordingFile.create(join(folder, `${name}${FILE_ENDING}`));
    return this.#file;
  }

  async #failed(thrown: unknown): Promise<void> {
    const { clock, report, folder } = this.#options;
    const file = this.#file;
    this.#file = undefined;
    // Gathered events name sources that were not written, and cannot be read without them.
    this.#lose(this.#gathered);
    this.#gathered = undefined;
    this.#writer = new EventWriter();
    this.#retryAt = clock.monotonic() + RETRY_MS;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    if (this.#failure === undefined) report(`nothing is recorded into ${folder}: ${reason}; trying again every ${RETRY_MS / 1000} s`);
    this.#failure = reason;
    await file?.close().catch(() => {});
  }
}
