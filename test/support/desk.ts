import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, isMessage, type Message } from '@bufbuild/protobuf';
import { Access, type AuditEvent, AuditLog, Keyring, type LimitFlags, limitsFromFlags, OrderGates, SteadyTime } from '@svc-gateway/access';
import { createSimBackend } from '@svc-gateway/backends/sim';
import { ManualClock } from '@svc-gateway/contract/clock';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { Operation, PayloadOf } from '@svc-gateway/contract/operation';
import { Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import { requestDecoder } from '@svc-gateway/contract/request';
import { createLog } from '@svc-gateway/daemon/log';
import {
  type Answer,
  type Backend,
  type Caller,
  Gateway,
  type GatewayOptions,
  type Iface,
  type Preview,
  payloadOf,
  type ResponseMessage,
} from '@svc-gateway/gateway';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { editKey, type KeyWish, makeKey } from './keys.js';

/** Takes a call to the brokerage; `pass` puts it to it. */
export type Answering = (operation: Operation, request: Message, pass: () => ReturnType<Backend['call']>) => ReturnType<Backend['call']>;

export interface DeskOptions {
  readonly keys: Readonly<Record<string, KeyWish>>;
  /** The daemon's own limits. */
  readonly flags?: LimitFlags;
  readonly tradePassword?: GatewayOptions['tradePassword'];
  readonly bounds?: GatewayOptions['bounds'];
  /** Store of the gateway; the brokerage has its own. */
  readonly store?: Store;
  /** The brokerage shares the store, as in the daemon. */
  readonly sharesStore?: boolean;
  /** When its clock begins, epoch ms; a Friday morning in Hong Kong where nothing is said. */
  readonly start?: number;
  /** Trading alone, where nothing is said. */
  readonly switches?: GatewayOptions['switches'];
  /** Replaces parts of the simulated brokerage. */
  readonly backend?: Partial<Backend> | ((simulated: Backend) => Partial<Backend>);
  /** Takes all calls to the brokerage. */
  readonly answer?: Answering;
  /** Operations that the brokerage answers with nothing. */
  readonly silent?: ReadonlySet<Operation>;
}

/** How a request comes in: by which key, over which interface. */
export interface Approach {
  readonly as?: string;
  readonly iface?: Iface;
  readonly idempotencyKey?: string;
}

/** A gateway over the simulated brokerage on a clock that stands still, called as an interface calls it, in the tools' dialect. */
export interface Desk {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly audit: AuditEvent[];
  readonly log: string[];
  /** Calls that reached the brokerage, in order. */
  readonly calls: { readonly operation: string; readonly request: Message }[];
  /** The caller of one request. */
  callerOf(approach?: Approach): Caller;
  /** `body`: an object, JSON text whose numbers must stay as they are, or the message itself. */
  preview(operation: Operation, body: object | string, approach?: Approach): Promise<Preview | ResponseMessage | Rejection>;
  call(operation: Operation, body: object | string, approach?: Approach): Promise<Answer>;
  /** The code of the gateway's refusal; undefined where it let the call pass, which must succeed then. */
  code(operation: Operation, body: object | string, approach?: Approach): Promise<string | undefined>;
  /** The payload of a call that must succeed. */
  payload<O extends Operation>(operation: O, body: object | string, approach?: Approach): Promise<PayloadOf<O>>;
  /** Changes fields of a key in the keys file, or takes it out, and has the file taken up. */
  editKey(id: string, change: Record<string, unknown> | undefined): void;
  /** Gives the id of a key to another key, and has the file taken up. */
  replaceKey(id: string, wish: KeyWish): Promise<void>;
  close(): Promise<void>;
}

/** 2026-11-20 10:30 in Hong Kong, a Friday. */
const DESK_TIME = Date.UTC(2026, 10, 20, 2, 30);

export async function openDesk(options: DeskOptions): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-desk-'));
  const path = join(folder, 'keys.json');
  const keyTexts = new Map<string, string>();
  // The same over a restart.
  for (const [id, wish] of Object.entries(options.keys)) {
    keyTexts.set(id, await makeKey(path, id, wish, `svc_${id.padEnd(43, '0')}`));
  }
  const clock = new ManualClock(options.start ?? DESK_TIME);
  const keyring = Keyring.open({ path, clock });
  if (!keyring.ok) throw new Error(keyring.error.message);
  const limits = limitsFromFlags(options.flags ?? {});
  if (!limits.ok) throw new Error(limits.error);
  const log: string[] = [];
  const events: AuditEvent[] = [];
  const audit = AuditLog.open({ clock, log: (event) => events.push(event), report: (message) => log.push(message) });
  if (!audit.ok) throw new Error(audit.error);
  const store = options.store ?? new MemoryStore();
  const time = new SteadyTime({ store, clock });
  const onStoreFailure = (error: unknown) => log.push(String(error));
  const logger = createLog({ level: 'debug', target: { write: (line) => log.push(line) }, readable: false });
  const simulation = createSimulation({
    clock,
    seed: 'desk',
    store: options.sharesStore ? store : new MemoryStore(),
    calendarMode: 'open',
  });
  const simulated = createSimBackend({ simulation, clock, logger });
  await simulated.start();
  const calls: Desk['calls'] = [];
  const replaced = typeof options.backend === 'function' ? options.backend(simulated) : (options.backend ?? {});
  const gates = new OrderGates({ store, flagLimits: limits.value.limits, now: clock.now(), onStoreFailure });
  const gateway = new Gateway({
    access: new Access({ keyring: keyring.value, gates, audit: audit.value }),
    backend: watched(simulated, replaced, options, calls),
    clock,
    time,
    store,
    logger,
    version: 'test',
    switches: options.switches ?? new Set(['--enable-trading']),
    pushBacklogBytesMax: 1024 * 1024,
    shutdown: () => undefined,
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
    ...(options.tradePassword === undefined ? {} : { tradePassword: options.tradePassword }),
  });
  let requests = 0;
  const callerOf = ({ as = 'desk', iface = 'mcp', idempotencyKey }: Approach = {}) => ({
    iface,
    endpoint: 'test',
    requestId: `request ${++requests}`,
    peer: { address: '127.0.0.1', loopback: true },
    keyText: keyTexts.get(as),
    idempotencyKey,
  });
  const call = async (operation: Operation, body: object | string, approach?: Approach) =>
    gateway.call(operation, callerOf(approach), () => decode(operation, body));
  return {
    clock,
    store,
    gateway,
    audit: events,
    log,
    calls,
    callerOf,
    call,
    preview: (operation, body, approach) => gateway.preview(operation, callerOf(approach), () => decode(operation, body)),
    async code(operation, body, approach) {
      const answer = await call(operation, body, approach);
      if (!(answer instanceof Rejection) && answer.retType !== 0) throw new Error(answer.retMsg);
      return answer instanceof Rejection ? answer.code : undefined;
    },
    async payload(operation, body, approach) {
      const answer = await call(operation, body, approach);
      const payload = answer instanceof Rejection ? undefined : payloadOf(operation, answer);
      if (payload === undefined) throw new Error(answer instanceof Rejection ? answer.message : answer.retMsg);
      return payload as PayloadOf<typeof operation>;
    },
    editKey(id, change) {
      editKey(path, id, change);
      keyring.value.reload();
    },
    async replaceKey(id, wish) {
      editKey(path, id, undefined);
      keyTexts.set(id, await makeKey(path, id, wish));
      keyring.value.reload();
    },
    async close() {
      gateway.stop();
      await time.stop();
      await simulated.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A backend whose calls are written down, with some of its parts replaced. */
function watched(backend: Backend, replaced: Partial<Backend>, { silent, answer }: DeskOptions, calls: Desk['calls']): Backend {
  return new Proxy(backend, {
    get(target, property) {
      const owner = property in replaced ? replaced : target;
      const value = Reflect.get(owner, property, owner) as unknown;
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        const operation = parameters[0] as Operation;
        if (property === 'call') calls.push({ operation: operation.name, request: parameters[1] as Message });
        if (property === 'call' && silent?.has(operation))
          return create(operation.messages.ResponseSchema, { retType: 0 } as Record<string, unknown>);
        const pass = () => Reflect.apply(value, owner, parameters);
        return property === 'call' && answer !== undefined ? answer(operation, parameters[1] as Message, pass) : pass();
      };
    },
  });
}

function decode(operation: Operation, body: object | string): Message | Rejection {
  if (isMessage(body)) return body;
  const parsed = parseJson(typeof body === 'string' ? body : JSON.stringify(body));
  if (!parsed.ok) throw new Error(parsed.error.message);
  const decoded = requestDecoder(operation, 'mcp')(parsed.value);
  return decoded.ok ? decoded.value : rejectProblem(decoded.problem);
}
