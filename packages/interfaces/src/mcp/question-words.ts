import type { Message } from '@bufbuild/protobuf';
import { TrdEnv } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation, RequestOf } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { accountInWords } from '@svc-gateway/gateway';

/** Form of the gateway's bracket ids; any other text comes from the model and is not shown to a person. */
const BRACKET_ID = /^[\w-]{12}$/;

/** Questions about writes without a preview, by operation. */
export const questionWords: Readonly<Record<string, (request: Message) => string>> = {
  [trade.unlockTrade.name]: (request) => unlocking(request as RequestOf<typeof trade.unlockTrade>),
  [trade.cancelBracket.name]: (request) => ending(request as RequestOf<typeof trade.cancelBracket>),
};

/** The question about a write that has no preview. */
export function questionInWords({ name, summary }: Operation, request: Message): string {
  return questionWords[name]?.(request) ?? summary;
}

function unlocking({ unlock }: RequestOf<typeof trade.unlockTrade>): string {
  return unlock
    ? 'Unlock trading in the REAL accounts: orders with real money can be placed until it is locked again.'
    : 'Lock trading in the REAL accounts: no order with real money can be placed until it is unlocked again.';
}

function ending({ header, bracketId }: RequestOf<typeof trade.cancelBracket>): string {
  const which = BRACKET_ID.test(bracketId) ? `bracket ${bracketId}` : 'a bracket';
  const env = header?.trdEnv === TrdEnv.TrdEnv_Simulate ? 'simulate' : 'real';
  const where = accountInWords({ env, accId: header?.accID ?? 0n });
  return `End ${which} ${where}: its take-profit and stop-loss are cancelled, and nothing closes its position any more. The entry and the position stay.`;
}
