import { EventEmitter } from 'node:events';
import { status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { StandingStreams } from './standing-streams.js';

class Call extends EventEmitter {
  ended = false;
  end(): void {
    this.ended = true;
  }
}

it('keeps so many watches and reflections, refuses more until one goes, and ends them all', () => {
  const standing = new StandingStreams(2);
  const served: Call[] = [];
  const open = standing.tracked((call: Call) => served.push(call));
  const [first, second, third, fourth] = [new Call(), new Call(), new Call(), new Call()];
  const refusals: unknown[] = [];
  for (const call of [third, fourth]) call.on('error', (refused) => refusals.push(refused));
  for (const call of [first, second, third]) open(call);
  expect(served).toEqual([first, second]);
  expect(refusals).toEqual([{ code: status.RESOURCE_EXHAUSTED, details: 'at most 2 watches and reflections are served at a time' }]);
  first.emit('cancelled');
  open(fourth);
  expect(served).toEqual([first, second, fourth]);
  standing.end();
  expect([first, second, third, fourth].map(({ ended }) => ended)).toEqual([false, true, false, true]);
});
