import { heldMarket } from '@svc-gateway/contract/institution-enums';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { institution as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { threePlaces } from '../../view/figures.js';
import { countedPage, marketOf } from '../../view/requests.js';
import { type Figure, inOrder, sortFigure } from '../../view/standings.js';
import { type Industry, industryPlate } from '../../world/plates.js';
import { changeRate, isoCode, percentOf } from '../research/money.js';
import type { AnswerTo } from '../table.js';
import { amount, bookOf, type Change, changeOf, idOf, portfolioOf, type Sums } from './books.js';

const COUNT = { fallback: 20, max: 200 };

interface Row extends Sums {
  readonly institution: string;
}

const positionValue: Figure<Row> = ({ value }) => Number(value);

/** By `SortField`. */
const sortFields: Readonly<Record<number, Figure<Row>>> = {
  1: positionValue,
  2: ({ value, previousValue }) => Number(value - previousValue),
  3: ({ count }) => count,
  4: ({ count, previousCount }) => count - previousCount,
};

/** Qot_GetInstitutionList: institutions with what they hold of companies that have their home in a market, at the end of the last quarter that is known. */
export const getInstitutionList: AnswerTo<typeof declared.getInstitutionList> = (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const by = sortFigure(request.sortField, sortFields, positionValue);
  if (by instanceof Refusal) return by;
  const { sums, known: disclosureDate } = bookOf(facts, market);
  const wanted = request.namePart.trim().toLowerCase();
  const rows = [...sums]
    .filter(([institution]) => institution.toLowerCase().includes(wanted))
    .map(([institution, of]): Row => ({ institution, ...of }));
  const ordered = inOrder(rows, by, request.sortDir === 1);
  const page = countedPage(ordered, ({ institution }) => String(idOf(institution)), request, COUNT);
  if (page instanceof Refusal) return page;
  return {
    dataList: page.items.map(({ institution, value, previousValue, count, previousCount }) => ({
      institutionId: idOf(institution),
      institutionName: institution,
      positionValue: amount(value),
      positionValueChange: amount(value - previousValue),
      positionCount: count,
      positionCountChange: count - previousCount,
      disclosureDate,
    })),
    allCount: rows.length,
    nextPage: page.next,
    currency: isoCode(quoteMarket(market).currency),
  };
};

/** Number of largest holdings with a stated share. */
const TOP = 10;

/** Qot_GetInstitutionProfile: an institution's holdings in a market in a few figures. `holdingChangeCount` is by how much their number changed. */
export const getInstitutionProfile: AnswerTo<typeof declared.getInstitutionProfile> = (facts, request) => {
  const portfolio = portfolioOf(facts, request);
  if (portfolio instanceof Refusal) return portfolio;
  const { market, institution, book, positions, sums } = portfolio;
  const { value, previousValue, count, previousCount } = sums;
  const changes: Record<Change, number> = { new: 0, 'sold out': 0, increase: 0, decrease: 0, none: 0 };
  for (const { holding } of positions) changes[changeOf(holding)] += 1;
  const [top, topBefore] = [topPart(positions.map((one) => one.value)), topPart(positions.map((one) => one.previousValue))];
  return {
    institutionName: institution,
    description: `${institution} held shares of ${count} companies with their home in ${market} on ${book.asOf}. It is made up, as all institutions of the simulation are.`,
    positionValue: amount(value),
    lastPositionValue: amount(previousValue),
    positionValueChangePct: changeRate(Number(value), Number(previousValue)),
    totalHoldingCount: BigInt(count),
    holdingChangeCount: BigInt(count - previousCount),
    newCount: changes.new,
    soldOutCount: changes['sold out'],
    increaseCount: changes.increase,
    decreaseCount: changes.decrease,
    top10Pct: top,
    top10PctChange: threePlaces(top - topBefore),
    disclosureDate: book.known,
    currency: isoCode(quoteMarket(market).currency),
  };
};

/** The part of the largest values, in percent of all. */
function topPart(values: readonly bigint[]): number {
  const largestFirst = Float64Array.from(values, Number).sort().reverse();
  const sum = (of: Float64Array) => of.reduce((total, one) => total + one, 0);
  return percentOf(sum(largestFirst.subarray(0, TOP)), sum(largestFirst)) ?? 0;
}

/** Qot_GetInstitutionDistribution: an institution's holdings in a market by industry, the largest first; they add up to its position value. An industry's number is that of its plate. */
export const getInstitutionDistribution: AnswerTo<typeof declared.getInstitutionDistribution> = (facts, request) => {
  const portfolio = portfolioOf(facts, request);
  if (portfolio instanceof Refusal) return portfolio;
  const { market, positions } = portfolio;
  const values = new Map<Industry, bigint>();
  for (const { industry, value } of positions) values.set(industry, (values.get(industry) ?? 0n) + value);
  const whole = [...values.values()].reduce((sum, value) => sum + value, 0n);
  const dataList = [...values]
    .filter(([, value]) => value > 0n)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .map(([industry, value]) => {
      const plate = industryPlate(market, industry);
      const index = plate === undefined ? undefined : facts.world.instrument(plate.symbol);
      return {
        positionValue: amount(value),
        industryId: index?.id,
        industryName: plate?.name,
        portfolioPct: percentOf(Number(value), Number(whole)),
      };
    });
  return { dataList };
};
