import { promisify } from 'node:util';
import { type BrotliCompress, type BrotliDecompress, constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';

/** Costs about as much as encoding the events; the levels above cost several times that for a few per cent. */
const QUALITY = 5;

/** One stream of compressed bytes, handed out in pieces each of which can be read once the ones before it were. */
export class Compressor {
  readonly #stream: BrotliCompress = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  readonly #out: Buffer[] = [];

  constructor() {
    this.#stream.on('data', (piece: Buffer) => this.#out.push(piece));
  }

  /** Compresses a piece. One at a time. */
  async compress(bytes: Buffer): Promise<Buffer> {
    await promisify((done: (error?: Error | null) => void) => this.#stream.write(bytes, done))();
    await promisify((done: () => void) => this.#stream.flush(constants.BROTLI_OPERATION_FLUSH, done))();
    return Buffer.concat(this.#out.splice(0));
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** Reads what a {@link Compressor} handed out, piece by piece. */
export class Decompressor {
  readonly #stream: BrotliDecompress = createBrotliDecompress();
  readonly #out: Buffer[] = [];

  constructor() {
    this.#stream.on('data', (piece: Buffer) => this.#out.push(piece));
    // The callback reports the error.
    this.#stream.on('error', () => {});
  }

  /** Rejects where the bytes are none that were compressed. */
  async decompress(bytes: Buffer): Promise<Buffer> {
    await promisify((done: (error?: Error | null) => void) => this.#stream.write(bytes, done))();
    return Buffer.concat(this.#out.splice(0));
  }

  close(): void {
    this.#stream.destroy();
  }
}
