import { type FileHandle, open } from 'node:fs/promises';
import { Compressor, Decompressor } from './compression.js';
import { EventReader, type Recorded } from './event-reader.js';
import { FILE_HEAD, framed, framesIn } from './frame.js';

/** Read from a file at once. */
const READ_BYTES = 64 * 1024;

/** A file of a recording while it is written. Every call waits for the one before it. */
export class RecordingFile {
  readonly #compressor = new Compressor();
  #size = FILE_HEAD.length;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Makes the file (mode 0600). Rejects where there is one already. */
  static async create(path: string): Promise<RecordingFile> {
    const handle = await open(path, 'wx', 0o600);
    const file = new RecordingFile(path, handle);
    try {
      await handle.appendFile(FILE_HEAD);
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
    return file;
  }

  /** Bytes written. */
  get size(): number {
    return this.#size;
  }

  /** Appends whole records. Rejects where the file takes no more; it may then end in half a frame, and takes nothing further. */
  async append(records: Buffer): Promise<void> {
    const frame = framed(await this.#compressor.compress(records));
    await this.handle.appendFile(frame);
    this.#size += frame.length;
  }

  async close(): Promise<void> {
    this.#compressor.close();
    await this.handle.close();
  }
}

/** Reason why a file was not read to its end. */
export class DamagedRecording extends Error {}

/**
 * Reads a file in batches, each before the next one is asked for. A file that was cut off is read up to its last whole event.
 * Throws {@link DamagedRecording} where its bytes are not those that were written.
 */
export async function* readRecording(path: string): AsyncGenerator<Iterable<Recorded>> {
  const handle = await open(path, 'r');
  const decompressor = new Decompressor();
  const reader = new EventReader();
  try {
    let rest = await readMore(handle, Buffer.alloc(0));
    if (!rest.subarray(0, FILE_HEAD.length).equals(FILE_HEAD.subarray(0, rest.length)))
      throw new DamagedRecording(`${path} is no recording of this version`);
    rest = rest.subarray(FILE_HEAD.length);
    for (let at = FILE_HEAD.length; ; ) {
      const { contents, length, damaged } = framesIn(rest);
      rest = rest.subarray(length);
      at += length;
      if (contents.length > 0) yield reader.read(await decompressor.decompress(Buffer.concat(contents)));
      if (damaged) throw new DamagedRecording(`${path} is damaged at byte ${at}`);
      const more = await readMore(handle, rest);
      if (more.length === rest.length) return;
      rest = more;
    }
  } finally {
    decompressor.close();
    await handle.close();
  }
}

async function readMore(handle: FileHandle, rest: Buffer): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, null);
  return bytesRead === 0 ? rest : Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
}
