import { numberOfBrokerCode } from './broker-codes.js';

/** Code of every refusal of an account that is not listed, whoever refuses it. */
export const UNKNOWN_ACCOUNT = numberOfBrokerCode('broker.account');

/**
 * Text of every such refusal. It does not list the accounts: a key may be limited to some of them.
 *
 * @param where "simulate", "real" or "at broker 1001"; empty where the account is looked for among all.
 */
export function unknownAccountText(accId: bigint | string, where = ''): string {
  const of = where === '' ? '' : where.startsWith('at ') ? ` ${where}` : ` for ${where}`;
  return `unknown account ${accId}: it is not in the list of accounts${of}`;
}
