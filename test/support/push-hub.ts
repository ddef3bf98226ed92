import { ManualClock } from '@svc-gateway/contract/clock';
import { PushHub } from '../../packages/gateway/src/push/hub.js';
import type { ConnectOptions } from '../../packages/gateway/src/push/member.js';
import { FakeBackend, FakeSink, lineFormat, notify, turn } from './push-fakes.js';

/** When the clock of {@link hubSetUp} starts: in Hong Kong's trading hours. */
export const HUB_START = Date.UTC(2026, 7, 3, 2);

/** Throws what a hub takes for a defect, so that the test fails. */
export const rethrow = (error: unknown) => {
  throw error;
};

/** The price of a quote's frame. */
export const mark = (frame: unknown) => (frame as { body: { basic_qot_list: { cur_price: number }[] } }).body.basic_qot_list[0]?.cur_price;

/** A hub over a fake backend, with connections whose sinks keep what they are sent. */
export function hubSetUp(maxBacklogBytes?: number) {
  const backend = new FakeBackend();
  const clock = new ManualClock(HUB_START);
  const hub = new PushHub({ backend, onDefect: rethrow, clock, ...(maxBacklogBytes === undefined ? {} : { maxBacklogBytes }) });
  const format = lineFormat();
  const join = (options: Partial<ConnectOptions> = {}) => {
    const sink = new FakeSink();
    const all = { iface: 'ws', owner: 'key:a', permits: () => true, format, ...options } as const;
    return { sink, connection: hub.connect({ ...all, sink }) };
  };
  /** Lets everything leave that waits for the end of the turn or of a gathering. */
  const settle = async () => {
    await turn();
    clock.advance(1);
  };
  /** A connection whose socket takes nothing more, at number 1. */
  const joinStuck = async (options: Partial<ConnectOptions> = {}) => {
    const joined = join(options);
    joined.sink.stuck = true;
    joined.sink.bufferedBytes = 64 * 1024;
    backend.push(notify('the write that fills the buffer'));
    await settle();
    return joined;
  };
  return { backend, clock, hub, join, joinStuck, settle };
}
