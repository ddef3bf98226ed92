import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { S2CSchema } from '@svc-gateway/contract/generated/GetGlobalState_pb';
import type { QuoteStream } from '@svc-gateway/gateway/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import { SilenceWatch } from './silence-watch.js';

const START = Date.UTC(2026, 0, 5, 2);
const MINUTE = 60_000;
const MORNING = 3;
const REST = 4;

const BOOK = 2;

const stream = (symbol: string, subType = 1): QuoteStream => ({ symbol, subType, rehabType: 0, extendedTime: false });
const [tencent, apple] = [stream('HK.00700'), stream('US.AAPL')];
const streams = [tencent, apple];
const open = create(S2CSchema, { marketHK: MORNING, marketUS: MORNING });
const lunch = create(S2CSchema, { marketHK: REST });

describe('the watch over silence', () => {
  let clock: ManualClock;
  let watch: SilenceWatch;
  beforeEach(() => {
    clock = new ManualClock(START);
    watch = new SilenceWatch(clock);
  });

  it('has a market that trades and fell silent subscribed to again, and gives the connection up where that is no help', () => {
    watch.heard(tencent);
    clock.advance(MINUTE - 1);
    expect(watch.look(streams, open)).toBeUndefined();
    expect(watch.dueMs()).toBe(1);
    clock.advance(1);
    expect(watch.look(streams, open)).toEqual({ market: 'HK', subType: undefined, since: START, lasting: false });
    clock.advance(MINUTE / 2 - 1);
    expect(watch.look([tencent], open)).toBeUndefined();
    expect(watch.dueMs()).toBe(1);
    clock.advance(1);
    expect(watch.look(streams, open)).toEqual({ market: 'HK', subType: undefined, since: START, lasting: true });
  });

  it('says of a market that speaks at once after that since when it was silent, and of one that speaks later that it is quiet', () => {
    watch.heard(tencent);
    clock.advance(MINUTE);
    watch.look(streams, open);
    clock.advance(5_000);
    expect(watch.heard(tencent)).toEqual({ market: 'HK', subType: undefined, since: START, lasting: false });
    expect(watch.heard(tencent)).toBeUndefined();
    // It trades every 80 seconds: that is no reason for another connection.
    for (let trade = 0; trade < 10; trade += 1) {
      for (let second = 0; second < 80; second += 10) {
        clock.advance(10_000);
        expect(watch.look([tencent], open)?.lasting).not.toBe(true);
      }
      expect(watch.heard(tencent)).toBeUndefined();
    }
  });

  it('waits longer each time where another connection was of no use, until the market has been sound for a minute', () => {
    const silentFor = (minutes: number) => {
      watch.reset();
      watch.heard(tencent);
      clock.advance(minutes * MINUTE);
      return watch.look(streams, open)?.lasting;
    };
    expect(silentFor(1.5)).toBe(true);
    expect(silentFor(1.5)).toBe(false);
    expect(silentFor(3)).toBe(true);
    expect(silentFor(5.5)).toBe(false);
    watch.reset();
    for (let second = 0; second <= 60; second += 10) {
      watch.heard(tencent);
      clock.advance(10_000);
    }
    expect(silentFor(1.5)).toBe(true);
  });

  it('goes by the connection too: a market that spoke on an earlier one has to speak anew, as has one where nothing speaks', () => {
    watch.heard(tencent);
    watch.reset();
    watch.look(streams, open);
    clock.advance(1.5 * MINUTE);
    expect(watch.look([tencent], open)).toMatchObject({ market: 'HK', lasting: true });
    const mute = new SilenceWatch(clock);
    mute.look(streams, open);
    clock.advance(1.5 * MINUTE);
    expect(mute.look(streams, open)).toMatchObject({ lasting: true });
    // Where others speak, there may be no right to its quotes.
    mute.reset();
    mute.look(streams, open);
    clock.advance(10 * MINUTE);
    mute.heard(apple);
    expect(mute.look(streams, open)).toMatchObject({ market: 'HK', lasting: false });
    clock.advance(10 * MINUTE);
    mute.heard(apple);
    expect(mute.look(streams, open)).toBeUndefined();
  });

  it('ignores closed and unwanted markets, and does not count the time that they are closed', () => {
    watch.heard(tencent);
    clock.advance(10 * MINUTE);
    expect(watch.look(streams, lunch)).toBeUndefined();
    expect(watch.look([], open)).toBeUndefined();
    clock.advance(MINUTE - 1);
    expect(watch.look(streams, open)).toBeUndefined();
    clock.advance(1);
    expect(watch.look(streams, open)).toMatchObject({ market: 'HK', lasting: false });
  });

  describe('a kind of stream that is silent while others of its market speak', () => {
    const book = stream('HK.00700', BOOK);
    const wanted = [tencent, book, stream('US.AAPL', BOOK)];
    /** Quotes go on for so many seconds; the moments (in seconds) at which the book was subscribed to again. */
    const quotesFor = (seconds: number) => {
      const asked: number[] = [];
      for (let second = 1; second <= seconds; second += 1) {
        clock.advance(1_000);
        watch.heard(tencent);
        const silence = watch.look(wanted.slice(0, 2), open);
        if (silence === undefined) continue;
        expect(silence).toMatchObject({ market: 'HK', subType: BOOK, lasting: false });
        asked.push(second);
      }
      return asked;
    };

    it('is subscribed to again after a minute, and told since when it was silent', () => {
      watch.heard(book);
      expect(quotesFor(59)).toEqual([]);
      expect(quotesFor(1)).toEqual([1]);
      clock.advance(5_000);
      expect(watch.heard(book)).toEqual({ market: 'HK', subType: BOOK, since: START, lasting: false });
      expect(watch.heard(book)).toBeUndefined();
    });

    it('is left alone for twice as long each time that it stays silent, an hour at most, and never costs the connection', () => {
      watch.heard(book);
      expect(quotesFor(4 * 3_600)).toEqual([60, 180, 420, 900, 1_860, 3_780, 7_380, 10_980]);
    });

    it('is resubscribed once, not each time, if it often falls silent by itself', () => {
      watch.heard(book);
      let asked = 0;
      for (let round = 0; round < 20; round += 1) {
        asked += quotesFor(100).length;
        expect(watch.heard(book)).toBeUndefined();
      }
      expect(asked).toBe(1);
    });

    it('is looked for while its market trades and it is wanted, and is none where all of the market is silent', () => {
      watch.heard(book);
      for (let second = 0; second < 600; second += 10) {
        clock.advance(10_000);
        watch.heard(tencent);
        expect(watch.look(second % 20 === 0 ? wanted : [tencent], lunch)).toBeUndefined();
      }
      clock.advance(MINUTE);
      expect(watch.look(wanted.slice(0, 2), open)).toMatchObject({ market: 'HK', subType: undefined });
    });
  });
});
