import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  FinScheduleInfoSchema,
  type PriceHistoryOnEarningsDays,
  PriceHistoryOnEarningsDaysSchema,
  PriceInfoSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetFinancialsEarningsPriceHistory_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { localDateTime } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { type DayAround, dayPrices, daysAround, type Publication, publicationsOf } from './publications.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

/** Reports shown, and trading days before and after each. */
const REPORTS = 12;
const DAYS = { before: 5, after: 10 };

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings'>;

/** Qot_GetFinancialsEarningsPriceHistory: how the price took the last results, forward adjusted. The simulation keeps no expectation of options of past days. */
export const getFinancialsEarningsPriceHistory: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings', C2S, S2C> = (
  facts,
  { security },
) => {
  const subject = subjectOf(facts, security);
  return subject instanceof Refusal ? subject : answer(facts, subject);
};

function answer(facts: Needed, subject: Subject): S2C {
  const publications = publicationsOf(facts, subject, REPORTS);
  const detailList = publications.map((publication) => rowOf(facts, subject, publication, publication === publications[0]));
  return create(S2CSchema, { detailList });
}

function rowOf(facts: Needed, subject: Subject, publication: Publication, isCurrent: boolean): PriceHistoryOnEarningsDays {
  const { period, time, tradingDay, pubType } = publication;
  const { listing } = subject;
  const days = daysAround(facts, subject, tradingDay, DAYS.before, DAYS.after);
  const own = days.find(({ offset }) => offset === 0);
  return create(PriceHistoryOnEarningsDaysSchema, {
    fiscalYear: period.fiscalYear,
    financialType: period.type,
    periodText: period.text,
    isCurrent,
    pubTradingDay: BigInt(secondsOf(listing, tradingDay)),
    pubTradingDayStr: tradingDay,
    pubTime: BigInt(time / 1000),
    pubTimeStr: localDateTime(time, quoteMarket(listing.instrument.market).timeZone),
    pubType,
    ...known({ priceInfo: own === undefined ? undefined : priceInfo(subject, own) }),
    scheduleInfoList: days.map(({ offset, bar }) =>
      create(FinScheduleInfoSchema, { delta: offset, closePrice: decimalToNumber(bar.close) }),
    ),
  });
}

function priceInfo(subject: Subject, own: DayAround) {
  return create(PriceInfoSchema, { ...dayPrices(subject, own), volume: Number(own.bar.volume) });
}
