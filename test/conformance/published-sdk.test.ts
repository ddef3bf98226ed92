import { fork, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import { wrapped } from '../support/markdown.js';

/** A day on which the simulated markets of Hong Kong are open, sixty times as fast. */
const DATE = '2026-03-02';
const PASSWORD = 'conformance';
const tencent = { market: 1, code: '00700' };
/** Requests that the connection handles itself, without a declared operation. */
const ofTheConnection: ReadonlyMap<number, string> = new Map([[3002, 'handled by the connection']]);

interface Call {
  readonly method: string;
  /** The request was written for this method; else it is the least that its message takes. */
  readonly given: boolean;
  /** The client has the message that the method is about. */
  readonly sent: boolean;
  readonly protocolId: number;
  readonly message: string;
  readonly response: { readonly retType?: number; readonly retMsg?: string; readonly s2c?: object; readonly refused?: string };
}

interface Push {
  readonly command: number;
  readonly response: { readonly retType: number; readonly s2c: object };
}

interface Run {
  accepted: boolean;
  connectionId: string;
  readonly calls: Call[];
  pushes: readonly Push[];
}

/** Runs the client against a daemon; with no more than a refused login where the key is wrong. */
async function runClient(url: string, key: string, node = process.execPath): Promise<Run> {
  const { hostname, port, protocol } = new URL(url);
  const task = { host: hostname, port: Number(port), secure: protocol === 'wss:', key, password: PASSWORD, date: DATE };
  const child = fork(join(import.meta.dirname, 'published-sdk.mjs'), [JSON.stringify(task)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: inject('tls').cert },
    execPath: node,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const run: Run = { accepted: false, connectionId: '', calls: [], pushes: [] };
  let complaints = '';
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  child.on('message', (message: { kind: string }) => {
    if (message.kind === 'login') Object.assign(run, message);
    else if (message.kind === 'answer') run.calls.push(message as unknown as Call);
    else run.pushes = (message as unknown as { pushes: Push[] }).pushes;
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  if (status !== 0) throw new Error(`the client ended with ${status}: ${complaints}`);
  return run;
}

/** Expected answer of a method. */
const answers: Readonly<Record<string, object>> = {
  GetGlobalState: { qotLogined: true, trdLogined: true, serverVer: 1011 },
  GetAccList: { accList: expect.arrayContaining([expect.objectContaining({ trdEnv: 0, accID: expect.stringMatching(/^\d{18}$/) })]) },
  GetFunds: { header: { trdEnv: 0, trdMarket: 1 }, funds: { power: expect.any(Number), cash: expect.any(Number) } },
  GetPositionList: { header: { trdEnv: 0 } },
  GetMaxTrdQtys: { maxTrdQtys: { maxCashBuy: expect.any(Number) } },
  PlaceOrder: { orderID: expect.stringMatching(/^\d+$/), orderIDEx: expect.any(String) },
  GetOrderList: { orderList: [{ code: '00700', qty: 100, price: 500, trdSide: 1 }] },
  ModifyOrder: { header: { trdEnv: 0 }, orderID: expect.stringMatching(/^\d+$/) },
  GetHistoryOrderList: { header: { trdEnv: 0 } },
  GetHistoryOrderFillList: { header: { trdEnv: 0 } },
  GetMarginRatio: { marginRatioInfoList: [{ security: tencent }] },
  GetSubInfo: { connSubInfoList: [{ isOwnConnData: true, usedQuota: 6 }], totalUsedQuota: 6 },
  GetBasicQot: { basicQotList: [{ security: tencent, curPrice: expect.any(Number), volume: expect.stringMatching(/^\d+$/) }] },
  GetOrderBook: { security: tencent, orderBookAskList: expect.anything(), orderBookBidList: expect.anything() },
  GetTicker: { security: tencent, tickerList: expect.anything() },
  GetRT: { security: tencent, rtList: expect.anything() },
  GetKL: { security: tencent, klList: expect.objectContaining({ length: 10 }) },
  GetBroker: { security: tencent, brokerAskList: expect.anything() },
  RequestHistoryKL: { security: tencent, klList: expect.arrayContaining([expect.objectContaining({ time: '2025-12-01 00:00:00' })]) },
  RequestHistoryKLQuota: { usedQuota: 1, remainQuota: expect.any(Number), detailList: [{ security: tencent }] },
  GetStaticInfo: { staticInfoList: expect.arrayContaining([{ basic: expect.objectContaining({ security: tencent, lotSize: 100 }) }]) },
  GetSecuritySnapshot: { snapshotList: [{ basic: { security: tencent, curPrice: expect.any(Number) } }] },
  GetCapitalFlow: { flowItemList: expect.anything() },
  GetCapitalDistribution: { capitalInBig: expect.any(Number) },
  RequestTradeDate: { tradeDateList: expect.arrayContaining([expect.objectContaining({ time: '2025-12-01' })]) },
  GetMarketState: { marketInfoList: [{ security: tencent, marketState: expect.any(Number) }] },
  StockFilter: {
    dataList: expect.arrayContaining([expect.objectContaining({ baseDataList: [{ fieldName: 5, value: expect.any(Number) }] })]),
  },
  GetStockScreen: { dataList: expect.objectContaining({ length: 5 }), allCount: expect.any(Number) },
  GetWarrantScreen: { warrants: expect.objectContaining({ length: 5 }), allCount: expect.any(Number) },
  GetOptionExpirationDate: { dateList: expect.arrayContaining([expect.objectContaining({ strikeTime: expect.any(String) })]) },
  GetOptionQuote: { optionQuoteList: [{ price: expect.any(Number), delta: expect.any(Number) }] },
  GetOptionStrategy: { strategyList: expect.arrayContaining([expect.objectContaining({ optionStrategy: 4 })]) },
  GetOptionStrategyAnalysis: { optionStrategy: 4, breakevenPoints: [expect.any(Number)] },
  GetReference: {
    staticInfoList: expect.arrayContaining([expect.objectContaining({ warrantExData: expect.objectContaining({ owner: tencent }) })]),
  },
  GetWarrant: { warrantDataList: expect.objectContaining({ length: 5 }), allCount: expect.any(Number) },
  GetFutureInfo: { futureInfoList: [{ security: { market: 1, code: 'HSImain' } }] },
  GetUserSecurityGroup: { groupList: [{ groupName: 'Conformance', groupType: 1 }] },
  GetUserSecurity: { staticInfoList: [{ basic: { security: tencent } }] },
  SetPriceReminder: { key: expect.stringMatching(/^[1-9]\d*$/) },
  GetPriceReminder: { priceReminderList: [{ security: tencent, itemList: [{ note: 'conformance' }] }] },
  GetOptionEventAlert: { alertList: [{ note: 'conformance' }] },
};

describe('the published JavaScript client', () => {
  const ids = new ProtocolIds();
  let test: TestDaemon<'sdk' | 'text'>;
  let run: Run;

  beforeAll(async () => {
    const scopes = ['qot:read', 'qot:write', 'acc:read', 'trade:simulate', 'trade:unlock'] as const;
    test = await TestDaemon.start({
      keys: { sdk: { scopes, sdk: true }, text: { scopes } },
      flags: ['--enable-trading', '--sim-clock', `replay:${DATE}T02:00:00Z@60`, '--sim-trade-password', PASSWORD],
    });
    run = await runClient(test.daemon.websocketUrl ?? '', test.keys.sdk);
  }, 60_000);
  afterAll(() => test.stop());

  it('logs in with its key, and not with another', async () => {
    expect(run).toMatchObject({ accepted: true, connectionId: expect.stringMatching(/^[1-9]\d*$/) });
    for (const key of [test.keys.text, 'wrong', '']) {
      expect(await runClient(test.daemon.websocketUrl ?? '', key)).toMatchObject({ accepted: false, calls: [] });
    }
  });

  it('does the same with the WebSocket of the newest Node LTS', async (context) => {
    const installed = spawnSync(process.execPath, [join(import.meta.dirname, '../../scripts/node-line.mjs')], { encoding: 'utf8' });
    if (installed.status !== 0) context.skip(`the newest Node LTS could not be installed: ${installed.stderr.trim()}`);
    const again = await runClient(test.daemon.websocketUrl ?? '', test.keys.sdk, installed.stdout.trim());
    const outcomes = (of: Run) => of.calls.map(({ method, response }) => [method, response.retType]);
    expect(outcomes(again)).toEqual(outcomes(run));
    expect(again.connectionId).not.toBe(run.connectionId);
  });

  it('is answered whatever it asks, and never left waiting', () => {
    expect(run.calls.length).toBeGreaterThan(120);
    for (const { method, sent, response } of run.calls) if (sent) expect([method, response.refused]).toEqual([method, undefined]);
    // The client has a method for a message that it does not have.
    expect(run.calls.filter(({ sent }) => !sent).map(({ method }) => method)).toEqual(['GetTradeDate']);
  });

  it('gets what it asks for from every operation that is declared', () => {
    for (const { method, given, sent, protocolId, response } of run.calls) {
      const declared = ids.operationsOf(protocolId).length > 0 || ofTheConnection.has(protocolId);
      if (!sent) continue;
      if (!declared) {
        expect([method, response.retType, response.retMsg]).toEqual([method, -1, `protocol id ${protocolId} is not supported`]);
        continue;
      }
      expect([method, response.retMsg]).not.toEqual([method, `protocol id ${protocolId} is not supported`]);
      if (!given) continue;
      expect([method, response.retType, response.retMsg ?? '']).toEqual([method, 0, '']);
      const expected = answers[method];
      if (expected !== undefined) expect([method, response.s2c]).toMatchObject([method, expected]);
    }
    const asked = new Set(run.calls.map(({ method }) => method));
    for (const method of Object.keys(answers)) expect(asked).toContain(method);
  });

  it('hears the pushes that it asked for', () => {
    const last = (command: number) => run.pushes.findLast((push) => push.command === command)?.response;
    expect(last(1003)).toMatchObject({ retType: 0 });
    expect(last(2208)).toMatchObject({ retType: 0, s2c: { order: { code: '00700' } } });
    expect(last(3005)).toMatchObject({ retType: 0, s2c: { basicQotList: [{ security: tencent }] } });
    expect(last(3011)).toMatchObject({ retType: 0, s2c: { security: tencent } });
    expect(last(3013)).toMatchObject({ retType: 0, s2c: { security: tencent } });
    expect(last(3019)).toMatchObject({ retType: 0, s2c: { security: tencent, note: 'conformance' } });
  });

  it('is described method by method in docs/compatibility.md (npx vitest run test/conformance -u writes it)', async () => {
    await expect(compatibilityPage(run.calls, ids)).toMatchFileSnapshot('../../docs/compatibility.md');
  });
});

function operationsOf(protocolId: number, ids: ProtocolIds): string[] {
  return ids
    .operationsOf(protocolId)
    .map(({ name }) => `\`${name}\``)
    .sort();
}

function notServed(methods: ReadonlyMap<number, readonly string[]>, ids: ProtocolIds): string[] {
  const ours = (protocolId: number) => ids.operationsOf(protocolId).length > 0 || ofTheConnection.has(protocolId);
  return [...methods].filter(([id]) => !ours(id)).flatMap(([id, names]) => names.map((name) => `\`${name}\` (${id})`));
}

/** The methods of the Python client that ask for each protocol id, as its own test found them. */
function pythonMethods(): ReadonlyMap<number, readonly string[]> {
  const asks = JSON.parse(readFileSync(join(import.meta.dirname, 'python/methods.json'), 'utf8')) as Readonly<Record<string, number>>;
  const byId = new Map<number, string[]>();
  for (const [method, protocolId] of Object.entries(asks)) byId.set(protocolId, [...(byId.get(protocolId) ?? []), method]);
  return byId;
}

function compatibilityPage(calls: readonly Call[], ids: ProtocolIds): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../node_modules/futu-api/package.json'), 'utf8'));
  const methods = new Map(calls.map((call) => [call.method, call]));
  const python = pythonMethods();
  const rows = [...methods.values()]
    .filter(({ sent }) => sent)
    .sort((a, b) => a.protocolId - b.protocolId || a.method.localeCompare(b.method));
  const methodsOf = (protocolId: number) => (python.get(protocolId) ?? []).map((name) => `\`${name}\``).join(', ');
  const served = rows.flatMap(({ method, protocolId, message }) => {
    const names = operationsOf(protocolId, ids);
    const special = ofTheConnection.get(protocolId);
    if (special !== undefined) names.push(special);
    return names.length === 0 ? [] : [`| \`${method}\` | ${methodsOf(protocolId)} | ${protocolId} | ${message} | ${names.join(', ')} |`];
  });
  const known = new Set(rows.map(({ protocolId }) => protocolId));
  for (const protocolId of [...python.keys()].filter((id) => !known.has(id)).sort((a, b) => a - b)) {
    const [operation] = ids.operationsOf(protocolId);
    if (operation === undefined) continue;
    const message = operation.messages.C2SSchema.typeName.replace(/\.C2S$/, '');
    served.push(`| | ${methodsOf(protocolId)} | ${protocolId} | ${message} | ${operationsOf(protocolId, ids).join(', ')} |`);
  }
  const others = rows.filter(({ protocolId }) => ids.operationsOf(protocolId).length === 0 && !ofTheConnection.has(protocolId));
  const text = (lines: string) => wrapped(lines.replaceAll('\n', ' ')).join('\n');
  return `# Compatibility

${text(`Programs written with the published clients of the public protocol run on this daemon unchanged: JavaScript over the core
WebSocket (\`--websocket-port\`), the others over core TCP (\`--api-port\`). How to connect is in [core.md](core.md).`)}

${text(`The test suite runs the unmodified npm package futu-api ${version} and, if it is next to the checkout, the unmodified Python
package futu-api 10.2.6208. It calls every method (the Python ones with their default arguments, in protobuf, in JSON and
encrypted), runs the published Python examples, and writes this page.`)}

- As in the protocol, only a connection that has subscribed can read live data: basic quotes, order books, tickers, RT,
  K-lines and brokers need \`Sub\` first.
- A write is identified by its \`packetID\`: sent twice, it executes once and returns the first answer. Give each write
  its own serial number.
- A 0 in an enumeration without a member 0 counts as not set, as the published clients intend: a filter without a
  market, or the market of a request that names securities. For a key with allowlists, such a request names no market.
- Subscribing to several symbols and types takes the pairs that exist; \`retMsg\` names those left out.
- \`GetFunds\` ignores the currency for single-currency accounts; \`funds.currency\` says which one the answer uses.
- Anything that a key may not do, or that is not served, is answered with \`retType\` -1 and a text.

## Served

| JavaScript | Python | protocol id | message | operation |
|---|---|---|---|---|
${served.join('\n')}

## Not served

These get \`retType\` -1, "not supported":

${text(`${others.map(({ method, protocolId }) => `\`${method}\` (${protocolId})`).join(', ')}.`)}

${text(`In the Python client: ${notServed(python, ids).join(', ')}.`)}
`;
}
