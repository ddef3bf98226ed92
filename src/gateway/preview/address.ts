import { TrdEnv, type TrdHeader } from '../../contract/generated/Trd_Common_pb.js';
import type { Operation } from '../../contract/operation.js';
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
