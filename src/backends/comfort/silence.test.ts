import { create } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../contract/clock.js';
import { S2CSchema } from '../../contract/generated/GetGlobalState_pb.js';
import type { QuoteStream } from '../../gateway/backend.js';
import { SilenceWatch } from './silence.js';

const START = Date.UTC(2026, 0, 5, 2);
const MINUTE = 60_000;
const MORNING = 3;
const REST = 4;

const stream = (symbol: string): QuoteStream => ({ symbol, subType: 1, rehabType: 0, extendedTime: false });
const streams = [stream('HK.00700'), stream('US.AAPL')];
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
    watch.heard('HK.00700');
    clock.advance(MINUTE - 1);
    expect(watch.look(streams, open)).toBeUndefined();
    expect(watch.dueMs()).toBe(1);
    clock.advance(1);
    expect(watch.look(streams, open)).toEqual({ market: 'HK', since: START, lasting: false });
    clock.advance(MINUTE / 2 - 1);
    expect(watch.look([stream('HK.00700')], open)).toBeUndefined();
    expect(watch.dueMs()).toBe(1);
    clock.advance(1);
    expect(watch.look(streams, open)).toEqual({ market: 'HK', since: START, lasting: true });
  });

  it('says of a market that speaks at once after that since when it was silent, and of one that speaks later that it is quiet', () => {
    watch.heard('HK.00700');
    clock.advance(MINUTE);
    watch.look(streams, open);
    clock.advance(5_000);
    expect(watch.heard('HK.00700')).toEqual({ market: 'HK', since: START, lasting: false });
    expect(watch.heard('HK.00700')).toBeUndefined();
    // It trades every 80 seconds: that is no reason for another connection.
    for (let trade = 0; trade < 10; trade += 1) {
      for (let second = 0; second < 80; second += 10) {
        clock.advance(10_000);
        expect(watch.look([stream('HK.00700')], open)?.lasting).not.toBe(true);
      }
      expect(watch.heard('HK.00700')).toBeUndefined();
    }
  });

  it('waits longer each time where another connection was of no use, until the market has been sound for a minute', () => {
    const silentFor = (minutes: number) => {
      watch.reset();
      watch.heard('HK.00700');
      clock.advance(minutes * MINUTE);
      return watch.look(streams, open)?.lasting;
    };
    expect(silentFor(1.5)).toBe(true);
    expect(silentFor(1.5)).toBe(false);
    expect(silentFor(3)).toBe(true);
    expect(silentFor(5.5)).toBe(false);
    watch.reset();
    for (let second = 0; second <= 60; second += 10) {
      watch.heard('HK.00700');
      clock.advance(10_000);
    }
    expect(silentFor(1.5)).toBe(true);
  });

  it('goes by the connection too: a market that spoke on an earlier one has to speak anew, as has one where nothing speaks', () => {
    watch.heard('HK.00700');
    watch.reset();
    watch.look(streams, open);
    clock.advance(1.5 * MINUTE);
    expect(watch.look([stream('HK.00700')], open)).toMatchObject({ market: 'HK', lasting: true });
    const mute = new SilenceWatch(clock);
    mute.look(streams, open);
    clock.advance(1.5 * MINUTE);
    expect(mute.look(streams, open)).toMatchObject({ lasting: true });
    // Where others speak, there may be no right to its quotes.
    mute.reset();
    mute.look(streams, open);
    clock.advance(10 * MINUTE);
    mute.heard('US.AAPL');
    expect(mute.look(streams, open)).toMatchObject({ market: 'HK', lasting: false });
    clock.advance(10 * MINUTE);
    mute.heard('US.AAPL');
    expect(mute.look(streams, open)).toBeUndefined();
  });

  it('says nothing of markets that rest or that nobody wants, nor counts the time that they rest', () => {
    watch.heard('HK.00700');
    clock.advance(10 * MINUTE);
    expect(watch.look(streams, lunch)).toBeUndefined();
    expect(watch.look([], open)).toBeUndefined();
    clock.advance(MINUTE - 1);
    expect(watch.look(streams, open)).toBeUndefined();
    clock.advance(1);
    expect(watch.look(streams, open)).toMatchObject({ market: 'HK', lasting: false });
  });
});
