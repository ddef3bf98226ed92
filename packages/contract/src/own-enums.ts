import { type FieldEnumerations, same } from './enumeration.js';

/** Enumerations of answers whose definitions only describe them: the daemon's own messages, and some of the protocol's. */

const sign = same('side', { BUY: 1, SELL: 2 });

/** By the fields that hold them. */
export const ownEnumerations: readonly FieldEnumerations[] = [
  {
    prefix: 'svc.get_brackets',
    fields: {
      state: same('state', { PLACING: 1, OPEN: 2, CLOSED: 3, CANCELLED: 4, UNCLEAR: 5 }),
      exit_kind: same('exit_kind', { TAKE_PROFIT: 1, STOP_LOSS: 2 }),
    },
  },
  {
    prefix: 'svc.cash_detail',
    fields: {
      balance: same('balance', { SETTLED_CASH: 1, UNSETTLED_CASH: 2, DIVIDENDS_TO_COME: 3, ACCRUED_INTEREST: 4, REALISED_PROFIT: 5 }),
    },
  },
  {
    prefix: 'svc.margin_info',
    fields: {
      margin_status: same('margin_status', { SAFE: 1, WARNING: 2, MARGIN_CALL: 3, CLOSING: 4 }),
      position_side: same('position_side', { Long: 0, Short: 1 }),
    },
  },
  { prefix: 'svc.position_corporate_actions.S2C', fields: { status: same('status', { COMPLETE: 1, PARTIAL: 2 }) } },
  { prefix: 'svc.position_corporate_actions.PositionActions', fields: { status: same('status', { KNOWN: 1, NOT_KNOWN: 2 }) } },
  {
    prefix: 'svc.position_corporate_actions',
    fields: {
      action_type: same('action_type', { CASH_DIVIDEND: 1, SPLIT: 2, BONUS_ISSUE: 3, RIGHTS_ISSUE: 4 }),
      state: same('state', { TO_COME: 1, EX: 2 }),
    },
  },
  { prefix: 'svc.position_orders', fields: { relation_type: same('relation_type', { REVERSE: 1, ROLL: 2 }) } },
  { prefix: 'svc.get_forex_account_quote_context', fields: { system_mode: same('system_mode', { OPEN: 1, CLOSED: 2 }) } },
  { prefix: 'svc.get_forex_accounts', fields: { status: same('status', { OPEN: 1, CLOSED: 2 }) } },
  { prefix: 'svc.get_forex_assets', fields: { side: sign } },
  { prefix: 'svc.preview_forex_margin', fields: { side: sign } },
  { prefix: 'svc.get_forex_risk_control', fields: { risk_status: same('risk_status', { SAFE: 1, MARGIN_CALL: 2, STOP_OUT: 3 }) } },
  {
    prefix: 'Qot_WarrantScreen.WarrantItem',
    fields: {
      warrantType: same('warrant_type', { CALL: 1, PUT: 2, BULL: 3, BEAR: 4, INLINE: 5 }),
      status: same('status', { NORMAL: 0, SUSPENDED: 1, ENDED: 2, TO_BE_LISTED: 3 }),
      iwPriceStatus: same('iw_price_status', { INSIDE: 0, OUTSIDE: 1 }),
    },
  },
  {
    prefix: 'Qot_GetIpoList.JPETFBriefInfo',
    fields: {
      dividendFrequencyType: same('dividend_frequency_type', { YEAR: 1, QUARTER: 2, MONTH: 3 }),
      investingRiskType: same('investing_risk_type', {
        BOND_LINK: 1,
        FUTURES: 2,
        LEVERAGED: 3,
        ACTIVELY_MANAGED: 4,
        CURRENCY_SWAP: 5,
        INVERSE: 6,
      }),
    },
  },
  { prefix: 'Qot_GetOptionEventAlert.EventAlertItem', fields: { optionType: same('option_type', { CALL: 1, PUT: 2 }) } },
  { prefix: 'Qot_GetValuationDetail', fields: { financialQuarter: same('financial_quarter', { Q1: 1, Q2: 2, Q3: 3, FY: 4 }) } },
];
