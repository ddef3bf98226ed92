import { formatDecimal } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/position_corporate_actions_pb';
import { parseSymbol, quoteMarket } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import { addDays } from '@svc-gateway/contract/time';
import { inMarket } from '../../brokerage/filter.js';
import type { PositionRecord } from '../../brokerage/position.js';
import { currencies, tradeMarkets } from '../../brokerage/terms.js';
import type { CorporateAction } from '../../companies/corporate-actions.js';
import { eachInTurns, inTurns } from '../../pace.js';
import type { Answer, Facts } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { ofAccount } from './amounts.js';

type Named = Facts<'clock' | 'world' | 'brokerage'>;

/** Ex-days that are shown: those of the last quarter, and those to come that have been announced. */
const DAYS_BACK = 90;
const DAYS_AHEAD = 366;
const KNOWN = 1;
const NOT_KNOWN = 2;
const COMPLETE = 1;
const PARTIAL = 2;

/** svc.position_corporate_actions: dividends, splits, bonus and rights issues of what an account holds now, as far as they are announced. */
export const getPositionCorporateActions: Answer<'clock' | 'world' | 'brokerage', C2S, S2C> = ofAccount(async (facts, to, { header }) => {
  const { brokerage, clock } = facts;
  const snapshotTime = BigInt(clock.now());
  const open = [...brokerage.records.ledger.positions(to.account)].filter(
    (position) => position.quantity !== 0n && (header?.trdMarket === 0 || inMarket(position.tradeMarket, to.market)),
  );
  const positionList = await inTurns(eachInTurns(open, 1, (position) => actionsOf(facts, position)));
  const status = positionList.every((one) => one.status === KNOWN) ? COMPLETE : PARTIAL;
  return brokerage.records.journal.whenDurable(messageOf(S2CSchema, { header: to.header, snapshotTime, status, positionList }));
});

function actionsOf({ world, brokerage }: Named, position: PositionRecord) {
  const { symbol, quantity, tradeMarket } = position;
  const parsed = parseSymbol(symbol);
  const instrument = world.instrument(symbol);
  const shown = {
    trdMarket: tradeMarkets.numberOf(tradeMarket),
    secMarket: parsed === undefined ? 0 : quoteMarket(parsed.market.name).secMarket,
    code: parsed?.code ?? symbol,
    qty: Number(quantity),
  };
  if (instrument === undefined) {
    return { ...shown, status: NOT_KNOWN, reason: `${symbol} is known no more: nothing is announced of it` };
  }
  const today = world.today(instrument);
  const actions = brokerage.corporateActions
    .corporateActions(symbol, addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD))
    .filter(({ announcedDay }) => announcedDay < today);
  const actionList = actions.map((action) => actionOf(action, quantity, today));
  return { ...shown, name: instrument.name, status: KNOWN, actionList };
}

const types: Readonly<Record<CorporateAction['kind'], number>> = { dividend: 1, split: 2, bonus: 3, rights: 4 };

function actionOf(action: CorporateAction, quantity: bigint, today: string) {
  const { kind, announcedDay, exDay, recordDay, payDay } = action;
  const isToCome = exDay > today;
  return {
    actionType: types[kind],
    announcedDate: announcedDay,
    exDate: exDay,
    recordDate: recordDay,
    payDate: payDay,
    state: isToCome ? 1 : 2,
    ...termsOf(action, isToCome ? quantity : undefined),
  };
}

/** @param quantity held, of what is to come. */
function termsOf(action: CorporateAction, quantity: bigint | undefined) {
  if (action.kind === 'dividend') {
    const { cash, currency, special } = action;
    const expected = quantity === undefined ? {} : { expectedAmount: formatDecimal(inMoney(cash * quantity, currency)) };
    return { amountPerShare: formatDecimal(cash), currency: currencies.numberOf(currency), special, ...expected };
  }
  if (action.kind === 'rights') {
    const [offered, held] = action.ratio;
    return {
      ratioFrom: held,
      ratioTo: offered,
      subscriptionPrice: formatDecimal(action.price),
      currency: currencies.numberOf(action.currency),
    };
  }
  const [becomes, from] = action.ratio;
  return { ratioFrom: from, ratioTo: becomes };
}
