import type { Message } from '@bufbuild/protobuf';
import { OrderType, TrdEnv } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import { Refused, type Rule } from '../rule.js';
import type { Texts } from './texts.js';

const FILL_PUSH = 2218;

/** In simulated accounts there are limit and market orders, and no lists or pushes of fills: filled orders say how much. */
export function simulatedTrading(simulated: ReadonlySet<bigint>, { simulatedDeals }: Texts): Rule {
  return {
    name: 'simulated trading',
    judge({ operation, c2s }) {
      const { header } = c2s as Message & { header?: { readonly trdEnv: number } };
      if (operation === undefined || header?.trdEnv !== TrdEnv.TrdEnv_Simulate) return undefined;
      if (operation === account.getDeals || operation === account.getHistoryDeals) return new Refused(simulatedDeals);
      if (operation !== trade.placeOrder) return undefined;
      const { orderType } = c2s as PlaceC2S;
      if (orderType === OrderType.OrderType_Normal || orderType === OrderType.OrderType_Market) return undefined;
      return new Refused(`orderType ${orderType} is not supported in simulated trading, which has 1 (normal) and 2 (market)`);
    },
    withholds: (event) => event.type === 'trade' && event.protoId === FILL_PUSH && simulated.has(event.accId),
  };
}
