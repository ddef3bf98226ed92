import { OrderType, TrdEnv } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import type { Connected } from '../connected.js';
import { type Ask, Refused, type Rule } from '../rule.js';
import type { Texts } from './texts.js';

const FILL_PUSH = 2218;

/** Fields that requests about trading have. */
type Trading = Ask['c2s'] & {
  readonly header?: { readonly trdEnv: number };
  readonly packetID?: { readonly connID: bigint; readonly serialNo: number };
};

/** In simulated accounts there are limit and market orders, and no lists or pushes of fills: filled orders say how much. */
export function simulatedTrading(simulated: ReadonlySet<bigint>, { simulatedDeals }: Texts): Rule {
  return {
    judge({ operation, c2s }) {
      const { header } = c2s as Trading;
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

/** Whether real accounts may trade; the same for all connections. */
export interface TradeLock {
  readonly isUnlocked: boolean;
  lock(): void;
}

/** Orders in real accounts need an unlock, by any connection. A restart locks again. */
export function unlocked(lock: TradeLock, { locked }: Texts): Rule {
  return {
    judge({ operation, c2s }) {
      const { header } = c2s as Trading;
      if (operation?.group !== 'trade' || operation === trade.unlockTrade) return undefined;
      return header?.trdEnv === TrdEnv.TrdEnv_Real && !lock.isUnlocked ? new Refused(locked) : undefined;
    },
    restarted: () => lock.lock(),
  };
}

/** A write names its own connection and a serial number above that of the write before. */
export function packetIds(): Rule {
  const newest = new WeakMap<Connected, number>();
  return {
    judge({ c2s, client }) {
      const { packetID } = c2s as Trading;
      if (packetID === undefined) return undefined;
      const { connID, serialNo } = packetID;
      if (connID !== client.id) return new Refused(`packetID.connID ${connID} is not this connection's, which is ${client.id}`);
      const before = newest.get(client);
      if (before !== undefined && serialNo <= before)
        return new Refused(`packetID.serialNo ${serialNo} is not above the last one, ${before}`);
      newest.set(client, serialNo);
      return undefined;
    },
  };
}
