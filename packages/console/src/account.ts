import { type Fields, type Json, numberOf, textOf } from './json.js';
import { accountTypeName, isOpen, tradedSymbol, tradingMarketName } from './names.js';

/** A trading account of the list. */
export interface Account {
  /** 18 digits: a text. */
  readonly id: string;
  readonly real: boolean;
  /** Trading markets by number. */
  readonly markets: readonly number[];
  /** "Simulated HK margin …0126" */
  readonly title: string;
}

const REAL = 2;

export function accountOf(row: Fields): Account {
  const id = textOf(row.acc_id);
  const real = row.trd_env === REAL;
  const list = row.trd_market_auth_list;
  const markets = (Array.isArray(list) ? list : []).flatMap((one: Json) => (typeof one === 'number' ? [one] : []));
  const where = markets.length > 3 ? `${markets.length} markets` : markets.map(tradingMarketName).join(', ');
  const ending = (textOf(row.card_num) || id).slice(-4);
  return { id, real, markets, title: `${real ? 'Real' : 'Simulated'} ${where} ${accountTypeName(numberOf(row.acc_type))} …${ending}` };
}

/** The header of a request about an account in one of its markets. `env` is REST's number. */
export function headerOf({ id, real }: Account, market: number): Record<string, Json> {
  return { acc_id: id, env: real ? REAL : 1, market };
}

/** Key of an order or a fill: its text, else its number. */
export function orderKey(row: Fields): string {
  return textOf(row.order_id_ex) || textOf(row.order_id);
}

export function fillKey(row: Fields): string {
  return textOf(row.fill_id_ex) || textOf(row.fill_id);
}

/** When a row was changed last, Unix seconds. */
export function changedAt(row: Fields): number {
  return numberOf(row.update_timestamp) ?? numberOf(row.create_timestamp) ?? 0;
}

export function isOpenOrder(row: Fields): boolean {
  return isOpen(numberOf(row.order_status));
}

/** "HK.00700", of an order, a fill or a position. */
export function symbolOfRow(row: Fields): string {
  return tradedSymbol(numberOf(row.sec_market), numberOf(row.trd_market), textOf(row.code));
}
