import { hash } from 'node:crypto';
import type { BodyFormat } from './body.js';
import { type Cipher, plainText } from './cipher.js';

/**
 * One frame of the public protocol over TCP: a packed little-endian header of 44 bytes, then the body.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 2 | `FT` |
 * | 2 | 4 | protocol id |
 * | 6 | 1 | body format |
 * | 7 | 1 | version, 0 |
 * | 8 | 4 | serial number |
 * | 12 | 4 | body length, as sent (after encryption) |
 * | 16 | 20 | SHA-1 of the plain body |
 * | 36 | 8 | reserved, zero |
 */
export interface Frame {
  /** uint32. */
  readonly protoId: number;
  readonly format: BodyFormat;
  /** uint32. An answer repeats its request's; pushes count on their own. */
  readonly serial: number;
  /** The plain body. As read, it may be a view of the chunk that was pushed: the chunk must not be written to any more. */
  readonly body: Uint8Array;
}

export interface FrameError {
  readonly kind: 'bad_magic' | 'unknown_version' | 'unknown_format' | 'body_too_long' | 'wrong_digest';
  readonly message: string;
}

export type FrameRead = { readonly ok: true; readonly frame: Frame } | { readonly ok: false; readonly error: FrameError };

export const FRAME_HEADER_BYTES = 44;
export const BODY_BYTES_MAX = 16 * 1024 * 1024;

const MAGIC = 0x5446; // "FT", read as a little-endian uint16
const VERSION = 0;
const offset = { protoId: 2, format: 6, version: 7, serial: 8, bodyLength: 12, digest: 16, reserved: 36 } as const;
const formats: readonly BodyFormat[] = ['protobuf', 'json'];
const EMPTY = Buffer.alloc(0);
const PARTIAL_BYTES_MIN = 64;

const keptDigests = new WeakMap<Uint8Array, string>();

/** The digest of a body that is sent again as it is: taken once, for it costs more than the rest of a frame. A character a byte. */
export function keptDigest(body: Uint8Array): string {
  let digest = keptDigests.get(body);
  if (digest === undefined) {
    digest = sha1(body);
    keptDigests.set(body, digest);
  }
  return digest;
}

/**
 * The bytes of a frame. The digest is over the plain body, the length and what follows are the sealed one's.
 *
 * @param digest {@link keptDigest} of the body, where it is kept.
 */
export function encodeFrame(frame: Frame, cipher: Cipher = plainText, digest = sha1(frame.body)): Buffer {
  const sealed = cipher.seal(frame.body);
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + sealed.length);
  bytes.writeUInt16LE(MAGIC, 0);
  bytes.writeUInt32LE(frame.protoId, offset.protoId);
  bytes.writeUInt8(formats.indexOf(frame.format), offset.format);
  bytes.writeUInt8(VERSION, offset.version);
  bytes.writeUInt32LE(frame.serial, offset.serial);
  bytes.writeUInt32LE(sealed.length, offset.bodyLength);
  bytes.write(digest, offset.digest, 'latin1');
  bytes.writeUInt32LE(0, offset.reserved);
  bytes.writeUInt32LE(0, offset.reserved + 4);
  bytes.set(sealed, FRAME_HEADER_BYTES);
  return bytes;
}

/** The two parts of an encoded frame between which its serial number stands: for those who write the number themselves. */
export function aroundSerial(encoded: Buffer): { readonly head: Buffer; readonly tail: Buffer } {
  return { head: encoded.subarray(0, offset.serial), tail: encoded.subarray(offset.bodyLength) };
}

/** Seals the bodies of whole frames that were encoded in plain text. */
export function sealFrames(encoded: Buffer, cipher: Cipher): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < encoded.length; ) {
    const bodyAt = at + FRAME_HEADER_BYTES;
    const end = bodyAt + encoded.readUInt32LE(at + offset.bodyLength);
    const sealed = cipher.seal(encoded.subarray(bodyAt, end));
    const header = Buffer.from(encoded.subarray(at, bodyAt));
    header.writeUInt32LE(sealed.length, offset.bodyLength);
    parts.push(header, sealed);
    at = end;
  }
  return Buffer.concat(parts);
}

interface Header {
  readonly protoId: number;
  readonly format: BodyFormat;
  readonly serial: number;
  readonly bodyLength: number;
  /** A character a byte. */
  readonly digest: string;
}

/**
 * Finds the frames in a byte stream, however it is cut into chunks: `push` a chunk, then call `next` until it returns
 * undefined. An error is final, because nothing tells where the next frame would begin.
 *
 * Holds at most one incomplete frame, in memory that grows with the bytes that have come, not with the length that a
 * header claims.
 */
export class FrameReader {
  /** Opens the bodies from the next frame on. A handshake changes it between two frames. */
  cipher: Cipher = plainText;
  /** Longer bodies, counted as sent, are refused by their header. A handshake changes it between two frames, too. */
  bodyBytesMax: number;
  /** The newest chunk, while bytes of it are unread. */
  #chunk: Buffer = EMPTY;
  /** Offset of the unread bytes. */
  #at = 0;
  /** The beginning of a header or body that started in an earlier chunk: its first `#filled` bytes. */
  #partial: Buffer = EMPTY;
  #filled = 0;
  /** Header of the frame whose body is awaited. */
  #header: Header | undefined;
  #failure: FrameRead | undefined;

  constructor(bodyBytesMax = BODY_BYTES_MAX) {
    this.bodyBytesMax = bodyBytesMax;
  }

  /** Whether bytes of the newest chunk are still to be read. */
  get hasUnread(): boolean {
    return this.#unread > 0;
  }

  /** Whether a frame has begun that is not whole yet. */
  get isWithinFrame(): boolean {
    return this.#filled > 0 || this.#header !== undefined;
  }

  /** Takes the next chunk. The frames of the one before must have been read. */
  push(chunk: Uint8Array): void {
    if (this.#unread > 0) throw new Error('a chunk came before the frames of the one before were read');
    if (this.#failure !== undefined || chunk.length === 0) return;
    this.#chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

  /** The next frame or the error that ended the stream; undefined when more bytes are needed. */
  next(): FrameRead | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#header === undefined) {
      const header = this.#nextHeader();
      if (header === undefined) return undefined;
      if ('kind' in header) return this.#fail(header);
      this.#header = header;
    }
    const sealed = this.#take(this.#header.bodyLength);
    if (sealed === undefined) return undefined;
    const { protoId, format, serial, digest } = this.#header;
    this.#header = undefined;
    const body = this.cipher.open(sealed);
    // The digest is taken of what could not be opened, too, and both failures are one: what a peer could tell apart would help it to
    // decrypt what is not its own (Bleichenbacher 1998, Vaudenay 2002).
    const matches = sha1(body ?? sealed) === digest;
    if (body === undefined || !matches) {
      return this.#fail({ kind: 'wrong_digest', message: `the body of frame ${serial} (protocol id ${protoId}) does not match its SHA-1` });
    }
    return { ok: true, frame: { protoId, format, serial, body } };
  }

  #fail(error: FrameError): FrameRead {
    this.#failure = { ok: false, error };
    this.#skip(this.#unread);
    return this.#failure;
  }

  get #unread(): number {
    return this.#chunk.length - this.#at;
  }

  #nextHeader(): Header | FrameError | undefined {
    if (this.#filled === 0 && this.#unread >= FRAME_HEADER_BYTES) {
      // Mostly it lies in one chunk, and is read where it lies.
      const header = readHeader(this.#chunk, this.#at, this.bodyBytesMax);
      this.#skip(FRAME_HEADER_BYTES);
      return header;
    }
    const bytes = this.#take(FRAME_HEADER_BYTES);
    return bytes && readHeader(bytes, 0, this.bodyBytesMax);
  }

  /** The next `count` bytes: a view of the chunk when they lie in one, else gathered from several. */
  #take(count: number): Buffer | undefined {
    if (this.#filled === 0 && this.#unread >= count) return this.#advance(count);
    const part = this.#advance(Math.min(count - this.#filled, this.#unread));
    this.#reserve(this.#filled + part.length, count);
    this.#partial.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled < count) return undefined;
    const whole = this.#partial;
    this.#partial = EMPTY;
    this.#filled = 0;
    return whole.subarray(0, count);
  }

  #advance(count: number): Buffer {
    const part = this.#chunk.subarray(this.#at, this.#at + count);
    this.#skip(count);
    return part;
  }

  #skip(count: number): void {
    this.#at += count;
    if (this.#at < this.#chunk.length) return;
    // A chunk that has been read is not kept in memory.
    this.#chunk = EMPTY;
    this.#at = 0;
  }

  /** Makes room for `needed` bytes, doubling up to `count`, so that many small chunks are copied in linear time. */
  #reserve(needed: number, count: number): void {
    if (needed <= this.#partial.length) return;
    const larger = Buffer.allocUnsafe(Math.min(count, Math.max(needed, 2 * this.#partial.length, PARTIAL_BYTES_MIN)));
    larger.set(this.#partial.subarray(0, this.#filled));
    this.#partial = larger;
  }
}

function readHeader(bytes: Buffer, at: number, bodyBytesMax: number): Header | FrameError {
  if (bytes.readUInt16LE(at) !== MAGIC) {
    return { kind: 'bad_magic', message: `a frame starts with "FT", found the bytes ${bytes.toString('hex', at, at + 2)}` };
  }
  const version = bytes.readUInt8(at + offset.version);
  if (version !== VERSION) return { kind: 'unknown_version', message: `unknown header version ${version}, accepted: ${VERSION}` };
  const formatNumber = bytes.readUInt8(at + offset.format);
  const format = formats[formatNumber];
  if (format === undefined) {
    return { kind: 'unknown_format', message: `unknown body format ${formatNumber}, accepted: 0 (protobuf), 1 (JSON)` };
  }
  const bodyLength = bytes.readUInt32LE(at + offset.bodyLength);
  if (bodyLength > bodyBytesMax) {
    return { kind: 'body_too_long', message: `a body of ${bodyLength} bytes is too long; at most ${bodyBytesMax} are accepted` };
  }
  return {
    protoId: bytes.readUInt32LE(at + offset.protoId),
    format,
    serial: bytes.readUInt32LE(at + offset.serial),
    bodyLength,
    digest: bytes.toString('latin1', at + offset.digest, at + offset.reserved),
  };
}

/** A character a byte: a Buffer costs four times as much, the digest itself included. */
function sha1(bytes: Uint8Array): string {
  return hash('sha1', bytes, 'binary');
}
