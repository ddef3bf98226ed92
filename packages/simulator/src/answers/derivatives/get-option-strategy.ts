import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { ComboLegSchema, type OptionStrategyType, OptionType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  type OptionStrategyItem,
  OptionStrategyItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetOptionStrategy_pb';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { dayOf, locateOwner, seriesOf } from './owner.js';
import { type Built, type Expiry, strategies, type Wish } from './strategies.js';
import { codeOf, nameOf } from './strategy-names.js';

/** Maximum strategies: more than any reader needs, and few enough for one turn. */
const STRATEGIES_MAX = 2_000;

/** Qot_GetOptionStrategy: the combinations of listed options that make up a strategy, by expiry and strike. */
export const getOptionStrategy: Answer<'listings' | 'world', C2S, S2C> = (facts, request) => {
  const owner = locateOwner(facts, request.owner);
  if (owner instanceof Refusal) return owner;
  const near = request.expireTime === '' ? undefined : dayOf('expire_time', request.expireTime);
  if (near instanceof Refusal) return near;
  const far = request.farExpireTime === '' ? undefined : dayOf('far_expire_time', request.farExpireTime);
  if (far instanceof Refusal) return far;
  const build = strategies[request.optionStrategy as OptionStrategyType];
  if (build === undefined)
    return new Refusal(`option_strategy: ${request.optionStrategy} is a combination of the caller's own, which is not listed`);
  if (build.needsShares && owner.instrument.kind === 'index')
    return new Refusal(`owner: ${owner.instrument.symbol} is an index, of which there are no shares to hold`);
  const expiries = expiriesOf(facts, owner, request.indexOptionType);
  const isNear = ({ day }: Expiry) => near === undefined || day === near;
  const isFar = ({ day }: Expiry) => far === undefined || day === far;
  const wish: Wish = { right: rights[request.optionType], spread: wished(request.spread), strike: wished(request.strikePrice) };
  const payload = create(S2CSchema);
  for (const expiry of expiries.filter(isNear)) {
    const later = build.hasFarLegs ? expiries.filter((one) => one.day > expiry.day && isFar(one)) : [expiry];
    for (const last of later) {
      for (const built of build.make(expiry, last, wish)) {
        if (payload.strategyList.length >= STRATEGIES_MAX)
          return new Refusal(
            `more than ${STRATEGIES_MAX} combinations; name expire_time, far_expire_time, spread, option_type or strike_price`,
          );
        payload.strategyList.push(item(facts, owner, request.optionStrategy, built));
      }
    }
  }
  return payload;
};

const rights: Readonly<Record<number, Wish['right']>> = { [OptionType.OptionType_Call]: 'call', [OptionType.OptionType_Put]: 'put' };

/** 0 is what a field holds that was left alone. */
function wished(value: number): Decimal | undefined {
  return value === 0 ? undefined : decimalFromNumber(value);
}

function expiriesOf({ world }: Facts<'world'>, owner: Listing, indexType: number): readonly Expiry[] {
  return seriesOf({ world }, owner, indexType).map((series) => {
    const options = world.optionChain(owner.instrument, series);
    const of = (right: 'call' | 'put') =>
      new Map(options.filter(({ option }) => option.right === right).map((one) => [one.option.strike, one]));
    return { day: series.expiry, strikes: [...new Set(options.map(({ option }) => option.strike))], call: of('call'), put: of('put') };
  });
}

function item({ listings }: Facts<'listings'>, owner: Listing, type: number, built: readonly Built[]): OptionStrategyItem {
  const legs = built.map(({ option, sign, ratio }) => ({
    option: option?.option,
    code: option?.code ?? owner.instrument.code,
    sign,
    ratio,
    units: 0,
  }));
  return create(OptionStrategyItemSchema, {
    code: codeOf(legs),
    name: nameOf(owner.instrument, type, legs),
    optionStrategy: type,
    stockOwner: owner.security,
    multiLegs: built.map(({ option, sign, ratio }) =>
      create(ComboLegSchema, {
        security: option === undefined ? owner.security : listings.of(option).security,
        // As an order opens them: nothing of what is sold is held.
        side: sign > 0 ? TrdSide.TrdSide_Buy : TrdSide.TrdSide_SellShort,
        qtyRatio: ratio,
      }),
    ),
  });
}
