import { formatDecimal } from '@svc-gateway/contract/decimal';
import type { OptionStrategyType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type StrategyLeg, strategyNames } from '../../view/strategy-kinds.js';
import type { Instrument } from '../../world/index.js';

export interface NamedLeg extends StrategyLeg {
  /** Without a market: "AAPL261218C275000". */
  readonly code: string;
}

/** "AAPL261218C275000/-AAPL261218C280000": the legs by their codes, with a minus before what is sold and the ratio before what is more than one. */
export function codeOf(legs: readonly NamedLeg[]): string {
  return legs
    .map(({ code, sign, ratio, option }) => `${sign < 0 ? '-' : ''}${ratio === 1 || option === undefined ? '' : `${ratio}*`}${code}`)
    .join('/');
}

/** "APPLE 261218 275/280C Vertical Spread". */
export function nameOf({ name }: Instrument, type: OptionStrategyType, legs: readonly NamedLeg[]): string {
  const terms = legs.flatMap(({ option }) => (option === undefined ? [] : [option]));
  const expiries = [...new Set(terms.map(({ expiry }) => expiry.slice(2).replaceAll('-', '')))].sort();
  const strikes = [...new Set(terms.map(({ strike }) => formatDecimal(strike)))];
  const rights = new Set(terms.map(({ right }) => right));
  const letter = rights.size === 2 ? '' : rights.has('call') ? 'C' : 'P';
  return `${name} ${expiries.join('/')} ${strikes.join('/')}${letter} ${strategyNames[type] ?? ''}`.trim();
}
