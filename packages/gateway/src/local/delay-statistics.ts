import { create } from '@bufbuild/protobuf';
import { type Access, allowsAccount, allowsMarket, allowsSymbol, type KeyRecord, scopeMask, scopesSatisfy } from '@svc-gateway/access';
import * as Delays from '@svc-gateway/contract/generated/GetDelayStatistics_pb';
import { system } from '@svc-gateway/contract/operations';
import { shown } from '@svc-gateway/contract/shown';
import { DelayHistogram, defaultSegments } from '../delay-histogram.js';
import { limitsOf } from '../market-names.js';
import type { Meter, PlacedOrder } from '../meter.js';
import { failure, success } from '../responses.js';
import { unidentified } from '../visibility.js';
import { alone, type LocalOperation } from './index.js';

const accountScope = scopeMask(['acc:read']);

/**
 * How long things took inside the gateway. Of orders a caller sees those that it could read in a list of orders: anybody who
 * reads quotes may ask for this. Of a push it measures the way from the backend's event to the sockets
 * (stage CR2CS); the other stages belong to servers it cannot see and are answered without data.
 */
export function delayStatistics(meter: Meter, access: Access): LocalOperation {
  return alone(({ request, identity }) => {
    const { typeList, segmentList, qotPushStage } = request as Delays.C2S;
    const segments = segmentList.length === 0 ? defaultSegments : segmentList;
    if (
      segments.some(
        (segment, index) =>
          segment === 0 ||
          segment < -1 ||
          (segment === -1 && index < segments.length - 1) ||
          (index > 0 && segment !== -1 && segment <= (segments[index - 1] ?? 0)),
      )
    ) {
      return failure(
        system.getDelayStatistics,
        `segment_list: expected rising milliseconds, at most a last -1 for "no end"; found ${shown(segments.join(', '))}`,
      );
    }
    const seesAll = maySee(access, identity.key, { accId: 0n, legs: unidentified });
    const wants = (type: Delays.DelayStatisticsType) => typeList.length === 0 || typeList.includes(type);
    const measured = qotPushStage === Delays.QotPushStage.QotPushStage_Unkonw || qotPushStage === Delays.QotPushStage.QotPushStage_CR2CS;
    const s2c = create(Delays.S2CSchema);
    if (wants(Delays.DelayStatisticsType.DelayStatisticsType_QotPush)) {
      for (const [type, histogram] of meter.pushDelays)
        s2c.qotPushStatisticsList.push(pushStatistics(type, measured ? histogram : new DelayHistogram(), segments));
    }
    if (wants(Delays.DelayStatisticsType.DelayStatisticsType_ReqReply)) {
      for (const { operation, count, totalMs } of meter.requests.values()) {
        // How often all callers have traded is told to whom all orders are.
        if (operation.protoId === null || (operation.effect === 'order' && !seesAll)) continue;
        const average = totalMs / count;
        s2c.reqReplyStatisticsList.push(
          create(Delays.ReqReplyStatisticsItemSchema, {
            protoID: operation.protoId,
            count,
            totalCostAvg: average,
            openDCostAvg: average,
            netDelayAvg: 0,
            isLocalReply: true,
          }),
        );
      }
    }
    if (wants(Delays.DelayStatisticsType.DelayStatisticsType_PlaceOrder)) {
      for (const { orderId, totalMs } of meter.placedOrders.filter((order) => maySee(access, identity.key, order))) {
        s2c.placeOrderStatisticsList.push(
          create(Delays.PlaceOrderStatisticsItemSchema, {
            orderID: orderId,
            totalCost: totalMs,
            openDCost: totalMs,
            netDelay: 0,
            updateCost: 0,
          }),
        );
      }
    }
    return success(system.getDelayStatistics, s2c);
  });
}

function maySee(access: Access, key: KeyRecord | undefined, { accId, legs }: Pick<PlacedOrder, 'accId' | 'legs'>): boolean {
  if (key !== undefined && !scopesSatisfy(key.scopes, accountScope)) return false;
  return limitsOf(access, key).every(
    (limits) =>
      allowsAccount(limits, accId) && legs.every(({ markets, symbol }) => allowsMarket(limits, markets) && allowsSymbol(limits, symbol)),
  );
}

function pushStatistics(qotPushType: number, histogram: DelayHistogram, segments: readonly number[]): Delays.DelayStatistics {
  const itemList: Delays.DelayStatisticsItem[] = [];
  let begin = 0;
  let cumulative = 0;
  for (const end of segments) {
    const count = histogram.between(begin, end);
    cumulative += count;
    const share = (part: number) => (histogram.count === 0 ? 0 : (part / histogram.count) * 100);
    itemList.push(
      create(Delays.DelayStatisticsItemSchema, { begin, end, count, proportion: share(count), cumulativeRatio: share(cumulative) }),
    );
    begin = end;
  }
  const delayAvg = histogram.count === 0 ? 0 : histogram.totalMs / histogram.count;
  return create(Delays.DelayStatisticsSchema, { qotPushType, itemList, delayAvg, count: histogram.count });
}
