import { create, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { replayClock } from '@svc-gateway/contract/clock';
import { classOf, type FieldClass, isLookedInto } from '@svc-gateway/contract/field-classes';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetPlateSet from '@svc-gateway/contract/generated/Qot_GetPlateSet_pb';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { symbolOf } from '@svc-gateway/contract/markets';
import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { PREVIEW_PATH } from '@svc-gateway/contract/preview-path';
import { requestDecoder } from '@svc-gateway/contract/request';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { Doors, type Told } from '../support/doors.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../support/gateway.js';
import { exampleVariables, fillIn, requestExamples } from '../support/request-examples.js';
import { revealingAnswer } from '../support/revealing-answers.js';
import { namingRequest } from '../support/spellings.js';

/**
 * A key limited to one market and one symbol gets nothing else out of any operation, on any interface. All of it comes from the declarations and from
 * examples/requests.http, which has a call of each: an operation is in here as soon as it is declared.
 */
const limits = { allowedMarkets: 'HK,FX', allowedSymbols: 'HK.00700' } as const;

describe('what is hidden from a key changes nothing in what it is answered', () => {
  /** Answers as many hidden entries as a test wants. */
  class Revealing extends ScriptedBackend {
    hidden = 0;
    constructor() {
      super((operation) => revealingAnswer(operation, this.hidden));
    }

    override async subscribe(): Promise<ResponseMessage> {
      return create(QotGetPlateSet.ResponseSchema, { retType: 0 }) as ResponseMessage;
    }
  }

  const backend = new Revealing();
  let served: ServedGateway;
  let doors: Doors;
  beforeAll(async () => {
    const one = { scopes, limits: { ...limits, allowedAccIds: HK_MARGIN }, sdk: true };
    served = await serveGateway({ backend, keys: { one, other: { scopes } } });
    doors = await Doors.open(served, 'one', served.grpc(), operations);
  });
  afterAll(async () => {
    await doors.close();
    await served.stop();
  });

  const filtered = operations.filter(({ reach }) => typeof reach !== 'string');

  it.each(filtered.map((operation) => [operation.name, operation] as const))('by %s', async (_, operation) => {
    const told: Record<string, Set<string>> = {};
    for (const [hidden, symbols] of [[], ['US.AAPL'], ['HK.00005', 'US.AAPL', 'US.NIO'], ['HK.00005']].entries()) {
      backend.hidden = hidden;
      // The gateway's own answers are about its callers' subscriptions.
      if (operation.group === 'subscription') {
        const others = served.as('other');
        await others.post('/api/unsubscribe', { unsub_all: true });
        if (symbols.length > 0) await others.s2c('/api/subscribe', { symbols, sub_types: [1, 4] });
      }
      for (const { way, hear } of doors.attempts(operation, namingRequest(operation, operations))) {
        const { verdict, text } = await hear();
        told[way] ??= new Set();
        told[way].add(`${verdict} ${hidden === 0 || verdict === 'served' ? without(operation, text) : text}`);
      }
    }
    for (const [way, answers] of Object.entries(told)) {
      expect([way, ...answers]).toEqual([way, expect.stringMatching(/^served /)]);
      if (backendAnswers(operation)) expect([way, ...answers][1]).toMatch(/00700|281756478396547002|rdMarket|rd_market|account_id/);
    }
  });

  /** An answer without what its declaration says is the same for everybody, such as quotas of the whole daemon, which others use. */
  function without({ beside }: Operation, text: string): string {
    const names = new Set(beside.flatMap((name) => [name, snakeCase(name)]));
    return JSON.stringify(JSON.parse(text, (name, value) => (names.has(name) || name === 'ret_msg' ? undefined : value)));
  }

  function backendAnswers({ group, name }: Operation): boolean {
    return group !== 'subscription' && name !== 'get_push_subscriber_info' && name !== 'get_brackets';
  }
});

describe('the simulated world shows a key its own symbol alone', () => {
  type Id = 'all' | 'one';
  let doors: Doors;
  /** Codes, symbols and names of all that is listed but the key's own. */
  const foreign = new Set<string>();
  /** The calls of the examples, as the messages that they are. */
  const asked = new Map<string, Message[]>();

  const keys = { all: { scopes }, one: { scopes, limits, sdk: true } };
  // Years of bars are read here, beside other tests.
  const flags = [...switches, '--sim-clock', 'calendar', '--request-timeout', '120'];
  const daemon = TestDaemon.forAll<Id>({ clock: replayClock(Date.UTC(2026, 10, 20, 15), 1), keys, flags });
  beforeAll(async () => {
    const site = {
      gateway: daemon.daemon.gateway,
      url: daemon.url,
      ca: daemon.ca,
      log: daemon.log,
      key: (id: string) => daemon.keys[id as Id],
    };
    doors = await Doors.open(site, 'one', daemon.grpc(), operations);
    await makeExamples();
    await nameForeign();
  });
  afterAll(async () => {
    await doors.close();
  });

  /** Makes every call, as a key that may see everything: afterwards there are lists, reminders and orders of other symbols. */
  async function makeExamples(): Promise<void> {
    const answers = new Map<string, unknown>();
    for (const { method, path, headers, body, name } of requestExamples()) {
      // A preview makes nothing.
      if (path === PREVIEW_PATH) continue;
      const operation = operations.find(({ rest }) => rest.some((route) => route.path === path));
      if (operation === undefined) throw new Error(`no operation answers ${path}`);
      const text = body === undefined ? '{}' : fillIn(body, exampleVariables(), answers);
      const parsed = parseJson(text);
      const decoded = parsed.ok && requestDecoder(operation, 'rest')(parsed.value);
      if (decoded === false || !decoded.ok) throw new Error(`${path} ${text} cannot be read`);
      asked.set(operation.name, [...(asked.get(operation.name) ?? []), decoded.value]);
      // A read of a whole market need not be made twice.
      if (name !== undefined || operation.group === 'user_state' || operation.effect !== 'read') {
        const answer = await daemon.as('all').request(method, path, body === undefined ? { headers } : { headers, body: text });
        if (name !== undefined) answers.set(name, answer.json);
      }
    }
  }

  async function nameForeign(): Promise<void> {
    const own = new Set<string>();
    for (const market of [1, 2, 11, 21, 22, 31, 41, 61, 81]) {
      const { static_info_list: infos } = await daemon.as('all').s2c('/api/static-info', { market });
      for (const { basic } of infos) {
        const { security, name, sec_type: type } = basic;
        if (type === PLATE) continue;
        const isOwn = security.market === 1 && security.code === '00700';
        // A code of digits alone might be any number, and "SH" is a market too.
        const isAmbiguous = /^(\d+|SH|SZ)$/.test(security.code);
        const names = [symbolOf(security), name, ...(isAmbiguous ? [] : [security.code])];
        for (const each of names) (isOwn ? own : foreign).add(each);
      }
    }
    for (const each of own) foreign.delete(each);
    expect(foreign.size).toBeGreaterThan(1_000);
  }

  const reads = operations.filter(({ effect }) => effect === 'read');

  it.each(reads.map((operation) => [operation.name, operation] as const))('by %s', async (_, operation) => {
    const examples = asked.get(operation.name) ?? [];
    const requests = [...examples, ...examples.map((request) => ofOwn(operation, request)), namingRequest(operation, operations)];
    const leaks: string[] = [];
    for (const request of requests) {
      for (const { way, hear } of onePerInterface(operation, request)) {
        const found = foreignIn(await hear());
        if (found !== undefined) leaks.push(`${way}: ${found}`);
      }
    }
    expect(leaks).toEqual([]);
  });

  function onePerInterface(operation: Operation, request: Message) {
    const attempts = doors.attempts(operation, request);
    const first = (begins: RegExp) => attempts.filter(({ way }) => begins.test(way)).slice(0, 1);
    return [/^(GET|POST) /, /^svc_/, /^gRPC/, /^core WebSocket/, /^core TCP$/].flatMap(first);
  }

  /** Something of what the key may not see. */
  function foreignIn({ verdict, text }: Told): string | undefined {
    if (verdict !== 'served') return undefined;
    let found: string | undefined;
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' && (foreign.has(value) || CONTRACT.test(value))) found ??= value;
      if (isSecurity(value) && !(value.market === 1 && value.code === '00700') && !PLATE_CODE.test(value.code)) {
        found ??= `${value.market}.${value.code}`;
      }
      return value;
    });
    return found;
  }
});

/** Qot_Common.SecurityType. */
const PLATE = 7;
const PLATE_CODE = /^(BK|LIST)\d+$/;
/** Options, whose codes no list of everything has. */
const CONTRACT = /^[A-Z]{1,6}\d{6}[CP]\d+$/;

function isSecurity(value: unknown): value is { market: number; code: string } {
  const { market, code } = (value ?? {}) as { market?: unknown; code?: unknown };
  return typeof market === 'number' && typeof code === 'string';
}

/** The same request of HK.00700 and of Hong Kong. */
function ofOwn({ messages, classes }: Operation, request: Message): Message {
  const { C2SSchema } = messages;
  const copy = fromBinary(C2SSchema, toBinary(C2SSchema, request));
  rewrite(C2SSchema, copy);
  return copy;

  function rewrite(desc: DescMessage, message: Message): void {
    const fields = message as unknown as Record<string, unknown>;
    for (const field of desc.fields) {
      if (!Object.hasOwn(fields, field.localName)) continue;
      const value = fields[field.localName];
      const values = Array.isArray(value) ? value : [value];
      if (isLookedInto(field)) {
        for (const inner of values) rewrite(field.message, inner);
      } else {
        const own = ownValues[classOf(field, classes) ?? 'none'];
        if (own !== undefined) fields[field.localName] = Array.isArray(value) ? values.map(() => own) : own;
      }
    }
  }
}

const ownValues: Partial<Record<FieldClass, unknown>> = {
  security: create(SecuritySchema, { market: 1, code: '00700' }),
  plate: create(SecuritySchema, { market: 1, code: 'BK1001' }),
  quote_market: 1,
  stock_market: 1,
  trading_market: 1,
  calendar: 1,
  traded_code: '00700',
  sec_market: 1,
  account: BigInt(HK_MARGIN),
};
