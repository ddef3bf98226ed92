import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';

/** Days of a corporate action, "2026-05-20", in the market's zone. All but `announcedDay` are trading days of the listing's market. */
interface ActionDays {
  readonly announcedDay: string;
  /** First day on which a buyer no longer takes part. Who held shares at the close before it is entitled, for as many as were held. */
  readonly exDay: string;
  /** Record date: the day by which trades of the day before `exDay` have settled. */
  readonly recordDay: string;
  /** Day on which cash or shares arrive. Shares of a split arrive on `exDay` itself. */
  readonly payDay: string;
}

/** Cash for each share held, before tax. */
export interface CashDividend extends ActionDays {
  readonly kind: 'dividend';
  /** Per share of this listing; positive. */
  readonly cash: Decimal;
  /** The listing's trading currency. */
  readonly currency: Currency;
  /** Special dividend, beside the regular ones. */
  readonly special: boolean;
}

/**
 * Every `ratio[1]` shares become `ratio[0]`: [4, 1] is a four-for-one split, [1, 10] a ten-to-one consolidation, and of the kind
 * "bonus" (new shares out of reserves, as in "three for ten") [13, 10].
 */
export interface ShareSplit extends ActionDays {
  readonly kind: 'split' | 'bonus';
  readonly ratio: readonly [becomes: bigint, from: bigint];
}

/** For every `ratio[1]` shares held, `ratio[0]` new ones may be bought at `price`. */
export interface RightsIssue extends ActionDays {
  readonly kind: 'rights';
  readonly ratio: readonly [offered: bigint, held: bigint];
  readonly price: Decimal;
  readonly currency: Currency;
}

/** A corporate action. A listing has at most one of each kind a day; those of one day all apply to the shares held before it. */
export type CorporateAction = CashDividend | ShareSplit | RightsIssue;

/** Source of corporate actions. */
export interface CorporateActions {
  /** Actions of a listing ("HK.00700") that go ex on the days [from, to], oldest first; none for what has no such actions. */
  corporateActions(symbol: string, from: string, to: string): readonly CorporateAction[];
}
