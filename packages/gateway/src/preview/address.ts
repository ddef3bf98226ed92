import { TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { marketName } from '../trade-names.js';
import type { PreviewBase } from './preview.js';

/** Operation, account and market of a write. */
export function addressOf(
  operation: Operation,
  { accID, trdEnv, trdMarket }: TrdHeader,
): Pick<PreviewBase, 'operation' | 'accId' | 'env' | 'market'> {
  const env = trdEnv === TrdEnv.TrdEnv_Real ? 'real' : 'simulate';
  return { operation: operation.name, accId: accID, env, market: marketName(trdMarket) };
}
