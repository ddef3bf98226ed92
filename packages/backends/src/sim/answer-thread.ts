import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type Message, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Operation } from '@svc-gateway/contract/operation';
import { BackendRefused } from '@svc-gateway/gateway/backend-failures';
import { Followed } from '@svc-gateway/simulator/market';
import { Refusal } from '@svc-gateway/simulator/refusal';
import type { RunningSimulation, WorldRecipe } from '@svc-gateway/simulator/simulation';
import type { Question, Reply } from './answer-messages.js';
import { decodeInTurns } from './decode.js';

/** Questions that the thread has at a time: short ones pass while a long one is worked out in pieces. */
const SENT_MAX = 8;
const WAITING_MAX = 1_000;
/** Idle time after which the thread ends, to free its copy of the world (some 100 MB). */
const IDLE_MS = 600_000;
/** Part of the daemon's own heap limit that the thread's heap may reach. */
const HEAP_PART = 0.5;
const MIB = 2 ** 20;
const SHUTTING_DOWN = 'the daemon is shutting down';

interface PendingQuestion {
  readonly operation: Operation;
  readonly request: Uint8Array;
  readonly signal: AbortSignal | undefined;
  readonly answered: (outcome: Message | Refusal) => void;
  readonly failed: (reason: unknown) => void;
  /** Set once a thread ended while it had the question. */
  retried: boolean;
}

export interface AnswerThreadOptions {
  /** The module that the thread runs. */
  readonly file: URL;
  readonly recipe: WorldRecipe;
  readonly simulation: Pick<RunningSimulation, 'clock' | 'callerChanges' | 'watched'>;
  /** Passes as time does, whatever the simulation's does. */
  readonly clock: Pick<Clock, 'after'>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Answers that take long, computed beside the event loop: a thread has a copy of the simulated world, and is sent the moment of each question and
 * what callers did in the market until then. It starts with the first question. Where it ends early, its questions are asked once more.
 */
export class AnswerThread {
  #worker: Worker | undefined;
  /** How far the copy in the thread is. */
  #followed = new Followed();
  readonly #waiting = new Set<PendingQuestion>();
  readonly #sent = new Map<number, PendingQuestion>();
  #lastId = 0;
  #cancelIdle = () => {};
  #isStopped = false;

  constructor(private readonly options: AnswerThreadOptions) {}

  /** Resolves with the payload or the refusal. Rejects with {@link BackendRefused} where too much is asked, or the thread ended twice. */
  ask(operation: Operation, request: Message, signal?: AbortSignal): Promise<Message | Refusal> {
    if (this.#isStopped) return Promise.reject(unavailable(SHUTTING_DOWN));
    if (this.#waiting.size >= WAITING_MAX) return Promise.reject(unavailable('too many long reads are waiting'));
    const bytes = toBinary(operation.messages.C2SSchema, request);
    return new Promise((answered, failed) => {
      const asked: PendingQuestion = { operation, request: bytes, signal, answered, failed, retried: false };
      this.#waiting.add(asked);
      this.#send();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelIdle();
    const left = [...this.#sent.values(), ...this.#waiting];
    this.#sent.clear();
    this.#waiting.clear();
    for (const { failed } of left) failed(unavailable(SHUTTING_DOWN));
    await this.#worker?.terminate();
  }

  #send(): void {
    for (const asked of this.#waiting) {
      if (this.#sent.size >= SENT_MAX) return;
      this.#waiting.delete(asked);
      const { operation, request, signal, failed } = asked;
      if (signal?.aborted) {
        failed(signal.reason);
        continue;
      }
      const worker = this.#worker ?? this.#start();
      const id = ++this.#lastId;
      this.#sent.set(id, asked);
      const { clock, callerChanges, watched } = this.options.simulation;
      const changes = callerChanges(this.#followed);
      worker.postMessage({ id, operation: operation.name, request, moment: clock.now(), changes, watched: watched() } satisfies Question);
    }
  }

  #start(): Worker {
    this.#followed = new Followed();
    const limit = getHeapStatistics().heap_size_limit / MIB;
    const worker = new Worker(this.options.file, {
      name: 'answers',
      workerData: this.options.recipe,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: Math.round(HEAP_PART * limit) },
    });
    worker.unref();
    worker.on('message', (reply: Reply) => this.#received(reply));
    worker.on('error', (error) => this.options.onFailure(error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#ended();
    });
    this.#worker = worker;
    return worker;
  }

  #received(reply: Reply): void {
    const asked = this.#sent.get(reply.id);
    if (asked === undefined) return;
    this.#sent.delete(reply.id);
    if ('defect' in reply) asked.failed(reply.defect);
    else if ('refusal' in reply) asked.answered(new Refusal(reply.refusal.message, reply.refusal.errCode));
    else decodeInTurns(asked.operation.messages.S2CSchema, reply.payload).then(asked.answered, asked.failed);
    this.#send();
    if (this.#sent.size === 0) this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.options.clock.after(IDLE_MS, () => {
      if (this.#sent.size > 0) return;
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    });
  }

  #ended(): void {
    this.#worker = undefined;
    const interrupted = [...this.#sent.values()];
    this.#sent.clear();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const asked of interrupted) {
      if (asked.retried) asked.failed(unavailable('the thread that works such answers out ended twice'));
      else this.#waiting.add(Object.assign(asked, { retried: true }));
    }
    for (const asked of waiting) this.#waiting.add(asked);
    this.#send();
  }
}

function unavailable(what: string): BackendRefused {
  return new BackendRefused('backend.unavailable', `${what}: try again later`, 1);
}
