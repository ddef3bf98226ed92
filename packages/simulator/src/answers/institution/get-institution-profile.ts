import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetInstitutionProfile_pb';
import { heldMarket } from '@svc-gateway/contract/institution-enums';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { changeRate, isoCode, percentOf } from '../research/money.js';
import { amount, bookOf, type Change, changeOf, institutionOf, type Position, sumsIn } from './books.js';

/** Number of largest holdings with a stated share. */
const TOP = 10;

/** Qot_GetInstitutionProfile: an institution's holdings in a market in a few figures. `holdingChangeCount` is by how much their number changed. */
export const getInstitutionProfile: Answer<'world' | 'companies' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const institution = institutionOf(request.institutionId);
  if (institution instanceof Refusal) return institution;
  const book = bookOf(facts, market);
  const positions = book.positions.get(institution) ?? [];
  const sums = sumsIn(book, institution);
  const { value, previousValue, count, previousCount } = sums;
  const { changes, top, topBefore } = outlineOf(positions);
  const currency = isoCode(quoteMarket(market).currency);
  return create(S2CSchema, {
    institutionName: institution,
    description: `${institution} held shares of ${count} companies with their home in ${market} on ${book.asOf}. It is made up, as all institutions of the simulation are.`,
    positionValue: amount(value),
    lastPositionValue: amount(previousValue),
    ...known({ positionValueChangePct: changeRate(Number(value), Number(previousValue)) }),
    totalHoldingCount: BigInt(count),
    holdingChangeCount: BigInt(count - previousCount),
    newCount: changes.new,
    soldOutCount: changes['sold out'],
    increaseCount: changes.increase,
    decreaseCount: changes.decrease,
    top10Pct: top,
    top10PctChange: Math.round((top - topBefore) * 1000) / 1000,
    disclosureDate: book.known,
    currency,
  });
};

/** Number of an institution's changes in the quarter, and the share of its largest positions, in percent, now and a quarter before. */
interface Outline {
  readonly changes: Readonly<Record<Change, number>>;
  readonly top: number;
  readonly topBefore: number;
}

function outlineOf(positions: readonly Position[]): Outline {
  const changes: Record<Change, number> = { new: 0, 'sold out': 0, increase: 0, decrease: 0, none: 0 };
  const [values, previous] = [new Float64Array(positions.length), new Float64Array(positions.length)];
  for (const [index, position] of positions.entries()) {
    changes[changeOf(position)] += 1;
    values[index] = Number(position.value);
    previous[index] = Number(position.previousValue);
  }
  const top = topPart(values);
  return { changes, top, topBefore: topPart(previous) };
}

/** The part of the largest values, in percent of all. */
function topPart(values: Float64Array): number {
  const largestFirst = values.toSorted().reverse();
  const sum = (of: Float64Array) => of.reduce((total, one) => total + one, 0);
  return percentOf(sum(largestFirst.subarray(0, TOP)), sum(largestFirst)) ?? 0;
}
