import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetInstitutionProfile_pb.js';
import { heldMarket } from '../../../contract/institution-enums.js';
import { quoteMarket } from '../../../contract/markets.js';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/known.js';
import { changeRate, isoCode, percentOf } from '../research/money.js';
import { amount, bookOf, type Change, changeOf, institutionOf, type Position, sumsIn } from './books.js';

/** The largest holdings whose part of the whole is told. */
const TOP = 10;

/** Qot_GetInstitutionProfile: an institution's holdings in a market in a few figures. `holdingChangeCount` is by how much their number changed. */
export const getInstitutionProfile: Answer<'world' | 'companies' | 'listings', C2S, S2C> = async (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const institution = institutionOf(request.institutionId);
  if (institution instanceof Refusal) return institution;
  const book = await bookOf(facts, market);
  const positions = book.positions.get(institution) ?? [];
  const sums = sumsIn(book, institution);
  const { value, previousValue, count, previousCount } = sums;
  const counted = (wanted: Change) => positions.filter((one) => changeOf(one) === wanted).length;
  const top = topPart(positions.map((one) => one.value));
  const topBefore = topPart(positions.map((one: Position) => one.previousValue));
  const currency = isoCode(quoteMarket(market).currency);
  return create(S2CSchema, {
    institutionName: institution,
    description: `${institution} held shares of ${count} companies with their home in ${market} on ${book.asOf}. It is made up, as all institutions of the simulation are.`,
    positionValue: amount(value),
    lastPositionValue: amount(previousValue),
    ...known({ positionValueChangePct: changeRate(Number(value), Number(previousValue)) }),
    totalHoldingCount: BigInt(count),
    holdingChangeCount: BigInt(count - previousCount),
    newCount: counted('new'),
    soldOutCount: counted('sold out'),
    increaseCount: counted('increase'),
    decreaseCount: counted('decrease'),
    top10Pct: top,
    top10PctChange: Math.round((top - topBefore) * 1000) / 1000,
    disclosureDate: book.known,
    currency,
  });
};

/** The part of the largest values, in percent of all. */
function topPart(values: readonly bigint[]): number {
  const sorted = values.map(Number).sort((a, b) => b - a);
  const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
  return percentOf(sum(sorted.slice(0, TOP)), sum(sorted)) ?? 0;
}
