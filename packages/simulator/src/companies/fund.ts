import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { requireDay } from '@svc-gateway/contract/time';
import { type Anchor, chainPrice } from '../rng/price-chain.js';
import { keyOf, mix, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { significant } from './amounts.js';
import type { Declared } from './declared.js';
import { FIRST_YEAR, LAST_YEAR } from './growth.js';
import { firstCommon } from './trading-days.js';

/** Qot_Common.AssetClass. */
const AssetClass = { stock: 1, bond: 2, commodity: 3 } as const;

/** Distributions a year. */
const payments: Readonly<Record<QuoteMarket, number>> = { US: 4, HK: 2, SH: 1, SZ: 1, JP: 1, SG: 2, MY: 2, FX: 0 };

const DAYS_PER_YEAR = 365;
/** Funds that move more than this are leveraged, and pay nothing. */
const LEVERAGED_VOLATILITY = 0.4;
const NOTICE_DAYS = 7;
const PAY_DAYS = 6;

/** An exchange traded fund: it has net assets and distributions, and no accounts. */
export class Fund {
  readonly assetClass: number;
  /** Market price over net asset value, as a fraction: 0.001 is 0.1 % above. */
  readonly premium: number;
  readonly #key: number;
  /** Yearly yield as a fraction of the price; 0 for accumulating funds. */
  readonly #yield: number;

  constructor(
    seed: string | number,
    readonly instrument: Instrument,
    private readonly priceKey: number,
    private readonly known: Anchor | undefined,
    private readonly isQuiet: (day: number) => boolean,
  ) {
    this.#key = keyOf(`${seed}|fund|${instrument.symbol}`);
    this.assetClass = /bond|treasur/i.test(instrument.name)
      ? AssetClass.bond
      : /gold|silver|oil|commodit|黄金/i.test(instrument.name)
        ? AssetClass.commodity
        : AssetClass.stock;
    this.premium = Math.round((uniform(this.#key, 0) - 0.5) * 40) / 10_000;
    const pays = this.assetClass !== AssetClass.commodity && instrument.volatility < LEVERAGED_VOLATILITY && uniform(this.#key, 1) < 0.8;
    this.#yield = pays ? 0.01 + 0.03 * uniform(this.#key, 2) : 0;
  }

  /** As of {@link PricePath.at}. */
  priceAt(day: number): number {
    const { volatility, referencePrice } = this.instrument;
    return chainPrice(this.priceKey, day, volatility / Math.sqrt(DAYS_PER_YEAR), this.known ?? { price: Number(referencePrice) });
  }

  /** Distributions that go ex in a calendar year, oldest first. */
  distributionsIn(year: number): readonly Declared[] {
    const count = payments[this.instrument.market];
    if (this.#yield === 0 || year < FIRST_YEAR || year > LAST_YEAR) return [];
    return Array.from({ length: count }, (_, i) => this.#distribution(year, i, count)).filter((one) => one !== undefined);
  }

  #distribution(year: number, index: number, count: number): Declared | undefined {
    // The third Monday or so of the last month of each period.
    const due = requireDay(`${year}-${String((12 / count) * (index + 1)).padStart(2, '0')}-15`) + Math.floor(6 * uniform(this.#key, 3));
    const ex = firstCommon([this.instrument], due);
    if (ex <= requireDay(this.instrument.listDate) || this.isQuiet(ex)) return undefined;
    const announced = ex - NOTICE_DAYS;
    const swing = 0.85 + 0.3 * uniform(mix(this.#key, year), index);
    const perShare = significant((this.priceAt(announced) / 1e9) * (this.#yield / count) * swing);
    return perShare > 0n ? { announced, ex, pay: ex + PAY_DAYS, perShare, special: false } : undefined;
  }
}
