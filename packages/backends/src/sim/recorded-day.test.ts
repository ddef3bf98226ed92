import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clone, create, toBinary, toJson } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import type { BasicQot } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import { TrdMarket, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import type { Backend, PushEvent, QuotePush, QuoteStream, StreamScope, StreamsListener, StreamsLost } from '@svc-gateway/gateway/backend';
import { pushMessagesOf } from '@svc-gateway/gateway/push';
import { Recorder, recordedBackend } from '@svc-gateway/recording';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, FIXTURE_TIME, payload, security, startFixture } from '../../../../test/support/sim-backend.js';
import { until } from '../../../../test/support/until.js';
import { RecordedDay } from './index.js';

const ACCOUNT = 281756478396547001n;
const HALF_MS = 60_000;
const header = { trdEnv: 0, accID: ACCOUNT, trdMarket: TrdMarket.TrdMarket_HK };
const tencent = security('HK.00700');
const streams: readonly QuoteStream[] = ['HK.00700', 'HK.00005'].flatMap((symbol) => [
  ...[1, 2, 4, 5, 11, 14].map((subType) => ({ symbol, subType, rehabType: subType === 11 ? 1 : 0, extendedTime: false })),
  { symbol, subType: 2, rehabType: 0, extendedTime: false, orderDetail: true },
]);

let folder: string;
/** Pushes of the recorded session, and its state halfway. */
let pushed: readonly string[];
let middle: { readonly pushes: number; readonly quote: unknown; readonly book: unknown; readonly capitalFlow: unknown };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorded-day-'));
  const { backend, clock, pushes } = await startFixture({ calendarMode: 'calendar', seed: 'the day' });
  const recorder = new Recorder({ folder, clock, accountData: false, report: () => {} });
  await recorder.start();
  const recorded = recordedBackend(backend, recorder, clock, false);
  await recorded.subscribe(streams);
  clock.advance(HALF_MS);
  middle = {
    pushes: quotesOf(pushes).length,
    quote: await payload(recorded, quote.getQuote, { securityList: [tencent] }),
    book: await payload(recorded, quote.getOrderBook, { security: tencent, num: 10 }),
    capitalFlow: await payload(recorded, quote.getCapitalFlow, { security: tencent }),
  };
  clock.advance(HALF_MS);
  pushed = quotesOf(pushes);
  await recorder.close();
  await backend.stop();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A session of another seed, in which the recorded day is played from `start` on. */
async function played(start: number) {
  const recordedDay = await RecordedDay.open(folder, start);
  const clock = new ManualClock(start);
  return startFixture({ calendarMode: 'calendar', seed: 'another', clock, recordedDay, recorded: recordedDay.symbols });
}

describe('a recorded day', () => {
  it('replays the recorded pushes in the same order, to the last field', async () => {
    const { backend, clock, pushes } = await played(FIXTURE_TIME);
    await backend.subscribe(streams);
    clock.advance(2 * HALF_MS);
    await until(() => quotesOf(pushes).length >= pushed.length, 'the whole day');
    expect(quotesOf(pushes)).toEqual(pushed);
    expect(pushed.length).toBeGreaterThan(300);
    await backend.stop();
  });

  it('started midway, shows the state of that moment', async () => {
    const { backend, clock, pushes } = await played(FIXTURE_TIME + HALF_MS);
    expect(await payload(backend, quote.getQuote, { securityList: [tencent] })).toEqual(middle.quote);
    const { orderBookBidList, orderBookAskList } = await payload(backend, quote.getOrderBook, { security: tencent, num: 10 });
    expect({ orderBookBidList, orderBookAskList }).toEqual(pick(middle.book));
    expect(await payload(backend, quote.getCapitalFlow, { security: tencent })).toEqual(middle.capitalFlow);
    await backend.subscribe(streams);
    clock.advance(HALF_MS);
    await until(() => quotesOf(pushes).length >= pushed.length - middle.pushes, 'the second half');
    expect(quotesOf(pushes)).toEqual(pushed.slice(middle.pushes));
    await backend.stop();
  });

  it('announces the recorded gaps on the affected streams', async () => {
    const gapped = await mkdtemp(join(tmpdir(), 'recorded-day-'));
    const session = await startFixture({ calendarMode: 'calendar', seed: 'the day' });
    const recorder = new Recorder({ folder: gapped, clock: session.clock, accountData: false, report: () => {} });
    await recorder.start();
    const listeners: StreamsListener[] = [];
    const onStreams = (listener: StreamsListener) => {
      listeners.push(listener);
      return () => undefined;
    };
    const losing = Object.assign(Object.create(session.backend) as Backend, {
      onStreams,
      onPush: session.backend.onPush.bind(session.backend),
    });
    recordedBackend(losing, recorder, session.clock, false);
    await session.backend.subscribe(streams);
    const [first, ...rest] = streams;
    const lose = async (scope: StreamScope, reason: string) => {
      session.clock.advance(5_000);
      for (const listener of listeners) listener.lost({ ...scope, from: session.clock.now(), reason });
      session.clock.advance(5_000);
      for (const listener of listeners) await listener.restore(scope);
    };
    await lose({ streams: 'all', accIds: 'all' }, 'the line was cut');
    await lose({ streams: first === undefined ? [] : [first], accIds: [] }, 'the server forgot it');
    session.clock.advance(5_000);
    await recorder.close();
    await session.backend.stop();

    const recordedDay = await RecordedDay.open(gapped, FIXTURE_TIME);
    const playing = { clock: new ManualClock(FIXTURE_TIME), recordedDay, recorded: recordedDay.symbols };
    const { backend, clock } = await startFixture({ calendarMode: 'calendar', seed: 'another', ...playing });
    const lost: StreamsLost[] = [];
    backend.onStreams({ lost: (loss) => lost.push(loss), restore: async () => {} });
    await backend.subscribe(streams);
    clock.advance(HALF_MS);
    await until(() => lost.length === 2, 'both gaps');
    expect(lost.map(({ streams: of, from, reason }) => [of.length, from - FIXTURE_TIME, reason])).toEqual([
      [1 + rest.length, 5_000, 'when this was recorded: the line was cut'],
      [1, 15_000, 'when this was recorded: the server forgot it'],
    ]);
    await backend.stop();
    await rm(gapped, { recursive: true });
  });

  it('lists and answers symbols that the simulation lacks', async () => {
    const strange = await mkdtemp(join(tmpdir(), 'recorded-day-'));
    const session = await startFixture({ calendarMode: 'calendar' });
    const recorder = new Recorder({ folder: strange, clock: session.clock, accountData: false, report: () => {} });
    await recorder.start();
    const stranger = security('HK.01234');
    const asked = { securityList: [stranger] };
    let then: BasicQot | undefined;
    session.backend.onPush((event) => {
      if (event.type !== 'quote') return;
      const message = clone(QotUpdateBasicQot.ResponseSchema, event.message as QotUpdateBasicQot.Response);
      const [basic] = message.s2c?.basicQotList ?? [];
      if (basic !== undefined) Object.assign(basic, { security: stranger, name: 'STRANGER', listTime: '2019-05-06' });
      then = basic;
      recorder.push({ ...event, stream: { ...event.stream, symbol: 'HK.01234' }, secKey: '1_01234', message });
    });
    await session.backend.subscribe([{ symbol: 'HK.00005', subType: 1, rehabType: 0, extendedTime: false }]);
    const { staticInfoList: like } = await payload(session.backend, quote.getStaticInfo, { securityList: [security('HK.00005')] });
    const told = { ...like[0]?.basic, security: stranger, name: 'STRANGER', listTime: '2019-05-06', lotSize: 300 };
    const { ResponseSchema, C2SSchema } = quote.getStaticInfo.messages;
    const answer = create(ResponseSchema, { retType: 0, s2c: { staticInfoList: [{ basic: told }] } } as never);
    recorder.answer(quote.getStaticInfo.name, toBinary(C2SSchema, create(C2SSchema, asked)), answer);
    session.clock.advance(HALF_MS);
    await recorder.close();
    await session.backend.stop();

    const recordedDay = await RecordedDay.open(strange, FIXTURE_TIME + HALF_MS);
    const clock = new ManualClock(FIXTURE_TIME + HALF_MS);
    const { backend } = await startFixture({
      calendarMode: 'calendar',
      seed: 'another',
      clock,
      recordedDay,
      recorded: recordedDay.symbols,
    });
    expect((await payload(backend, quote.getQuote, asked)).basicQotList).toEqual([then]);
    const { staticInfoList } = await payload(backend, quote.getStaticInfo, { market: 1, secType: 3 });
    const listed = staticInfoList.find(({ basic }) => basic?.security?.code === '01234');
    expect(listed?.basic).toMatchObject({ name: 'STRANGER', lotSize: 300, listTime: '2019-05-06' });
    const [{ basic } = {}] = (await payload(backend, quote.getSnapshot, asked)).snapshotList;
    expect(basic).toMatchObject({ lotSize: 300, curPrice: then?.curPrice });
    await backend.stop();
    await rm(strange, { recursive: true });
  });

  it('lets a bot trade against its book, and goes on as it went', async () => {
    const { backend, clock, pushes } = await played(FIXTURE_TIME + HALF_MS);
    await backend.subscribe(streams);
    const best = (await payload(backend, quote.getOrderBook, { security: tencent, num: 1 })).orderBookAskList[0];
    const order = { header, trdSide: TrdSide.TrdSide_Buy, code: '00700', secMarket: 1, orderType: 2, qty: 100 };
    const { orderID } = await payload(backend, trade.placeOrder, { ...order, packetID: { connID: 1n, serialNo: 1 } });
    clock.advance(2_000);
    const fills = await until(async () => {
      const { orderFillList } = await payload(backend, account.getDeals, { header });
      return orderFillList.length > 0 && orderFillList;
    }, 'the fill');
    expect(fills).toMatchObject([{ orderID, price: best?.price, qty: 100 }]);
    // One that rests shows in the book, below what was recorded of it.
    const price = Math.floor((best?.price ?? 0) * 0.97);
    const resting = { ...order, orderType: 1, price, packetID: { connID: 1n, serialNo: 2 } };
    expect(await call(backend, trade.placeOrder, resting)).toMatchObject({ retType: 0 });
    clock.advance(1_000);
    const { orderBookBidList } = await payload(backend, quote.getOrderBook, { security: tencent, num: 40 });
    expect(orderBookBidList.at(-1)).toMatchObject({ price, volume: 100n, orederCount: 1 });
    clock.advance(HALF_MS);
    await until(() => quotesOf(pushes).length >= pushed.length - middle.pushes, 'the second half');
    expect(quotesOf(pushes)).toEqual(pushed.slice(middle.pushes));
    await backend.stop();
  });
});

function quotesOf(pushes: readonly PushEvent[]): string[] {
  return pushes
    .filter((event): event is QuotePush => event.type === 'quote')
    .map((event) => JSON.stringify([event.stream, event.secKey, toJson(pushMessagesOf(event.protoId).ResponseSchema, event.message)]));
}

function pick(book: unknown) {
  const { orderBookBidList, orderBookAskList } = book as { orderBookBidList: unknown; orderBookAskList: unknown };
  return { orderBookBidList, orderBookAskList };
}
