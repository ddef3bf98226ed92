import { type BrokerCode, numberOfBrokerCode } from '@svc-gateway/contract/broker-codes';
import { missingText } from '@svc-gateway/contract/problem';
import { shownMessage } from '@svc-gateway/contract/shown';

/** A refusal by the brokerage: `retType` -1 with this text and code. */
export class Refusal {
  /** Protocol errCode. */
  readonly errCode: number;
  readonly message: string;

  constructor(message: string, code: BrokerCode | number = 'broker.value') {
    this.message = shownMessage(message);
    this.errCode = typeof code === 'number' ? code : numberOfBrokerCode(code);
  }

  /** The same refusal of the value at a path of the request. */
  at(path: string): Refusal {
    return new Refusal(`${path}: ${this.message}`, this.errCode);
  }
}

/** The refusal of a request that lacks fields, by their whole paths. `why`: of the first. */
export function missing(names: readonly string[], why?: string): Refusal {
  return new Refusal(missingText(names, why), 'broker.missing_field');
}
