import { roundTo } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { moneyStep } from '@svc-gateway/contract/money';
import { addDays } from '@svc-gateway/contract/time';
import type { CashDividend, CorporateAction, CorporateActions, RightsIssue, ShareSplit } from '../../companies/corporate-actions.js';
import type { Entry } from '../../ledger/index.js';
import type { EndOrders, Holding, Roll } from './roll.js';

/** Tax kept back from dividends on long positions, in thousandths of a percent. docs/simulator.md names the sources. */
const withheld: Readonly<Record<QuoteMarket, bigint>> = {
  HK: 0n,
  US: 30_000n,
  SH: 10_000n,
  SZ: 10_000n,
  SG: 0n,
  JP: 15_315n,
  MY: 0n,
  FX: 0n,
};

/**
 * Books what goes ex today, as trading begins, for positions as the close before left them: dividends become due, shares are split,
 * rights are sold. Not earlier, as until then prices are those of the day before.
 */
export function bookCorporateActions(roll: Roll, source: CorporateActions, endOrders: EndOrders): void {
  const { calendar, records, change } = roll;
  const marker = `${calendar.name} ex-days`;
  const to = roll.day;
  const before = calendar.previousTradingDay(to);
  // Days that were looked at already, when the calendar kept other days than now, are not looked at again.
  const lookedAt = records.rolled(marker) ?? '';
  const from = lookedAt > before ? addDays(lookedAt, 1) : addDays(before, 1);
  if (from > to) return;
  records.putRoll(change, marker, to);
  const bySymbol = new Map<string, readonly CorporateAction[]>();
  const actionsOf = (symbol: string): readonly CorporateAction[] => {
    const found = bySymbol.get(symbol) ?? source.corporateActions(symbol, from, to);
    bySymbol.set(symbol, found);
    return found;
  };
  for (const symbol of roll.orderedSymbols()) {
    const why = endingOf(symbol, actionsOf(symbol));
    if (why !== undefined) endOrders(change, symbol, why);
  }
  for (const holding of roll.holdings()) {
    const actions = actionsOf(holding.instrument.symbol);
    for (const action of actions) {
      if (action.kind === 'dividend') bookDividend(roll, holding, action);
      else if (action.kind === 'rights') sellRights(roll, holding, action);
    }
    // Cash is for the shares held before: a split of the same day comes last.
    for (const action of actions) if (action.kind === 'split' || action.kind === 'bonus') split(roll, holding, action);
  }
}

/** Reason why orders in a security end with its actions: their quantity and price speak of shares that are no more. Undefined where they go on. */
export function endingOf(symbol: string, actions: readonly CorporateAction[]): string | undefined {
  const split = actions.find((action) => action.kind !== 'dividend');
  return split === undefined ? undefined : `cancelled by the brokerage: ${symbol} goes ex ${inWords(split)} on ${split.exDay}`;
}

function bookDividend(roll: Roll, { account, instrument, position }: Holding, { cash, currency, payDay, exDay }: CashDividend): void {
  const step = moneyStep(currency);
  const gross = roundTo(cash * position.quantity, step);
  const tax = position.quantity > 0n ? roundTo((gross * withheld[instrument.market]) / 100_000n, step) : 0n;
  // Mainland companies pay on the ex-day itself, whose money has settled by now.
  const balance = payDay <= roll.day ? 'settled' : 'dividends';
  const of = { balance, currency, venue: roll.calendar.name, day: payDay } as const;
  const entries: Entry[] = [];
  if (gross !== 0n) entries.push({ ...of, kind: 'dividend', amount: gross });
  if (tax !== 0n) entries.push({ ...of, kind: 'withholding_tax', amount: -tax });
  roll.book(account, { cause: 'dividend', symbol: instrument.symbol, remark: `ex ${exDay}`, entries });
}

/** Rights bring what they are worth: the fall of the price from the close to the one after the issue, for each share held. */
function sellRights(roll: Roll, { account, instrument, position }: Holding, { ratio: [offered, held], price, exDay }: RightsIssue): void {
  const close = roll.closeBefore(instrument);
  const exRights = (close * held + price * offered) / (held + offered);
  if (exRights >= close) return;
  const { currency, symbol } = instrument;
  const amount = roundTo((close - exRights) * position.quantity, moneyStep(currency));
  if (amount === 0n) return;
  const entries: readonly Entry[] = [
    { balance: 'settled', kind: 'rights_sold', currency, amount, venue: roll.calendar.name, day: roll.day },
  ];
  roll.book(account, { cause: 'rights', symbol, remark: `ex ${exDay}`, entries });
}

/** Whole shares are kept, a fraction is paid out at the closing price. What they cost stays the same. */
function split(roll: Roll, { account, instrument }: Holding, action: ShareSplit): void {
  // Another split of the same day may have changed it.
  const position = roll.records.ledger.position(account.id, instrument.symbol);
  if (position === undefined || position.quantity === 0n) return;
  const [becomes, from] = action.ratio;
  const { currency, symbol } = instrument;
  const parts = position.quantity * becomes;
  const quantity = parts / from;
  const fraction = parts % from;
  const close = roll.closeBefore(instrument);
  const size = parts < 0n ? -parts : parts;
  const lost = fraction < 0n ? -fraction : fraction;
  const cash = roundTo((close * fraction) / becomes, moneyStep(currency));
  const costOfFraction = (position.cost * lost) / size;
  const realised = position.quantity > 0n ? cash - costOfFraction : cash + costOfFraction;
  roll.records.putPosition(roll.change, {
    ...position,
    quantity,
    cost: position.cost - costOfFraction,
    invested: position.invested - cash,
    realised: position.realised + realised,
  });
  const of = { currency, venue: roll.calendar.name, day: roll.day } as const;
  const entries: Entry[] = [{ ...of, balance: 'settled', kind: 'cash_in_lieu', amount: cash }];
  if (realised !== 0n) entries.push({ ...of, balance: 'realised', kind: 'realised', amount: realised });
  const remark = `ex ${action.exDay}, ${becomes} for ${from}: ${position.quantity} shares became ${quantity}`;
  roll.book(account, { cause: 'split', symbol, remark, entries });
}

function inWords({ kind }: Exclude<CorporateAction, CashDividend>): string {
  return kind === 'split' ? 'a split' : kind === 'bonus' ? 'a bonus issue' : 'a rights issue';
}
