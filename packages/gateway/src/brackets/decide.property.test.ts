import { create } from '@bufbuild/protobuf';
import { C2SSchema } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Bracket, type Exit, newBracket } from './bracket.js';
import { afterExit, type ExitEnd, nextStep } from './decide.js';

const ONE = 1_000_000_000n;
const request = create(C2SSchema, {
  header: { trdEnv: 0, accID: 1n, trdMarket: 1 },
  trdSide: 1,
  orderType: 1,
  code: '00700',
  secMarket: 1,
  qty: 10,
  price: 100,
  takeProfitPrice: 110,
  stopLossPrice: 90,
});

const placed = {
  ...{ remark: 'x', idEx: 'x', price: 0n, trigger: 0n, moved: false, filled: 0n },
  ...{ cancelling: false, unconfirmed: 0n, told: '' },
};

const event = fc.record({
  kind: fc.constantFrom('entry fills', 'entry ends', 'exit fills', 'exit ends', 'exit fails', 'exit is cancelled', 'price', 'end'),
  qty: fc.integer({ min: 1, max: 4 }),
  price: fc.constantFrom(80, 90, 95, 105, 110, 120),
});

/** The brokerage's view of its exit order; the bracket hears of it later. */
interface Held {
  filled: bigint;
  readonly qty: bigint;
}

it('never has two exits in the market, and never closes more than the entry has filled', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let bracket: Bracket = { ...newBracket('b', null, request, 'r', 0), state: 'open', entryIdEx: 'e' };
      let held: Held | undefined;
      let [entryFilled, closed, last] = [0n, 0n, 0n];
      const over = (exit: Exit, by: ExitEnd['by']) => {
        bracket = afterExit(bracket, exit, { filled: held?.filled ?? 0n, by, why: 'refused' }, last);
        held = undefined;
      };
      const advance = () => {
        for (let steps = 0; steps < 10; steps += 1) {
          const step = nextStep(bracket, last);
          if (step.do === 'nothing') return;
          if (step.do === 'end') {
            expect(held).toBeUndefined();
            bracket = { ...bracket, state: step.state };
            return;
          }
          if (step.do === 'place') {
            expect(held).toBeUndefined();
            expect(closed + step.qty <= entryFilled).toBe(true);
            held = { filled: 0n, qty: step.qty };
            const { kind, reached, qty } = step;
            const exit: Exit = { ...placed, kind, reached, qty };
            bracket = { ...bracket, exit, exits: bracket.exits + 1 };
          } else if (bracket.exit !== undefined) bracket = { ...bracket, exit: { ...bracket.exit, cancelling: true } };
        }
        throw new Error('it never comes to rest');
      };
      for (const { kind, qty, price } of events) {
        const { exit } = bracket;
        if (kind === 'price') last = BigInt(price) * ONE;
        if (kind === 'end') bracket = { ...bracket, ending: true };
        if (kind === 'entry fills' && !bracket.entryOver) {
          entryFilled = entryFilled + BigInt(qty) * ONE < bracket.entryQty ? entryFilled + BigInt(qty) * ONE : bracket.entryQty;
          bracket = { ...bracket, entryFilled, entryOver: entryFilled === bracket.entryQty };
        }
        if (kind === 'entry ends') bracket = { ...bracket, entryOver: true };
        if (kind === 'exit fills' && held !== undefined && exit !== undefined) {
          // Also while its cancellation is on its way.
          const more = BigInt(qty) * ONE < held.qty - held.filled ? BigInt(qty) * ONE : held.qty - held.filled;
          held.filled += more;
          closed += more;
          if (held.filled === held.qty) over(exit, 'fills');
          else bracket = { ...bracket, exit: { ...exit, filled: held.filled } };
        }
        if (kind === 'exit ends' && held !== undefined && exit?.cancelling) over(exit, 'cancel');
        if (kind === 'exit fails' && held?.filled === 0n && exit !== undefined) over(exit, 'failure');
        if (kind === 'exit is cancelled' && held !== undefined && exit !== undefined) over(exit, 'cancel');
        advance();
        expect(closed <= entryFilled).toBe(true);
        if (bracket.state === 'closed') expect(closed).toBe(entryFilled);
      }
    }),
  );
});

/** One whose entry has filled. */
const open: Bracket = {
  ...newBracket('b', null, request, 'r', 0),
  state: 'open',
  entryIdEx: 'e',
  entryFilled: 10n * ONE,
  entryOver: true,
};
/** Its stop-loss at the brokerage. */
const exit: Exit = { ...placed, kind: 'stop', reached: false, qty: 10n * ONE };

it('rests its stop-loss at the brokerage, and exchanges it for the take-profit at its price', () => {
  expect(nextStep(open, 0n)).toEqual({ do: 'place', kind: 'stop', reached: false, qty: 10n * ONE });
  expect(nextStep({ ...open, exit }, 109n * ONE)).toEqual({ do: 'nothing' });
  expect(nextStep({ ...open, exit }, 110n * ONE)).toEqual({ do: 'cancel' });
  expect(nextStep({ ...open, exit: { ...exit, moved: true } }, 0n)).toEqual({ do: 'cancel' });
  // The brokerage's own stop order triggers by itself.
  expect(nextStep({ ...open, exit }, 90n * ONE)).toEqual({ do: 'nothing' });
  expect(nextStep(open, 110n * ONE)).toEqual({ do: 'place', kind: 'target', reached: false, qty: 10n * ONE });
  expect(nextStep({ ...open, exit: { ...exit, kind: 'target' } }, 95n * ONE)).toEqual({ do: 'nothing' });
  expect(nextStep({ ...open, exit: { ...exit, kind: 'target' } }, 90n * ONE)).toEqual({ do: 'cancel' });
  expect(nextStep({ ...open, exit: { ...exit, unconfirmed: 7n } }, 100n * ONE)).toEqual({ do: 'confirm' });
  expect(nextStep(open, 90n * ONE)).toEqual({ do: 'place', kind: 'stop', reached: true, qty: 10n * ONE });
  // Held here: the take-profit rests meanwhile.
  expect(nextStep({ ...open, stopHeld: true }, 100n * ONE)).toEqual({ do: 'place', kind: 'target', reached: false, qty: 10n * ONE });
});

it('goes on where the brokerage ends its stop-loss and says why, and ends where somebody else does', () => {
  // Its price went past what the order might trade at before a price was heard here.
  const unfilled = afterExit({ ...open, exit }, exit, { filled: 0n, by: 'cancel', why: 'could not be filled at once' }, 100n * ONE);
  expect(unfilled).toMatchObject({ ending: false, stopHeld: true, note: 'its stop-loss was cancelled: could not be filled at once' });
  expect(nextStep(unfilled, 80n * ONE)).toEqual({ do: 'place', kind: 'stop', reached: true, qty: 10n * ONE });
  const ended = afterExit({ ...open, exit }, exit, { filled: 0n, by: 'cancel', why: '' }, 100n * ONE);
  expect(nextStep(ended, 80n * ONE)).toEqual({ do: 'end', state: 'cancelled' });
});

it('leaves an exit for whole lots that has filled in part, and ends with what is less than a lot', () => {
  const inLots: Bracket = { ...open, entryFilled: 11n * ONE, lot: 5n * ONE };
  expect(nextStep(inLots, 0n)).toEqual({ do: 'place', kind: 'stop', reached: false, qty: 10n * ONE });
  expect(nextStep({ ...inLots, exit: { ...exit, filled: 3n * ONE } }, 0n)).toEqual({ do: 'nothing' });
  expect(nextStep({ ...inLots, closed: 10n * ONE }, 0n)).toEqual({ do: 'end', state: 'closed' });
});
