import { SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { parseSymbol } from '@svc-gateway/contract/markets';
import type { QuoteStream } from '@svc-gateway/gateway';

/** Name of a quota unit: one type of live data of one symbol, whatever its adjustments and hours. */
export interface QuotaUnitName {
  /** "HK.00700". */
  readonly symbol: string;
  /** Qot_Common.SubType. */
  readonly subType: number;
}

/** Terms of a subscription, as wanted or as granted. */
export interface SubscriptionTerms {
  readonly pushes: boolean;
  /** Qot_Common.RehabType of the pushed K-lines; other types of data have one, which says nothing. */
  readonly rehabTypes: readonly number[];
  readonly extendedTime: boolean;
  /** The orders behind each level of a book. */
  readonly orderDetail: boolean;
}

const noPushes: SubscriptionTerms = { pushes: false, rehabTypes: [], extendedTime: false, orderDetail: false };

/** A quota unit: its users, and the server's grant. Times are of `Clock.monotonic`. */
export class QuotaUnit implements QuotaUnitName {
  readonly key: string;
  readonly symbol: string;
  readonly subType: number;
  /** `starting` and `ending` last while the server is asked. */
  state: 'absent' | 'starting' | 'present' | 'ending' = 'absent';
  granted = noPushes;
  /** Time of the last subscription. */
  since = 0;
  /** Whether it has answered with data since then. */
  warm = false;
  /** Streams that callers hold, by their keys. */
  readonly streams = new Map<string, QuoteStream>();
  /** Reads under way. */
  readers = 0;
  lastRead = Number.NEGATIVE_INFINITY;
  /** Kept until then for the next read. */
  keptUntil = Number.NEGATIVE_INFINITY;

  constructor(name: QuotaUnitName) {
    this.symbol = name.symbol;
    this.subType = name.subType;
    this.key = unitKey(name);
  }

  get isIdle(): boolean {
    return this.streams.size === 0 && this.readers === 0;
  }

  /** Only read, and a snapshot has the same data without a subscription. */
  get isSpare(): boolean {
    return this.subType === SubType.SubType_Basic && this.streams.size === 0;
  }

  /** Terms that the holders of its streams want together; of hours and orders the wider. */
  get wanted(): SubscriptionTerms {
    if (this.streams.size === 0) return noPushes;
    const streams = [...this.streams.values()];
    return {
      pushes: true,
      rehabTypes: [...new Set(streams.map(({ rehabType }) => rehabType))].sort((a, b) => a - b),
      extendedTime: streams.some(({ extendedTime }) => extendedTime),
      orderDetail: streams.some(({ orderDetail }) => orderDetail),
    };
  }

  /** Whether it was subscribed to with the wanted hours and orders, which only another subscription changes. */
  get hasWantedKind(): boolean {
    const { pushes, extendedTime, orderDetail } = this.wanted;
    return !pushes || (this.granted.extendedTime === extendedTime && this.granted.orderDetail === orderDetail);
  }

  /** Whether the server delivers everything that is wanted. */
  get isServed(): boolean {
    if (this.state !== 'present') return false;
    const { pushes, rehabTypes } = this.wanted;
    const { granted } = this;
    return !pushes || (granted.pushes && this.hasWantedKind && rehabTypes.every((type) => granted.rehabTypes.includes(type)));
  }

  /** The server has taken these terms. */
  grant(terms: SubscriptionTerms): void {
    if (!terms.pushes) return;
    this.granted = { ...terms, rehabTypes: [...new Set([...this.granted.rehabTypes, ...terms.rehabTypes])] };
  }

  /** The server delivers it no more. */
  forget(): void {
    this.state = 'absent';
    this.warm = false;
    this.granted = noPushes;
  }
}

export function unitKey({ symbol, subType }: QuotaUnitName): string {
  return `${symbol} ${subType}`;
}

/** Codes of options: the underlying, the expiry (yymmdd), call or put, the strike. */
const OPTION_CODE = /^(.+?)(\d{6})[CP]\d+$/;

/** Contracts that an option counts with: "US.AAPL 260116", of its underlying and expiry; undefined for anything but options. */
export function optionSeries({ symbol }: QuotaUnitName): string | undefined {
  const parsed = parseSymbol(symbol);
  const match = parsed === undefined ? null : OPTION_CODE.exec(parsed.code);
  return match === null ? undefined : `${parsed?.market.name}.${match[1]} ${match[2]}`;
}
