import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type BasicQot, CompanyAct, type Rehab } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { localDate } from '@svc-gateway/contract/time';
import { type Bracket, unclosed } from './bracket.js';

/**
 * Qot_Common.CompanyAct: what changes what a share is. A cash dividend does not, and moves no exit: only of orders that buy and of stops that
 * sell do some exchanges lower the price by it (FINRA Rule 5330), and the holder has the cash instead.
 */
const changing =
  CompanyAct.CompanyAct_Split |
  CompanyAct.CompanyAct_Join |
  CompanyAct.CompanyAct_Bonus |
  CompanyAct.CompanyAct_Transfer |
  CompanyAct.CompanyAct_Allot |
  CompanyAct.CompanyAct_Add |
  CompanyAct.CompanyAct_SpinOff;

/** The days on which an issuer changed its shares, after one day and up to another ("2026-11-20"), oldest first. */
export function shareChanges(rehabList: readonly Rehab[], after: string, upTo = '9999-12-31'): readonly Rehab[] {
  return rehabList
    .filter((rehab) => (Number(rehab.companyActFlag) & changing) !== 0 && dayOf(rehab) > after && dayOf(rehab) <= upTo)
    .sort((a, b) => (dayOf(a) < dayOf(b) ? -1 : 1));
}

/**
 * A bracket as it is from an ex-day on: its prices are those of the new shares, as the exchange adjusts the close before; what is open is as
 * many of them as the old ones became, without a fraction, which brokerages pay out.
 */
export function afterShareChange(bracket: Bracket, rehab: Rehab): Bracket {
  const [becomes, from] = sharesOf(rehab);
  const price = (level: Decimal) => (level === 0n ? 0n : priceAfter(level, rehab, [becomes, from]));
  const open = unclosed(bracket);
  const left = open > 0n ? whole((open * becomes) / from, open) : open;
  return {
    ...bracket,
    takeProfit: price(bracket.takeProfit),
    stopLoss: price(bracket.stopLoss),
    stopLimit: price(bracket.stopLimit),
    gained: bracket.gained + left - open,
    lot: 0n,
    levelsOf: dayOf(rehab),
    note: `its prices and quantity follow what the issuer did to the shares on ${dayOf(rehab)}: ${becomes} for ${from}`,
  };
}

/** In seconds: days are compared as texts, with years of four digits in every zone. */
const LAST_DAY = Date.UTC(9999, 11, 31) / 1000;

/** The market's day on which a quote is, "2026-11-20"; empty where it does not say, or names a time that is none. */
export function quoteDay({ updateTime, updateTimestamp }: BasicQot, timeZone: string): string {
  const [day = ''] = /^\d{4}-\d{2}-\d{2}/.exec(updateTime) ?? [];
  return day === '' && updateTimestamp > 0 && updateTimestamp < LAST_DAY ? localDate(updateTimestamp * 1000, timeZone) : day;
}

function dayOf({ time }: Rehab): string {
  return time.slice(0, 10);
}

/** Share ratio of a corporate action in whole numbers: [4, 1] for a four-for-one split, [13, 10] for a bonus of three on ten. */
function sharesOf(rehab: Rehab): readonly [becomes: bigint, from: bigint] {
  const { splitBase, splitErt, joinBase, joinErt, bonusBase, bonusErt, transferBase, transferErt } = rehab;
  const of = (act: CompanyAct, becomes: number, from: number): [bigint, bigint] =>
    (Number(rehab.companyActFlag) & act) !== 0 && becomes > 0 && from > 0 ? [BigInt(becomes), BigInt(from)] : [1n, 1n];
  return [
    of(CompanyAct.CompanyAct_Split, splitErt, splitBase),
    of(CompanyAct.CompanyAct_Join, joinErt, joinBase),
    of(CompanyAct.CompanyAct_Bonus, bonusBase + bonusErt, bonusBase),
    of(CompanyAct.CompanyAct_Transfer, transferBase + transferErt, transferBase),
  ].reduce(([becomes, from], [more, than]) => [becomes * more, from * than]);
}

/**
 * The theoretical price after the ex-day: of rights, what the old shares and the new ones at their price are worth together, over all of them.
 * The value of a spun-off part is only in the factors of the day.
 */
function priceAfter(level: Decimal, rehab: Rehab, [becomes, from]: readonly [bigint, bigint]): Decimal {
  const flag = Number(rehab.companyActFlag);
  if ((flag & CompanyAct.CompanyAct_SpinOff) !== 0) {
    const factor = decimalFromNumber(Number(rehab.fwdFactorA.toFixed(9))) ?? 0n;
    const moved = decimalFromNumber(Number(rehab.fwdFactorB.toFixed(9))) ?? 0n;
    return factor > 0n ? (level * factor) / ONE + moved : level;
  }
  let price = level;
  const offers = [
    [CompanyAct.CompanyAct_Allot, rehab.allotBase, rehab.allotErt, rehab.allotPrice],
    [CompanyAct.CompanyAct_Add, rehab.addBase, rehab.addErt, rehab.addPrice],
  ] as const;
  for (const [act, held, offered, at] of offers) {
    const cost = decimalFromNumber(at);
    if ((flag & act) === 0 || held <= 0 || offered <= 0 || cost === undefined) continue;
    price = (price * BigInt(held) + cost * BigInt(offered)) / BigInt(held + offered);
  }
  return (price * from) / becomes;
}

const ONE: Decimal = 1_000_000_000n;

/** Without its fraction, where what it comes from had none. */
function whole(qty: Decimal, before: Decimal): Decimal {
  return before % ONE === 0n ? qty - (qty % ONE) : qty;
}
