import { create } from '@bufbuild/protobuf';
import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { C2SSchema } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { securityOf } from '@svc-gateway/contract/security';
import type { Backend, CallContext } from './backend.js';
import { BackendFailure } from './backend-failures.js';
import { payloadOf } from './responses.js';

/**
 * The symbols under which the backend lists these, beside those given: "HK.HSImain" of "HK.hsimain". A rejection where it knows one of
 * them not, in its own words; a backend that does not say leaves them as they are.
 *
 * @param field names the field of the caller's request.
 */
export async function listedSymbols(
  backend: Backend,
  symbols: ReadonlySet<string>,
  field: string,
  context: CallContext,
): Promise<ReadonlySet<string> | Rejection> {
  const securityList = [...symbols].flatMap((symbol) => securityOf(symbol) ?? []);
  try {
    const answer = await backend.call(quote.getStaticInfo, create(C2SSchema, { securityList }), context);
    if (answer.retType !== 0 && refusalCode(answer).code === 'broker.unknown_code')
      return new Rejection('request.invalid', `${field}: ${answer.retMsg}`, { field });
    const listed = payloadOf(quote.getStaticInfo, answer)?.staticInfoList ?? [];
    const names = listed.map(({ basic }) => basic?.security && symbolOf(basic.security)).filter((name) => name !== undefined);
    return new Set([...symbols, ...names]);
  } catch (thrown) {
    if (thrown instanceof BackendFailure) return symbols;
    throw thrown;
  }
}
