import { below, cut, type Random } from '../mutate.js';
import { type Channel, Ledger, type Stream } from './channel.js';
import type { LiveTarget } from './targets.js';

/** Result of one connection. */
export interface Visit {
  readonly frames: number;
  readonly answers: number;
}

/** A listener's misconduct, with the bytes that were sent. */
export class Misconduct extends Error {
  constructor(
    message: string,
    readonly sent: Buffer,
  ) {
    super(message);
  }
}

const STRANGER_SHARE = 0.15;
/** A client that comes to an end in the middle, and one that ends its half in order. */
const RESET_SHARE = 0.15;
const HALF_SHARE = 0.1;
/** Fraction of streams that arrive in pieces, one by one. */
const APART_SHARE = 0.1;

/** One hostile connection, from its first byte to its last. */
export async function visit(target: LiveTarget, random: Random, patienceMs: number): Promise<Visit> {
  const isStranger = random() < STRANGER_SHARE;
  const { channel, stream } = await (isStranger ? target.stranger(random) : target.client(random));
  const ending = endingOf(random, isStranger);
  const { bytes } = stream;
  const sent = ending === 'reset' ? bytes.subarray(0, below(random, bytes.length + 1)) : bytes;
  const chunks = cut(sent, random);
  const apart = random() < APART_SHARE;
  return converse(channel, stream, { ending, patienceMs }, async () => {
    for (const chunk of chunks) {
      channel.write(chunk);
      if (apart) await turn();
    }
  });
}

type Ending = 'wait' | 'half' | 'reset';

function endingOf(random: Random, isStranger: boolean): Ending {
  const share = random();
  if (share < RESET_SHARE) return 'reset';
  // A stranger's fate depends on the mutation of its handshake; it never waits for an answer.
  return isStranger || share < RESET_SHARE + HALF_SHARE ? 'half' : 'wait';
}

/** The sound stream once in every two pieces. */
export async function everySplit(target: LiveTarget, patienceMs: number): Promise<void> {
  let length = 1;
  for (let at = 0; at < length; at++) {
    const { channel, stream } = await target.sound();
    length = stream.bytes.length;
    await converse(channel, stream, { ending: 'wait', patienceMs }, async () => {
      channel.write(stream.bytes.subarray(0, at));
      await turn();
      channel.write(stream.bytes.subarray(at));
    });
  }
}

interface Course {
  readonly ending: Ending;
  /** How long the listener may take for all of it. */
  readonly patienceMs: number;
}

/** Sends the stream and holds the answers against it. */
async function converse(channel: Channel, stream: Stream, { ending, patienceMs }: Course, send: () => Promise<void>): Promise<Visit> {
  const ledger = new Ledger(stream.asked);
  const whole = async () => {
    const settled = settle(channel, stream, ending === 'wait', ledger);
    await Promise.race([send(), settled]);
    if (ending === 'reset') channel.reset();
    if (ending === 'half') channel.end();
    await settled;
    channel.reset();
    await channel.closed;
  };
  try {
    await within(patienceMs, whole(), () => `a stream that is ${stream.end} was sent, ${ledger.outstanding} requests are unanswered`);
  } catch (error) {
    channel.reset();
    throw new Misconduct(error instanceof Error ? error.message : String(error), stream.bytes);
  }
  return { frames: stream.frames, answers: ledger.answers };
}

/** Resolves when nothing more is to come: all is answered or, where it has to be so, the connection is closed. */
function settle(channel: Channel, { end }: Stream, waits: boolean, ledger: Ledger): Promise<void> {
  const mayClose = !waits || end === 'broken';
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!mayClose && ledger.outstanding === 0) resolve();
    };
    channel.onAnswer = (answer) => {
      ledger.take(answer);
      if (ledger.problem === undefined) look();
      else reject(new Error(ledger.problem));
    };
    channel.closed.then(() => {
      if (mayClose || ledger.outstanding === 0) resolve();
      else reject(new Error(`closed, with ${ledger.outstanding} requests unanswered, although nothing was wrong`));
    }, reject);
    look();
  });
}

const FLOOD_BYTES_MAX = 32 * 1024 * 1024;

/**
 * A client that sends without end and never reads. Resolves when it has been cut off, or has sent all of it in vain: what
 * the listener keeps for it is then for the caller to measure.
 */
export async function flood({ channel, chunk }: { readonly channel: Channel; readonly chunk: Buffer }, patienceMs: number): Promise<void> {
  let closed = false;
  const end = channel.closed.then(() => {
    closed = true;
  });
  channel.deafen();
  for (let sent = 0; sent < FLOOD_BYTES_MAX && !closed; sent += chunk.length) {
    channel.write(chunk);
    await within(patienceMs, Promise.race([channel.drained(), end]), () => `a flood is neither read nor cut off after ${sent} bytes`);
  }
}

/** Fails when it takes too long. */
async function within(ms: number, work: Promise<unknown>, what: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms in vain: ${what()}`)), ms);
  });
  try {
    await Promise.race([work, impatience]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets the listener see what was written. */
async function turn(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
}
