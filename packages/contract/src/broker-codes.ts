import type { Told } from './rejection.js';

/**
 * Reasons of refusals by a brokerage, with their numbers in a `Response`'s errCode. The protocol publishes few; these are the gateway's own,
 * in a range apart, so that a reason passes through every interface and bridge.
 */
const numbers = {
  /** No such account, or one of another environment. */
  'broker.account': 21001,
  /** The account does not trade that market or security. */
  'broker.market': 21002,
  'broker.unknown_code': 21003,
  /** The security is not traded yet, or no longer. */
  'broker.not_listed': 21004,
  'broker.order_type': 21005,
  'broker.time_in_force': 21006,
  /** The market is closed, or the session is none of the security's. */
  'broker.session': 21007,
  /** Missing or out of bounds. */
  'broker.price': 21008,
  /** The price is not a multiple of the tick size. */
  'broker.tick': 21009,
  /** The price or distance at which an order goes to the market. */
  'broker.trigger': 21010,
  /** No whole number, or out of bounds. */
  'broker.quantity': 21011,
  'broker.lot_size': 21012,
  /** More than the account holds, or can sell today. */
  'broker.position': 21013,
  'broker.short_sale': 21014,
  'broker.buying_power': 21015,
  'broker.unknown_order': 21016,
  /** The order has ended, or is none that can be changed so. */
  'broker.order_state': 21017,
  'broker.open_orders': 21018,
  'broker.remark': 21019,
  /** Legs that cannot trade together. */
  'broker.legs': 21020,
  /** The packet number has been used for another request. */
  'broker.packet': 21021,
  /** A number that means nothing in the field it stands in. */
  'broker.enumeration': 21022,
  'broker.password': 21023,
  'broker.records': 21024,
  /** A value of a read that is out of the brokerage's bounds, or that it does not serve. */
  'broker.value': 21025,
  /** A field that the request cannot do without, as the brokerage found out. */
  'broker.missing_field': 21026,
} as const;

export type BrokerCode = keyof typeof numbers;

/** Numbers that the specification publishes: they stay numbers in err_code. */
const published: ReadonlyMap<number, string> = new Map([
  [-20011, 'broker.token'],
  [-102, 'broker.channel'],
  [110005, 'broker.contract'],
]);

const names: ReadonlyMap<number, BrokerCode> = new Map(
  (Object.keys(numbers) as BrokerCode[]).map((name): [number, BrokerCode] => [numbers[name], name]),
);

/** Every code that has a number, with it. */
export const brokerCodes: readonly (readonly [code: string, number: number])[] = [
  ...Object.entries(numbers),
  ...[...published].map(([number, code]) => [code, number] as const),
];

/** The errCode of a reason. */
export function numberOfBrokerCode(code: BrokerCode): number {
  return numbers[code];
}

/** Name of a refusal in JSON. */
export interface RefusalCode {
  /** "broker.lot_size"; "backend.refused" where the brokerage gives no reason that is known. */
  readonly code: string;
  /** The same, or the brokerage's own number. */
  readonly errCode: string | number;
}

/** The code of a `Response` whose retType is not 0. */
export function refusalCode({ errCode }: { readonly errCode: number }): RefusalCode {
  const code = names.get(errCode) ?? published.get(errCode) ?? 'backend.refused';
  return { code, errCode: errCode === 0 || names.has(errCode) ? code : errCode };
}

/** A refusal by the brokerage, known before the request is sent. */
export class BrokerRefusal {
  /** "broker.lot_size". */
  readonly code: string;
  /** The brokerage's text. */
  readonly message: string;

  constructor(
    /** The answer that the request would get. */
    readonly response: { readonly retType: number; readonly retMsg: string; readonly errCode: number },
    readonly details: {
      /** As in a {@link Rejection}. */
      readonly about?: Told;
      readonly retryAfterSeconds?: undefined;
    } = {},
  ) {
    this.code = refusalCode(response).code;
    this.message = response.retMsg;
  }

  get auditReason(): string {
    return `broker: ${this.message}`;
  }
}
