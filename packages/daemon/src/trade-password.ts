import type { TradePasswordSource } from '@svc-gateway/gateway';
import { type CredentialStore, tradePasswordStore } from '@svc-gateway/storage';
import type { Logger } from './log.js';

const VARIABLE = 'SVC_TRADE_PWD';

/**
 * Where the unlock tool gets the trade password from: the variable `SVC_TRADE_PWD`, else the operating system's credential
 * store, asked at each call, so that `svcctl set-trade-pwd` works without a restart. Undefined where neither has one.
 *
 * The variable is taken out of `environment`: given `process.env`, programs that this one starts do not inherit it.
 */
export function tradePassword(
  environment: Record<string, string | undefined>,
  logger: Pick<Logger, 'warn'>,
  store: CredentialStore = tradePasswordStore,
): TradePasswordSource {
  const given = environment[VARIABLE] || undefined;
  delete environment[VARIABLE];
  let warned = false;
  return async () => {
    if (given !== undefined) return given;
    const kept = await store.read();
    if (kept.available) return kept.value || undefined;
    if (!warned) logger.warn({ reason: kept.reason }, `no credential store is available for the trade password; set ${VARIABLE} instead`);
    warned = true;
    return undefined;
  };
}
