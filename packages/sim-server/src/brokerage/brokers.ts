import type { Account } from '@svc-gateway/simulator/brokerage/account';

/** A broker of the simulated brokerage, and which of its accounts are there. */
interface Broker {
  readonly id: number;
  readonly name: string;
  readonly keeps: (account: Account) => boolean;
}

const us = ({ environment, markets }: Account) => environment === 'simulate' && markets.includes('US');
const asia = ({ environment, markets }: Account) =>
  environment === 'simulate' && (['SG', 'JP', 'MY'] as const).some((market) => markets.includes(market));

/** Each account is at exactly one of them: those of one market at its region's, all others at the first. */
export const brokers: readonly Broker[] = [
  { id: 1001, name: 'Simulated Securities', keeps: (account) => !us(account) && !asia(account) },
  { id: 1007, name: 'Simulated Securities US', keeps: us },
  { id: 1008, name: 'Simulated Securities SG', keeps: asia },
];
