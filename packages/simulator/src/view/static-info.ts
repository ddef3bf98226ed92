import { DECIMAL_ONE, decimalToNumber } from '@svc-gateway/contract/decimal';
import { OptionSettlementMode, OptionStandardType, type SecurityStaticInfo } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import { isContinuous } from '../world/futures.js';
import type { Facts } from './facts.js';
import { type Listing, secondsOf } from './listings.js';
import type { Fields } from './messages.js';
import { expirationCycle, indexOptionType, typeOf } from './option-figures.js';
import { warrantTypes } from './warrant-figures.js';

/** An instrument as every list of terms shows it. */
export function staticInfo(facts: Facts<'world' | 'listings'>, listing: Listing): Fields<SecurityStaticInfo> {
  const { instrument } = listing;
  const basic = {
    security: listing.security,
    id: instrument.id,
    lotSize: lotSize(listing),
    secType: listing.securityType,
    name: instrument.name,
    listTime: instrument.listDate,
    listTimestamp: listing.listTimestamp,
    delisting: facts.world.state(instrument) === 'over',
    exchType: instrument.exchange,
  };
  return { basic, ...termsOf(facts, listing) };
}

/** Fields of futures, options and warrants. */
function termsOf({ listings }: Facts<'listings'>, listing: Listing): Fields<SecurityStaticInfo> {
  const { instrument, market } = listing;
  if (instrument.kind === 'future') return { futureExData: { ...lastTrade(listing), isMainContract: isContinuous(instrument) } };
  if (instrument.kind === 'warrant') {
    const { type, underlying } = instrument.warrant;
    const owner = listings.named(underlying)?.security;
    return owner === undefined ? {} : { warrantExData: { type: warrantTypes[type], owner } };
  }
  if (instrument.kind !== 'option') return {};
  const { underlying, expiry, strike } = instrument.option;
  const owner = listings.named(underlying)?.security;
  if (owner === undefined) return {};
  return {
    optionExData: {
      type: typeOf(instrument),
      owner,
      strikeTime: expiry,
      strikeTimestamp: secondsOf(listing, expiry),
      strikePrice: decimalToNumber(strike),
      suspend: false,
      market: market.name,
      expirationCycle: expirationCycle(instrument),
      optionStandardType: OptionStandardType.OptionStandardType_Standard,
      optionSettlementMode: OptionSettlementMode.OptionSettlementMode_PM,
      indexOptionType: indexOptionType(instrument),
    },
  };
}

/** The protocol's lot size: of a contract its multiplier, as a whole number. */
export function lotSize({ instrument }: Listing): number {
  return instrument.lotSize * Math.max(1, Number(instrument.multiplier / DECIMAL_ONE));
}

/** When a future stops trading; the continuous contract never does, and has an empty text and no timestamp. */
export function lastTrade({ instrument, market }: Listing): { lastTradeTime: string; lastTradeTimestamp: number | undefined } {
  const lastTradeTime = instrument.lastTradingDay ?? '';
  const midnight = parseLocal(lastTradeTime, market.timeZone);
  return { lastTradeTime, lastTradeTimestamp: midnight === undefined ? undefined : midnight / 1000 };
}
