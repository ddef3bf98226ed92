import type { Decimal } from '@svc-gateway/contract/decimal';
import { type Bracket, type Exit, type ExitKind, exitBuys, isActive, nameOf, sellable } from './bracket.js';

/** The next step for a bracket. */
export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'cancel' }
  | { readonly do: 'confirm' }
  | { readonly do: 'place'; readonly kind: ExitKind; readonly reached: boolean; readonly qty: Decimal }
  | { readonly do: 'end'; readonly state: 'closed' | 'cancelled' };

const nothing: Step = { do: 'nothing' };

/**
 * The next step of a bracket, from what is known of its orders and the last price (0 where none is known). There is at most one exit at a
 * time, for exactly what the entry has filled and nobody has closed, or the whole lots of that; another is placed only once the one before it is over. So two
 * exits can never fill together, however orders, fills and cancels race.
 *
 * @param confirmed how much of the position is known to be there: no exit is for more. Left out where lists of positions are never behind.
 */
export function nextStep(bracket: Bracket, last: Decimal, confirmed?: Decimal): Step {
  if (!isActive(bracket) || bracket.state === 'placing') return nothing;
  const { exit, entryFilled, entryOver, ending } = bracket;
  // The exit is in flight, or its outcome is unknown.
  if (exit !== undefined && exit.idEx === '') return nothing;
  if (exit?.cancelling) return nothing;
  if (ending) return exit === undefined ? { do: 'end', state: 'cancelled' } : { do: 'cancel' };
  const all = sellable(bracket);
  if (all <= 0n) {
    if (exit !== undefined && exit.filled < exit.qty) return { do: 'cancel' };
    return entryOver && exit === undefined ? { do: 'end', state: entryFilled > 0n ? 'closed' : 'cancelled' } : nothing;
  }
  const wanted = wantedExit(bracket, last);
  const open = sellable(bracket, confirmed);
  if (exit === undefined) return wanted === undefined || open <= 0n ? nothing : { do: 'place', ...wanted, qty: open };
  const left = exit.qty - exit.filled;
  if (wanted?.kind !== exit.kind || left < open || left > all || exit.moved) return { do: 'cancel' };
  return exit.unconfirmed === 0n ? nothing : { do: 'confirm' };
}

/** The exit that should be in the market: the stop-loss where the brokerage takes it, as it protects while nobody watches. */
function wantedExit(bracket: Bracket, last: Decimal): { readonly kind: ExitKind; readonly reached: boolean } | undefined {
  const { exit, takeProfit, stopLoss, stopHeld } = bracket;
  if (isStopReached(bracket, last)) return { kind: 'stop', reached: true };
  if (isTargetReached(bracket, last)) return { kind: 'target', reached: false };
  // A profit that was nearly taken stays to be taken: only the stop-loss price changes that.
  if (exit?.kind === 'target') return { kind: 'target', reached: false };
  if (stopLoss > 0n && !stopHeld) return { kind: 'stop', reached: false };
  return takeProfit > 0n ? { kind: 'target', reached: false } : undefined;
}

function isStopReached(bracket: Bracket, last: Decimal): boolean {
  const { stopLoss } = bracket;
  return last > 0n && stopLoss > 0n && (exitBuys(bracket) ? last >= stopLoss : last <= stopLoss);
}

function isTargetReached(bracket: Bracket, last: Decimal): boolean {
  const { takeProfit } = bracket;
  return last > 0n && takeProfit > 0n && (exitBuys(bracket) ? last <= takeProfit : last >= takeProfit);
}

/** How the exit of a bracket ended: with what it had filled, and why. */
export interface ExitEnd {
  readonly filled: Decimal;
  /** It filled for what it was for in the end, also where somebody has made that less; the brokerage would not have it; it was cancelled. */
  readonly by: 'fills' | 'failure' | 'cancel';
  readonly why: string;
}

/**
 * A bracket whose exit is over. One that the gateway cancelled, that filled, or that went to the market as far as it could makes room for
 * the next; one that failed, or that the brokerage cancelled, is tried in another way; one that somebody else cancelled ends the bracket.
 */
export function afterExit(bracket: Bracket, exit: Exit, { filled, by, why }: ExitEnd, last: Decimal): Bracket {
  const next: Bracket = { ...bracket, exit: undefined, closed: bracket.closed + filled, note: exit.cancelling ? bracket.note : '' };
  if (exit.cancelling || by === 'fills') return next;
  if (by === 'failure') {
    const note = `its ${nameOf(exit)} failed: ${why}`;
    return { ...next, note, stopHeld: next.stopHeld || (exit.kind === 'stop' && !exit.reached) };
  }
  // The exchange drops what a market order leaves. An order with a limit stays, and so does one that has not been triggered.
  const isMarket = exit.kind === 'stop' && bracket.stopLimit === 0n;
  const wentToMarket = isMarket && (exit.reached || (filled > 0n && isStopReached(bracket, last)));
  if (wentToMarket) return next;
  if (why === '') return { ...next, ending: true, note: 'its exit was cancelled by somebody else' };
  // A brokerage that says why did it of its own: its price went past what a stop order may trade at, or its shares changed. What is open stays guarded.
  return { ...next, stopHeld: true, note: `its ${nameOf(exit)} was cancelled: ${why}` };
}
