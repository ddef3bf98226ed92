import { type Decimal, decimalFromNumber, formatDecimal } from '@svc-gateway/contract/decimal';
import { type OptionStrategyType, OptionType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { type StrategyLeg, strategyNames } from '../../view/strategy-kinds.js';
import type { Instrument } from '../../world/index.js';
import type { AnswerTo } from '../table.js';
import { dayOf, locateOwner, seriesOf } from './option-chain.js';
import { type Built, type Expiry, strategies, type Wish } from './strategies.js';

/** Maximum strategies: more than any reader needs, and few enough for one turn. */
const STRATEGIES_MAX = 2_000;

/** Qot_GetOptionStrategy: the combinations of listed options that make up a strategy, by expiry and strike. */
export const getOptionStrategy: AnswerTo<typeof declared.getOptionStrategy> = (facts, request) => {
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
  const strategyList: ReturnType<typeof item>[] = [];
  for (const expiry of expiries.filter(isNear)) {
    const later = build.hasFarLegs ? expiries.filter((one) => one.day > expiry.day && isFar(one)) : [expiry];
    for (const last of later) {
      for (const built of build.make(expiry, last, wish)) {
        if (strategyList.length >= STRATEGIES_MAX)
          return new Refusal(
            `more than ${STRATEGIES_MAX} combinations; name expire_time, far_expire_time, spread, option_type or strike_price`,
          );
        strategyList.push(item(facts, owner, request.optionStrategy, built));
      }
    }
  }
  return { strategyList };
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

function item({ listings }: Facts<'listings'>, owner: Listing, type: number, built: readonly Built[]) {
  const legs = built.map(({ option, sign, ratio }) => ({
    option: option?.option,
    code: option?.code ?? owner.instrument.code,
    sign,
    ratio,
    units: 0,
  }));
  return {
    code: codeOf(legs),
    name: nameOf(owner.instrument, type, legs),
    optionStrategy: type,
    stockOwner: owner.security,
    multiLegs: built.map(({ option, sign, ratio }) => ({
      security: option === undefined ? owner.security : listings.of(option).security,
      // As an order opens them: nothing of what is sold is held.
      side: sign > 0 ? TrdSide.TrdSide_Buy : TrdSide.TrdSide_SellShort,
      qtyRatio: ratio,
    })),
  };
}

interface NamedLeg extends StrategyLeg {
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
