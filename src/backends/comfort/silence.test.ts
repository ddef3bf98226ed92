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

  it('asks once about a market that trades and fell silent, and gives the connection up where that is not enough', () => {
    watch.heard('HK.00700');
    clock.advance(MINUTE - 1);
    expect(watch.look(streams, open)).toBeUndefined();
    clock.advance(1);
    expect(watch.look(streams, open)).toEqual({ market: 'HK', since: START, lasting: false });
    clock.advance(MINUTE);
    expect(watch.look(streams, open)).toBeUndefined();
    clock.advance(MINUTE);
    expect(watch.look(streams, open)).toEqual({ market: 'HK', since: START, lasting: true });
  });

  it('waits longer each time where that was of no use, until something comes', () => {
    const silentFor = (minutes: number) => {
      watch.reset();
      watch.heard('HK.00700');
      clock.advance(minutes * MINUTE);
      return watch.look(streams, open)?.lasting;
    };
    expect(silentFor(3)).toBe(true);
    expect(silentFor(3)).toBe(false);
    expect(silentFor(6)).toBe(true);
    expect(silentFor(11)).toBe(false);
    // The market was asked about, and then spoke: it is not for nothing that one waits.
    watch.heard('HK.00700');
    expect(silentFor(3)).toBe(true);
  });

  it('says nothing of markets that rest, that nobody wants, or that never spoke', () => {
    watch.heard('HK.00700');
    clock.advance(10 * MINUTE);
    expect(watch.look(streams, lunch)).toBeUndefined();
    expect(watch.look([stream('US.AAPL')], open)).toBeUndefined();
    expect(watch.look([], open)).toBeUndefined();
  });
});
