import { create, type Message } from '@bufbuild/protobuf';
import { type S2C as UserInfo, UserInfoField } from '@svc-gateway/contract/generated/GetUserInfo_pb';
import { QotRight } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { ResponseSchema } from '@svc-gateway/contract/generated/svc/quote_rights_pb';
import { type QuoteMarket, quoteMarkets } from '@svc-gateway/contract/markets';
import { system } from '@svc-gateway/contract/operations';
import type { CallContext, ResponseMessage } from '@svc-gateway/gateway/backend';
import { BackendRefused } from '@svc-gateway/gateway/backend-failures';
import type { RateLimitedClient } from './requests/rate-limited-client.js';

/** The right to the stocks of a market, as user information has it; forex is not in it. */
const rightTo: Readonly<Partial<Record<QuoteMarket, (info: UserInfo) => number>>> = {
  HK: ({ hkQotRight }) => hkQotRight,
  US: ({ usQotRight }) => usQotRight,
  // Older upstreams have one right for both.
  SH: ({ shQotRight, cnQotRight }) => shQotRight || cnQotRight,
  SZ: ({ szQotRight, cnQotRight }) => szQotRight || cnQotRight,
  SG: ({ sgStockQotRight }) => sgStockQotRight,
  JP: ({ jpStockQotRight }) => jpStockQotRight,
  MY: ({ myStockQotRight }) => myStockQotRight,
};

/** Quote rights, from the user's information where the server has no operation for them. */
export async function readQuoteRights(requests: RateLimitedClient, request: Message, context: CallContext): Promise<ResponseMessage> {
  try {
    return await requests.call(system.getQuoteRights, request, context);
  } catch (thrown) {
    if (!(thrown instanceof BackendRefused && thrown.code === 'backend.unsupported')) throw thrown;
    return quoteRightsBy(await requests.call(system.getUserInfo, rightsWanted, context));
  }
}

/** Request for the quote rights in the user information. */
const rightsWanted = create(system.getUserInfo.messages.C2SSchema, { flag: UserInfoField.UserInfoField_QotRight });

/** The quote rights of an upstream's login by its user information: an upstream that is no gateway has no operation for them. */
function quoteRightsBy(answer: ResponseMessage): ResponseMessage {
  const { retType, retMsg, errCode, s2c } = answer as ResponseMessage & { readonly s2c?: UserInfo };
  if (retType !== 0 || s2c === undefined) return create(ResponseSchema, { retType, retMsg, errCode }) as ResponseMessage;
  const rightList = quoteMarkets.map(({ name, number }) => ({ market: number, right: rightTo[name]?.(s2c) ?? QotRight.QotRight_Unknow }));
  return create(ResponseSchema, { retType: 0, s2c: { rightList } }) as ResponseMessage;
}
