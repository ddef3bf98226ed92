import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/biz_group_pb';
import type { EntryKind } from '../../ledger/index.js';
import type { Answer } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { ofAccount } from './amounts.js';

interface SubGroup {
  readonly id: number;
  readonly name: string;
}

/** A group of businesses that change an account's cash. */
interface BizGroup {
  readonly id: number;
  readonly name: string;
  readonly subGroups: readonly SubGroup[];
}

const trade = { id: 101, name: 'Trade' };
const fees = { id: 102, name: 'Fees' };
const variationMargin = { id: 201, name: 'Daily settlement' };
const cashSettlement = { id: 202, name: 'Settled in cash at expiry' };
const dividend = { id: 301, name: 'Dividend' };
const withholdingTax = { id: 302, name: 'Withholding tax' };
const rightsSold = { id: 303, name: 'Rights sold' };
const cashInLieu = { id: 304, name: 'Cash in lieu of fractions' };
const interest = { id: 401, name: 'Interest and borrowing fees' };
const opening = { id: 501, name: 'Opening balance' };

/** Every group, in the order of numbers, which are our own. */
export const bizGroups: readonly BizGroup[] = [
  { id: 1, name: 'Trading', subGroups: [trade, fees] },
  { id: 2, name: 'Contracts', subGroups: [variationMargin, cashSettlement] },
  { id: 3, name: 'Corporate actions', subGroups: [dividend, withholdingTax, rightsSold, cashInLieu] },
  { id: 4, name: 'Financing', subGroups: [interest] },
  { id: 5, name: 'Deposits and withdrawals', subGroups: [opening] },
];

/** By what a movement of cash is booked as; undefined for what never moves cash. */
const subGroupOf: Readonly<Record<EntryKind, SubGroup | undefined>> = {
  opening,
  trade,
  fee: fees,
  dividend,
  withholding_tax: withholdingTax,
  rights_sold: rightsSold,
  cash_in_lieu: cashInLieu,
  // Fees accrued on borrowed stock are charged with the interest.
  interest,
  stock_borrow_fee: interest,
  variation_margin: variationMargin,
  cash_settlement: cashSettlement,
  settlement: undefined,
  realised: undefined,
};

/** The group and the sub-group of a movement of cash. */
export function bizOf(kind: EntryKind): { readonly group: BizGroup; readonly subGroup: SubGroup } {
  const subGroup = subGroupOf[kind];
  const group = bizGroups.find(({ subGroups }) => subGroups.some((one) => one === subGroup));
  if (subGroup === undefined || group === undefined) throw new Error(`${kind} moves no cash`);
  return { group, subGroup };
}

/** svc.biz_group: the groups of the cash log, the same for every account. */
export const getBizGroup: Answer<'brokerage', C2S, S2C> = ofAccount((_, to) => {
  const groupList = bizGroups.map(({ id, name, subGroups }) => ({
    bizGroupId: id,
    name,
    subGroupList: subGroups.map((one) => ({ bizSubGroupId: one.id, name: one.name })),
  }));
  return messageOf(S2CSchema, { header: to.header, groupList });
});
