import { Exchange } from '../../world/exchange.js';
import type { FutureTerms } from '../../world/index.js';

type Product = FutureTerms['product'];

/** A product's underlying, the unit of its contract size, and the unit of its price. */
export interface ContractUnits {
  readonly of: string;
  readonly unit: string;
  readonly quoted: string;
}

const goods: Readonly<Record<string, ContractUnits>> = {
  CL: { of: 'Crude oil', unit: 'barrel', quoted: 'USD/barrel' },
  NG: { of: 'Natural gas', unit: 'MMBtu', quoted: 'USD/MMBtu' },
  GC: { of: 'Gold', unit: 'troy ounce', quoted: 'USD/troy ounce' },
  SI: { of: 'Silver', unit: 'troy ounce', quoted: 'USD/troy ounce' },
  HG: { of: 'Copper', unit: 'pound', quoted: 'USD/pound' },
  ZN: { of: 'Treasury notes', unit: 'USD per point', quoted: 'points of par' },
  ZB: { of: 'Treasury bonds', unit: 'USD per point', quoted: 'points of par' },
};

/** Index futures are money per point. */
export function contractUnits({ root, name, currency }: Product): ContractUnits {
  return goods[root] ?? { of: name.replace(/ (Futures|mini)$/, ''), unit: `${currency} per index point`, quoted: 'index points' };
}

/** Where exchanges publish their contract specifications. */
export const exchangePages: Readonly<Record<number, { readonly name: string; readonly page: string }>> = {
  [Exchange.hkex]: { name: 'HKEX', page: 'https://www.hkex.com.hk/Products/Listed-Derivatives' },
  [Exchange.cme]: { name: 'CME', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.cbot]: { name: 'CBOT', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.comex]: { name: 'COMEX', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.nymex]: { name: 'NYMEX', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.singapore]: { name: 'SGX', page: 'https://www.sgx.com/derivatives/products' },
  [Exchange.osaka]: { name: 'OSE', page: 'https://www.jpx.co.jp/english/derivatives/products' },
};
