import type { Asked, Reading } from '../wires.js';

/** An answer or push as it came. */
export interface Answer extends Asked {
  /** Error field of a core WebSocket's header; 0 = none. */
  readonly error: number;
  /** Empty when there is no cipher to read it with. */
  readonly body: Buffer;
}

/** A hostile client's end of one connection. */
export interface Channel {
  /** Told each answer and push, in order. */
  onAnswer: (answer: Answer) => void;
  /** Settles when the server has ended the connection, or this side has. Rejects on what no client could read. */
  readonly closed: Promise<void>;
  write(chunk: Buffer): void;
  /** Resolves when this side's buffer has drained, or the connection is closed. */
  drained(): Promise<void>;
  /** Reads nothing any more. */
  deafen(): void;
  /** Ends this side's half in order. */
  end(): void;
  /** Resets the connection. */
  reset(): void;
}

/** Bytes of a hostile client. */
export interface Stream extends Reading {
  readonly bytes: Buffer;
  /** Made of so many frames. */
  readonly frames: number;
}

/** Ids of messages that come without being asked for. */
const pushIds: ReadonlySet<number> = new Set([1003, 2208, 2218, 3005, 3007, 3009, 3011, 3013, 3015, 3019, 3310]);

/** Unanswered requests of a connection. */
export class Ledger {
  readonly #open = new Map<string, number>();
  #count = 0;
  #answers = 0;
  /** The first answer that nobody asked for, or that came twice. */
  problem: string | undefined;

  constructor(asked: readonly Asked[]) {
    for (const each of asked) this.#open.set(keyOf(each), (this.#open.get(keyOf(each)) ?? 0) + 1);
    this.#count = asked.length;
  }

  /** Requests without an answer. */
  get outstanding(): number {
    return this.#count;
  }

  get answers(): number {
    return this.#answers;
  }

  take(answer: Asked): void {
    const key = keyOf(answer);
    const left = this.#open.get(key);
    if (left !== undefined) {
      if (left === 1) this.#open.delete(key);
      else this.#open.set(key, left - 1);
      this.#count -= 1;
      this.#answers += 1;
    } else if (!pushIds.has(answer.protoId)) {
      this.problem ??= `an answer to (${key}), which was not asked or is answered already`;
    }
  }
}

function keyOf({ protoId, number }: Asked): string {
  return `${protoId}, ${number}`;
}
