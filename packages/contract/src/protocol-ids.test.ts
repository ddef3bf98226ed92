import { create, type Message } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as QotGetSubInfo from './generated/Qot_GetSubInfo_pb.js';
import * as QotSub from './generated/Qot_Sub_pb.js';
import * as TrdModifyOrder from './generated/Trd_ModifyOrder_pb.js';
import * as TrdSubAccPush from './generated/Trd_SubAccPush_pb.js';
import type { Operation } from './operation.js';
import { operations, subscription, trade } from './operations/index.js';
import { ProtocolIds } from './protocol-ids.js';

const ids = new ProtocolIds();
const served = [...new Set(operations.flatMap(({ protoId }) => (protoId === null ? [] : [protoId])))];
const shared = served.filter((protoId) => ids.operationsOf(protoId).length > 1);

/** Whether a message meets the conditions that an operation declares, read from the message itself. */
function meets({ answers }: Operation, message: Message): boolean {
  return answers.every(({ field, is }) => {
    const value = (message as unknown as Record<string, unknown>)[field];
    if (is === 'empty') return (value as unknown[]).length === 0;
    return (value ?? (typeof is === 'boolean' ? false : 0)) === is;
  });
}

/** Messages whose fields that tell operations apart hold anything, or nothing. */
function messagesOf(protoId: number): fc.Arbitrary<Message> {
  const sharing = ids.operationsOf(protoId);
  const values: Record<string, fc.Arbitrary<unknown>> = {};
  for (const { field, is } of sharing.flatMap(({ answers }) => answers)) {
    values[field] =
      is === 'empty'
        ? fc.array(fc.bigInt(0n, 9n), { maxLength: 2 })
        : typeof is === 'boolean'
          ? fc.boolean()
          : fc.integer({ min: -1, max: 6 });
  }
  return fc.record(values, { requiredKeys: [] }).map((fields) => create(sharing[0]!.messages.C2SSchema, fields));
}

describe('a protocol id', () => {
  it('names its operation, and where several share it exactly one answers each message', () => {
    expect(shared.length).toBeGreaterThan(3);
    for (const protoId of shared) {
      fc.assert(
        fc.property(messagesOf(protoId), (message) => {
          const [rest, ...conditioned] = [...ids.operationsOf(protoId)].reverse();
          const meeting = conditioned.filter((operation) => meets(operation, message));
          expect(meeting.length).toBeLessThanOrEqual(1);
          expect(ids.operationOf(protoId, message)).toBe(meeting[0] ?? rest);
        }),
      );
    }
  });

  it('has an answer for every operation that is declared with one', () => {
    for (const protoId of served) {
      const sharing = ids.operationsOf(protoId);
      if (sharing.length === 1) {
        expect(ids.operationOf(protoId, create(sharing[0]!.messages.C2SSchema))).toBe(sharing[0]);
        continue;
      }
      const reached = new Set<Operation | undefined>();
      fc.assert(
        fc.property(messagesOf(protoId), (message) => void reached.add(ids.operationOf(protoId, message))),
        { numRuns: 500 },
      );
      expect(reached).toEqual(new Set(sharing));
    }
  });

  it('is not served unless an operation declares it', () => {
    expect(ids.operationsOf(9999)).toEqual([]);
    expect(ids.operationOf(9999, create(QotSub.C2SSchema))).toBeUndefined();
  });

  it.each([
    [3001, create(QotSub.C2SSchema, { isSubOrUnSub: true }), 'subscribe'],
    [3001, create(QotSub.C2SSchema, { isSubOrUnSub: false }), 'unsubscribe'],
    [3001, create(QotSub.C2SSchema, { isSubOrUnSub: true, isUnsubAll: true }), 'unsubscribe'],
    [3003, create(QotGetSubInfo.C2SSchema), 'get_sub_info'],
    [3003, create(QotGetSubInfo.C2SSchema, { isReqAllConn: true }), 'query_subscription'],
    [2205, create(TrdModifyOrder.C2SSchema, { modifyOrderOp: 1 }), 'modify_order'],
    [2205, create(TrdModifyOrder.C2SSchema, { modifyOrderOp: 2 }), 'cancel_order'],
    [2205, create(TrdModifyOrder.C2SSchema, { modifyOrderOp: 2, forAll: true }), 'cancel_all_order'],
    [2205, create(TrdModifyOrder.C2SSchema, { modifyOrderOp: 3, forAll: true }), 'modify_order'],
    [2008, create(TrdSubAccPush.C2SSchema, { accIDList: [1n] }), 'sub_acc_push'],
    [2008, create(TrdSubAccPush.C2SSchema), 'unsub_acc_push'],
  ])('%i with %o is %s', (protoId, message, name) => expect(ids.operationOf(protoId, message)?.name).toBe(name));

  it('cannot be shared by operations that nothing tells apart', () => {
    const twin = { ...trade.unlockTrade, name: 'twin' };
    expect(() => new ProtocolIds([trade.unlockTrade, twin])).toThrow('protocol id 2005: exactly one of unlock_trade, twin');
    expect(() => new ProtocolIds([subscription.subscribe])).toThrow('0 are');
  });
});
