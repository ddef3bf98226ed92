import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import { messageBytes } from '../../contract/message-writer.js';
import type { Group, Operation } from '../../contract/operation.js';
import type { HeldAnswer, ResponseMessage } from '../../gateway/backend.js';
import { sizeOf } from '../connection/bodies.js';

/** What is said of the market is of use for a while, with its age beside it. What is said of an account could be traded on. */
const heldGroups: ReadonlySet<Group> = new Set<Group>([
  'quote',
  'kline_pattern',
  'metadata',
  'calendar',
  'ranking',
  'research',
  'institution',
  'industry',
  'extension',
  'news',
]);
const AGE_MS_MAX = 600_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** Beside its bytes an answer costs its key and its objects. */
const ENTRY_BYTES = 512;

interface Entry extends HeldAnswer {
  readonly bytes: number;
  /** Of the monotonic clock. */
  readonly until: number;
}

/** The newest answers to reads of market data, for when the server is away. The oldest go first. */
export class StaleAnswers {
  readonly #clock: Clock;
  // In the order in which they were given.
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps an answer, if it is one to keep. */
  note(operation: Operation, request: Message, response: ResponseMessage): void {
    if (response.retType !== 0 || !isHeld(operation)) return;
    const bytes = sizeOf(operation.messages, response) + ENTRY_BYTES;
    if (bytes > BYTES_MAX / 8) return;
    const key = keyOf(operation, request);
    this.#drop(key);
    this.#entries.set(key, { response, at: this.#clock.now(), bytes, until: this.#clock.monotonic() + AGE_MS_MAX });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#drop(oldest);
    }
  }

  /** What was answered to this request, if it is not too old. */
  get(operation: Operation, request: Message): HeldAnswer | undefined {
    if (!isHeld(operation)) return undefined;
    const entry = this.#entries.get(keyOf(operation, request));
    return entry === undefined || entry.until <= this.#clock.monotonic() ? undefined : entry;
  }

  /** Another server may say otherwise. */
  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

function isHeld({ effect, group }: Operation): boolean {
  return effect === 'read' && heldGroups.has(group);
}

function keyOf({ name, messages }: Operation, request: Message): string {
  return `${name} ${Buffer.from(messageBytes(messages.C2SSchema, request)).toString('latin1')}`;
}
