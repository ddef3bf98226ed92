import { expect, it } from 'vitest';
import { Backoff } from './backoff.js';
import type { Fields } from './json.js';
import { type SocketEvents, Stream, type StreamState } from './stream.js';

/** A stream whose time, chance and daemon are the test's. */
function opened(random = 0.5) {
  let now = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const sockets: { events: SocketEvents; sent: { op: string; symbols?: string[]; id: number }[]; closed: boolean }[] = [];
  const seen = { states: [] as StreamState[], frames: [] as Fields[], refused: [] as string[], gaps: 0 };
  const stream = new Stream(
    {
      open: (events) => {
        const socket = { events, sent: [] as (typeof sockets)[0]['sent'], closed: false };
        sockets.push(socket);
        return {
          send: (text) => void socket.sent.push(JSON.parse(text)),
          close: () => {
            socket.closed = true;
          },
        };
      },
      now: () => now,
      random: () => random,
      after: (milliseconds, callback) => {
        const timer = { at: now + milliseconds, callback };
        timers.push(timer);
        return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
      },
    },
    {
      onState: (state) => seen.states.push(state),
      onFrame: (frame) => seen.frames.push(frame),
      onRefused: (symbol, words) => seen.refused.push(`${symbol}: ${words}`),
      onGap: () => {
        seen.gaps += 1;
      },
    },
  );
  const pass = (milliseconds: number) => {
    const end = now + milliseconds;
    for (;;) {
      const due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers.splice(timers.indexOf(due), 1);
      now = due.at;
      due.callback();
    }
    now = end;
  };
  const tell = (frame: object) => sockets.at(-1)!.events.onMessage(JSON.stringify(frame));
  return { stream, seen, sockets, timers, pass, tell, last: () => sockets.at(-1)! };
}

it('subscribes to what is wanted once it is open, and again over the next connection', () => {
  const { stream, last, pass, sockets } = opened();
  stream.subscribe('HK.00700');
  stream.start();
  expect(last().sent).toEqual([]);
  last().events.onOpen();
  stream.subscribe('US.AAPL');
  stream.unsubscribe('HK.00700');
  expect(last().sent.map(({ op, symbols }) => `${op} ${symbols}`)).toEqual([
    'subscribe HK.00700',
    'subscribe US.AAPL',
    'unsubscribe HK.00700',
  ]);
  last().events.onClose(1006, '');
  expect(stream.state).toEqual({ kind: 'waiting', until: 250, why: 'the connection was lost' });
  pass(250);
  expect(sockets).toHaveLength(2);
  last().events.onOpen();
  expect(last().sent.map(({ op, symbols }) => `${op} ${symbols}`)).toEqual(['subscribe US.AAPL']);
});

it('takes a connection that fell silent for dead, though nobody closed it', () => {
  const { stream, last, pass, tell, sockets } = opened();
  stream.start();
  last().events.onOpen();
  pass(10_000);
  expect(last().sent.map(({ op }) => op)).toEqual(['ping']);
  tell({ type: 'ack', id: 1, op: 'ping', ret_type: 0 });
  pass(10_000);
  expect(stream.state.kind).toBe('live');
  // The second ping stays unanswered.
  pass(8_000);
  expect(stream.state).toMatchObject({ kind: 'waiting', why: 'the stream fell silent' });
  expect(sockets[0]!.closed).toBe(true);
});

it('tells nothing more of a connection that it gave up', () => {
  const { stream, seen, last, pass, sockets } = opened();
  stream.start();
  pass(10_000);
  expect(stream.state).toMatchObject({ kind: 'waiting', why: 'no answer from the daemon' });
  const [first] = sockets;
  pass(1000);
  last().events.onOpen();
  first!.events.onMessage('{"type":"quote","seq":1}');
  first!.events.onClose(4401, 'revoked');
  expect([seen.frames, stream.state.kind]).toEqual([[], 'live']);
});

it('does not come back by itself when the key was the reason', () => {
  const { stream, last, pass, sockets, timers } = opened();
  stream.start();
  last().events.onOpen();
  last().events.onClose(4401, 'key revoked');
  expect(stream.state).toEqual({ kind: 'refused', why: 'key revoked' });
  pass(600_000);
  expect([sockets.length, timers.length]).toEqual([1, 0]);
  stream.start();
  expect(sockets).toHaveLength(2);
});

it('says which symbol was refused, in the daemon’s words, and when frames are missing', () => {
  const { stream, seen, last, tell } = opened();
  stream.subscribe('US.AAPL');
  stream.subscribe('HK.00700');
  stream.start();
  last().events.onOpen();
  tell({ type: 'ack', id: 1, op: 'subscribe', ret_type: -1, ret_msg: 'market US is not allowed' });
  tell({ type: 'ack', id: 2, op: 'subscribe', ret_type: 0 });
  expect(seen.refused).toEqual(['US.AAPL: market US is not allowed']);
  for (const seq of [7, 8, 10]) tell({ type: 'quote', seq });
  expect([seen.frames.map(({ seq }) => seq), seen.gaps]).toEqual([[7, 8, 10], 1]);
});

it('leaves no timer and no connection behind when it stops', () => {
  const { stream, last, timers } = opened();
  stream.start();
  last().events.onOpen();
  stream.stop();
  expect([last().closed, timers.length, stream.state.kind]).toEqual([true, 0, 'off']);
});

it('waits from half a second up to half a minute, drawn from the whole range', () => {
  const longest = new Backoff(() => 1);
  expect(Array.from({ length: 9 }, () => longest.next())).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  longest.reset();
  expect(longest.next()).toBe(500);
  expect(new Backoff(() => 0).next()).toBe(0);
});

it('begins with short pauses again once a connection has held, and only then', () => {
  const { stream, last, pass } = opened(0.999);
  const lose = () => {
    last().events.onClose(1006, '');
    const { state } = stream;
    return state.kind === 'waiting' ? state.until : 0;
  };
  stream.start();
  last().events.onOpen();
  const first = lose();
  expect(first).toBe(500);
  pass(500);
  last().events.onOpen();
  expect(lose() - 500).toBe(999);
  pass(999);
  last().events.onOpen();
  pass(10_000);
  last().events.onMessage('{"type":"notify","seq":1}');
  expect(lose() - 11_499).toBe(500);
});
