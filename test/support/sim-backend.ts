import { create, type Message } from '@bufbuild/protobuf';
import { createSimBackend, type RecordedDay } from '@svc-gateway/backends/sim';
import { ManualClock } from '@svc-gateway/contract/clock';
import { type Security, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { parseSymbol } from '@svc-gateway/contract/markets';
import type { Operation, PayloadOf, ProtocolMessages, RequestOf } from '@svc-gateway/contract/operation';
import type { Backend, CallContext, PushEvent, ResponseMessage } from '@svc-gateway/gateway/backend';
import {
  createSimulation,
  createSimulationWithData,
  DataProblems,
  type RunningSimulation,
  type SimulationOptions,
} from '@svc-gateway/simulator/simulation';
import { MemoryStore } from '@svc-gateway/storage';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

/** For tests: a started backend on a clock that stands still at 2026-11-20 10:30 in Hong Kong (a Friday), and what it pushed. */
export interface Fixture {
  readonly clock: ManualClock;
  readonly simulation: RunningSimulation;
  readonly backend: Backend;
  readonly pushes: PushEvent[];
  readonly defects: unknown[];
}

export const FIXTURE_TIME = Date.UTC(2026, 10, 20, 2, 30);

export const context: CallContext = { requestId: 'test', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

type FixtureOptions = Partial<SimulationOptions> & { clock?: ManualClock; recordedDay?: RecordedDay; dataFolder?: string };

export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const clock = options.clock ?? new ManualClock(FIXTURE_TIME);
  const composed: SimulationOptions = { seed: 'test', store: new MemoryStore(), calendarMode: 'open', ...options, clock };
  const simulation =
    options.dataFolder === undefined ? createSimulation(composed) : await createSimulationWithData(composed, options.dataFolder);
  if (simulation instanceof DataProblems) throw new Error(simulation.problems.join('\n'));
  const defects: unknown[] = [];
  const playing = options.recordedDay === undefined ? {} : { recordedDay: options.recordedDay };
  const backend = createSimBackend({ simulation, clock, logger: { error: (details) => defects.push(details) }, ...playing });
  const pushes: PushEvent[] = [];
  backend.onPush((event) => pushes.push(event));
  await backend.start();
  return { clock, simulation, backend, pushes, defects };
}

export function security(symbol: string): Security {
  const parsed = parseSymbol(symbol);
  if (parsed === undefined) throw new Error(`${symbol} is no symbol`);
  return create(SecuritySchema, { market: parsed.market.number, code: parsed.code });
}

/** An operation's request, with the given fields. */
function requestOf<M extends ProtocolMessages>(operation: Operation<M>, fields: object): RequestOf<Operation<M>> {
  return create(operation.messages.C2SSchema, fields as never) as RequestOf<Operation<M>>;
}

/** The `Response` of a call. */
export async function call<M extends ProtocolMessages>(
  backend: Backend,
  operation: Operation<M>,
  fields: object = {},
): Promise<ResponseMessage & { s2c?: PayloadOf<Operation<M>> }> {
  const response = await backend.call(operation, requestOf(operation, fields) as Message, context);
  return response as ResponseMessage & { s2c?: PayloadOf<Operation<M>> };
}

/** The payload of a call that must succeed. */
export async function payload<M extends ProtocolMessages>(
  backend: Backend,
  operation: Operation<M>,
  fields: object = {},
): Promise<PayloadOf<Operation<M>>> {
  const { retType, retMsg, s2c } = await call(backend, operation, fields);
  if (retType !== 0 || s2c === undefined) throw new Error(`${operation.name}: ${retType} ${retMsg}`);
  return s2c;
}

/** A backend and how it is asked. */
export type AskedBackend = ReturnType<typeof asked>;

function asked(of: () => Fixture) {
  return {
    get simulation(): RunningSimulation {
      return of().simulation;
    },
    get clock(): ManualClock {
      return of().clock;
    },
    get backend(): Backend {
      return of().backend;
    },
    call: <M extends ProtocolMessages>(operation: Operation<M>, fields: object = {}) => call(of().backend, operation, fields),
    payload: <M extends ProtocolMessages>(operation: Operation<M>, fields: object = {}) => payload(of().backend, operation, fields),
    /** The text of a refusal; empty where the call is answered. */
    async refusal(operation: Operation, fields: object = {}): Promise<string> {
      const { retType, retMsg } = await call(of().backend, operation, fields);
      expect([0, -1]).toContain(retType);
      return retType === 0 ? '' : retMsg;
    },
  };
}

/** One backend for all tests of a file, which only read from it. */
export function sharedBackend(options: FixtureOptions = {}) {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture(options);
  });
  afterAll(() => fixture.backend.stop());
  return asked(() => fixture);
}

/** Worlds of several seeds, each at a moment of its own, for all tests of a file. */
export const sharedBackends = (worlds: readonly { readonly seed: string; readonly at: number }[]) =>
  worlds.map(({ seed, at }) => sharedBackend({ seed, calendarMode: 'calendar', clock: new ManualClock(at) }));

/** A backend of one test, stopped with it. */
export async function ownBackend(options: FixtureOptions = {}) {
  const fixture = await startFixture(options);
  onTestFinished(() => fixture.backend.stop());
  return asked(() => fixture);
}
