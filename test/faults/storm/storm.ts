import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SpawnedDaemon } from '../../support/spawned-daemon.js';
import { seededRandom } from '../random.js';
import { type Interface, interfaces, type KeyId, type Outcome, openClient, type Packets, type StormClient } from './clients.js';
import { InjectedFaults } from './injected-faults.js';
import { KeptBrackets } from './kept-brackets.js';
import { type Choice, RESTING_PRICE, RESTING_QTY, type Write, WriteSource } from './writes.js';

/** One write and its outcome, as its client knows it. */
export interface Attempt {
  readonly write: Write;
  readonly iface: Interface;
  readonly key: KeyId;
  /** Epoch ms of this process. */
  readonly sentAt: number;
  /** Absent when the connection broke before the answer. */
  outcome?: Outcome;
  /** It was answered when the disk was already full, though it may have been sent before. */
  whileFull?: boolean;
}

/** Faults of one life of the daemon, drawn from the seed. */
interface Life {
  /** Answers until the kill. */
  readonly killAfter: number;
  /** After this many answers the clock steps, by this much. */
  readonly clock?: { readonly after: number; readonly stepMs: number };
  /** After this many answers the disk takes no more. */
  readonly fullAfter?: number;
  /** A second daemon tries to start on the state folder meanwhile. */
  readonly rival: boolean;
}

export interface StormOptions {
  readonly seed: number;
  readonly kills: number;
}

/** Clients a life has of each interface. */
const CLIENTS_EACH = 2;
/** Daily cap of the capped key: this many resting orders. */
const CAPPED_ORDERS = 150;
export const CAPPED_VALUE = CAPPED_ORDERS * RESTING_QTY * RESTING_PRICE;
const FLAGS = ['--enable-trading', '--api-key-id', 'bot', '--audit-required'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const steps = [60_000, -60_000, 2 * HOUR_MS, -2 * HOUR_MS, 25 * HOUR_MS, -25 * HOUR_MS, 72 * HOUR_MS, -72 * HOUR_MS];
const svcd = join(import.meta.dirname, '..', '..', '..', 'bin', 'svcd');

function planLife(random: () => number): Life {
  const killAfter = 10 + Math.floor(random() * 90);
  const pick = random();
  const after = Math.floor(random() * killAfter);
  const step = steps[Math.floor(random() * steps.length)] as number;
  const rival = random() < 0.15;
  if (pick < 0.2) return { killAfter, rival, clock: { after, stepMs: step } };
  if (pick < 0.3) return { killAfter: after + 8, rival, fullAfter: after };
  return { killAfter, rival };
}

/**
 * Loads a daemon over every interface at once and kills it, again and again, on one state folder. The same seed sends the same
 * writes under the same faults; which of them meet is up to the machine.
 */
export class Storm {
  readonly attempts: Attempt[] = [];
  readonly packets: Packets = new Map();
  readonly faults = new InjectedFaults();
  /** Exit codes of rivals for the state folder. */
  readonly rivals: (number | null)[] = [];
  /** Repetitions that were answered otherwise than the first time. */
  readonly contradictions: string[] = [];
  readonly brackets = new KeptBrackets();
  #daemon: SpawnedDaemon<KeyId> | undefined;
  readonly #random: () => number;
  #lives = 0;

  constructor(readonly options: StormOptions) {
    this.#random = seededRandom(options.seed);
  }

  get daemon(): SpawnedDaemon<KeyId> {
    if (this.#daemon === undefined) throw new Error('the storm has not begun');
    return this.#daemon;
  }

  async begin(): Promise<void> {
    const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
    this.#daemon = new SpawnedDaemon<KeyId>(true);
    await this.#daemon.addKey('bot', { scopes });
    await this.#daemon.addKey('capped', { scopes, limits: { maxDailyValue: String(CAPPED_VALUE) } });
    await this.#boot();
  }

  async run(): Promise<void> {
    for (let kill = 0; kill < this.options.kills; kill++) await this.#live(planLife(this.#random));
  }

  async end(): Promise<void> {
    await this.#daemon?.stop();
    this.faults.remove();
  }

  /** One life: load until the kill, a new start, and every write that was left open asked for once more. */
  async #live(life: Life): Promise<void> {
    this.#lives += 1;
    const opened: Attempt[] = [];
    let answers = 0;
    let killed: Promise<unknown> | undefined;
    const onAnswer = () => {
      answers += 1;
      if (answers === life.clock?.after) this.faults.stepClock(life.clock.stepMs);
      if (answers === life.fullAfter) this.faults.fillDisk(true);
      if (answers === life.killAfter) killed = this.daemon.end('SIGKILL');
    };
    const rival = life.rival ? this.#rival() : undefined;
    const clients = interfaces.flatMap((iface) =>
      Array.from({ length: CLIENTS_EACH }, (_, index) => this.#client(iface, index, opened, onAnswer, () => killed !== undefined)),
    );
    await Promise.all(clients);
    // Too few answers for the kill: every client has met a refusal that ends it.
    killed ??= this.daemon.end('SIGKILL');
    await killed;
    if (rival !== undefined) this.rivals.push(await rival);
    this.faults.fillDisk(false);
    await this.#boot();
    await this.#resolve(opened);
    this.attempts.push(...opened);
    const isDayLater = (life.clock?.stepMs ?? 0) > DAY_MS;
    await this.brackets.look(this.daemon.as('bot'), opened, isDayLater);
  }

  async #client(iface: Interface, index: number, opened: Attempt[], onAnswer: () => void, isOver: () => boolean): Promise<void> {
    // Core TCP has one identity; of the other interfaces every second client is capped.
    const key: KeyId = index % 2 === 1 && iface !== 'core-tcp' ? 'capped' : 'bot';
    const prefix = `s${this.options.seed}-${this.#lives}-${iface}${index}`;
    const choice: Choice = key === 'capped' ? 'resting' : iface === 'core-tcp' ? 'no brackets' : 'anything';
    const source = new WriteSource(prefix, seededRandom(hash(prefix)), choice);
    let client: StormClient;
    try {
      client = await openClient(this.daemon, iface, key, this.packets);
    } catch {
      return;
    }
    try {
      while (!isOver()) {
        const write = source.next();
        const attempt: Attempt = { write, iface, key, sentAt: Date.now() };
        opened.push(attempt);
        const outcome = await client.send(write);
        attempt.outcome = outcome;
        attempt.whileFull = this.faults.isFull;
        if (write.kind === 'place' && outcome.kind === 'accepted') source.accepted(write, outcome.orderId, outcome.orderIdEx);
        onAnswer();
      }
    } catch {
      // The connection broke: what was sent last stays open.
    } finally {
      client.close();
    }
  }

  /** Sends again what its client does not know the fate of, where that is safe, and some of what it does know. */
  async #resolve(opened: readonly Attempt[]): Promise<void> {
    const clients = new Map<string, StormClient>();
    for (const attempt of opened) {
      const { write, iface, key, outcome } = attempt;
      if (!write.keyed && iface !== 'core-tcp') continue;
      const open = outcome === undefined || outcome.kind === 'failed';
      if (!open && (outcome.kind === 'refused' || this.#random() > 0.15)) continue;
      const name = `${iface} ${key}`;
      const client = clients.get(name) ?? (await openClient(this.daemon, iface, key, this.packets));
      clients.set(name, client);
      const again = await client.send(write);
      if (open) attempt.outcome = again;
      else if (again.kind !== 'accepted' || outcome.kind !== 'accepted' || again.orderIdEx !== outcome.orderIdEx) {
        this.contradictions.push(`${write.name} over ${iface}: first ${JSON.stringify(outcome)}, again ${JSON.stringify(again)}`);
      }
    }
    for (const client of clients.values()) client.close();
  }

  async #boot(): Promise<void> {
    await this.daemon.boot(FLAGS, this.faults.launcher);
  }

  /** The exit status of a second daemon on the same state folder. */
  async #rival(): Promise<number | null> {
    const { daemon } = this;
    const rival = spawn(process.execPath, [svcd, ...daemon.flags, '--audit-log', `${daemon.auditPath}.rival`, ...FLAGS], {
      env: { PATH: process.env.PATH, HOME: daemon.folder, ...daemon.variables },
      cwd: daemon.folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // It may find the folder free when the first is killed at that moment: then it must be ended before the next start.
    rival.stdout.once('data', () => rival.kill('SIGKILL'));
    const [status] = (await once(rival, 'exit')) as [number | null];
    return status;
  }
}

/** FNV-1a: seeds of clients by their names. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const unit of Buffer.from(text)) value = Math.imul(value ^ unit, 0x01000193);
  return value >>> 0;
}
