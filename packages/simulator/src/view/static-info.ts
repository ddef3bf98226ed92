import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  FutureStaticExDataSchema,
  OptionSettlementMode,
  OptionStandardType,
  OptionStaticExDataSchema,
  OptionType,
  SecurityStaticBasicSchema,
  type SecurityStaticInfo,
  SecurityStaticInfoSchema,
  WarrantStaticExDataSchema,
} from '@svc-gateway/contract/generated/Qot_Common_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import { isContinuous } from '../world/futures.js';
import type { SecurityKind } from '../world/instrument.js';
import { lastTrade, lotSize } from './contract-terms.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { expirationCycle, indexOptionType } from './option-terms.js';
import { known } from './optional-fields.js';
import { warrantTypes } from './warrant-terms.js';

/** An instrument as every list of terms shows it. */
export function staticInfo(facts: Facts<'world' | 'listings'>, listing: Listing): SecurityStaticInfo {
  const { instrument } = listing;
  const info = create(SecurityStaticInfoSchema);
  info.basic = create(
    SecurityStaticBasicSchema,
    known({
      security: listing.security,
      id: instrument.id,
      lotSize: lotSize(listing),
      secType: listing.securityType,
      name: instrument.name,
      listTime: instrument.listDate,
      listTimestamp: listing.listTimestamp,
      delisting: facts.world.state(instrument) === 'over',
      exchType: instrument.exchange,
    }),
  );
  termAdders[instrument.kind]?.(info, listing, facts);
  return info;
}

type TermAdder = (info: SecurityStaticInfo, listing: Listing, facts: Facts<'world' | 'listings'>) => void;

/** Static fields of each kind of instrument. */
const termAdders: Readonly<Record<SecurityKind, TermAdder | undefined>> = {
  future(info, listing) {
    const { lastTradeTime, lastTradeTimestamp } = lastTrade(listing);
    info.futureExData = create(FutureStaticExDataSchema, { lastTradeTime, isMainContract: isContinuous(listing.instrument) });
    if (lastTradeTimestamp !== undefined) info.futureExData.lastTradeTimestamp = lastTradeTimestamp;
  },
  option(info, { instrument, market }, facts) {
    if (instrument.kind !== 'option') return;
    const { underlying, expiry, strike, right } = instrument.option;
    const owner = facts.listings.named(underlying)?.security;
    if (owner === undefined) return;
    info.optionExData = create(OptionStaticExDataSchema, {
      type: right === 'call' ? OptionType.OptionType_Call : OptionType.OptionType_Put,
      owner,
      strikeTime: expiry,
      strikeTimestamp: (parseLocal(expiry, market.timeZone) ?? 0) / 1000,
      strikePrice: decimalToNumber(strike),
      suspend: false,
      market: market.name,
      expirationCycle: expirationCycle(instrument),
      optionStandardType: OptionStandardType.OptionStandardType_Standard,
      optionSettlementMode: OptionSettlementMode.OptionSettlementMode_PM,
    });
    const index = indexOptionType(instrument);
    if (index !== undefined) info.optionExData.indexOptionType = index;
  },
  warrant(info, { instrument }, facts) {
    if (instrument.kind !== 'warrant') return;
    const owner = facts.listings.named(instrument.warrant.underlying)?.security;
    if (owner !== undefined) info.warrantExData = create(WarrantStaticExDataSchema, { type: warrantTypes[instrument.warrant.type], owner });
  },
  equity: undefined,
  trust: undefined,
  etf: undefined,
  index: undefined,
  plate: undefined,
  bond: undefined,
  forex: undefined,
};
