import { create, type Message, type MessageShape } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { getOrInsert } from '@svc-gateway/contract/memo';
import { requireSecurity } from '@svc-gateway/contract/security';
import { BackendFailure } from '@svc-gateway/gateway';
import type { ProtocolOperation } from '../connection/upstream.js';
import { askInHalves, partsOf } from '../requests/parts.js';
import type { Outcome } from '../requests/refusals.js';
import type { Sender } from '../requests/sender.js';
import { type QuotaUnit, type SubscriptionTerms, unitKey } from './quota-unit.js';

const sub: ProtocolOperation<typeof QotSub> = { name: 'subscribe', protoId: 3001, messages: QotSub };
const regPush: ProtocolOperation<typeof QotRegQotPush> = { name: 'register for pushes', protoId: 3002, messages: QotRegQotPush };
const subInfo: ProtocolOperation<typeof QotGetSubInfo> = { name: 'query_subscription', protoId: 3003, messages: QotGetSubInfo };

/** Symbols of one request; no bound of the upstream is published. */
const SYMBOLS_MAX = 100;
/** Answer timeout of shared subscriptions, independent of callers' deadlines. */
const ANSWER_MS_MAX = 10_000;

/** A unit, and the terms that its users want at one moment. */
export interface Wish {
  readonly unit: QuotaUnit;
  readonly terms: SubscriptionTerms;
}

export function wishOf(unit: QuotaUnit): Wish {
  return { unit, terms: unit.wanted };
}

/** Reason why a unit could not be had: the upstream's refusal, or why there was no answer. */
export type UnitFailure = Outcome | BackendFailure;

/** Requests about subscriptions, for many units at a time. */
export class SubscriptionRequests {
  constructor(
    private readonly sender: Sender,
    private readonly clock: Clock,
  ) {}

  /** Subscribes, with pushes where they are wished. Says which were refused, and why. */
  async subscribe(wishes: readonly Wish[]): Promise<ReadonlyMap<QuotaUnit, UnitFailure>> {
    const remarks: Outcome[] = [];
    const request = (securityList: Security[], wish: Wish) => this.#subscription(securityList, wish);
    const failures = await this.#inGroups(wishes, request, (answer) => remarks.push(answer));
    const [remark] = remarks;
    // It was taken up with a remark: there are upstreams that leave out what they do not have, and say so in words.
    const taken = remark === undefined ? undefined : await this.info();
    if (remark === undefined || taken === undefined) return failures;
    const refused = { response: Object.assign(create(QotSub.ResponseSchema), remark.response, { retType: -1 }) };
    const leftOut = wishes.filter(({ unit }) => !failures.has(unit) && !taken.units.has(unit.key));
    const all = new Map(failures);
    for (const { unit } of leftOut) all.set(unit, refused);
    return all;
  }

  /**
   * Subscribes and registers again to units that the upstream says it delivers. Nothing is pushed from its memory, as that would pass for a
   * sign of life; what it refuses was refused before.
   */
  async repeat(wishes: readonly Wish[]): Promise<void> {
    await this.#inGroups(wishes, (securityList, wish) => this.#subscription(securityList, wish, false));
    await this.register(wishes, false);
  }

  #subscription(
    securityList: Security[],
    { unit, terms: { pushes, rehabTypes, extendedTime, orderDetail } }: Wish,
    isFirstPush = true,
  ): readonly [ProtocolOperation, Message] {
    return [
      sub,
      create(QotSub.C2SSchema, {
        securityList,
        subTypeList: [unit.subType],
        isSubOrUnSub: true,
        ...(pushes ? { isRegOrUnRegPush: true, regPushRehabTypeList: [...rehabTypes], isFirstPush } : {}),
        ...(extendedTime ? { extendedTime } : {}),
        ...(orderDetail ? { isSubOrderBookDetail: true } : {}),
      }),
    ];
  }

  /** Registers for pushes of units that are subscribed to already: a second subscription would be counted twice by some upstreams. */
  register(wishes: readonly Wish[], isFirstPush = true): Promise<ReadonlyMap<QuotaUnit, UnitFailure>> {
    return this.#inGroups(wishes, (securityList, { unit, terms: { rehabTypes } }) => [
      regPush,
      create(QotRegQotPush.C2SSchema, {
        securityList,
        subTypeList: [unit.subType],
        rehabTypeList: [...rehabTypes],
        isRegOrUnReg: true,
        isFirstPush,
      }),
    ]);
  }

  unsubscribe(units: readonly QuotaUnit[]): Promise<ReadonlyMap<QuotaUnit, UnitFailure>> {
    return this.#inGroups(units.map(wishOf), (securityList, { unit }) => [
      sub,
      create(QotSub.C2SSchema, { securityList, subTypeList: [unit.subType], isSubOrUnSub: false }),
    ]);
  }

  /** The quotas, and the keys of the units that this connection is subscribed to; undefined where the upstream does not say. */
  async info(): Promise<{ readonly s2c: MessageShape<typeof QotGetSubInfo.S2CSchema>; readonly units: ReadonlySet<string> } | undefined> {
    const answer = await this.#ask(subInfo, create(QotGetSubInfo.C2SSchema, { isReqAllConn: false }));
    const s2c = answer instanceof BackendFailure ? undefined : (answer.response as MessageShape<typeof QotGetSubInfo.ResponseSchema>).s2c;
    if (s2c === undefined) return undefined;
    const own = s2c.connSubInfoList.filter(({ isOwnConnData }) => isOwnConnData).flatMap(({ subInfoList }) => subInfoList);
    const keys = own.flatMap(({ subType, securityList }) =>
      securityList.map((security) => unitKey({ symbol: symbolOf(security) ?? '', subType })),
    );
    return { s2c, units: new Set(keys) };
  }

  /** One request for those that differ in nothing but their symbol, in parts of a size that the upstream takes. */
  async #inGroups(
    wishes: readonly Wish[],
    request: (securityList: Security[], like: Wish) => readonly [ProtocolOperation, Message],
    onRemark: (answer: Outcome) => void = () => undefined,
  ): Promise<ReadonlyMap<QuotaUnit, UnitFailure>> {
    const groups = new Map<string, Wish[]>();
    for (const wish of wishes) {
      const { pushes, rehabTypes, extendedTime, orderDetail } = wish.terms;
      const signature = `${wish.unit.subType} ${pushes} ${rehabTypes} ${extendedTime} ${orderDetail}`;
      getOrInsert(groups, signature, () => []).push(wish);
    }
    const ask = (part: readonly Wish[]) => {
      const [asked, c2s] = request(
        part.map(({ unit }) => requireSecurity(unit.symbol)),
        part[0] as Wish,
      );
      return this.#ask(asked, c2s);
    };
    const parts = [...groups.values()].flatMap((group) => partsOf(group, SYMBOLS_MAX));
    const answers = (await Promise.all(parts.map((part) => askInHalves(part, ask, isAboutSymbols)))).flat();
    const failures = new Map<QuotaUnit, UnitFailure>();
    for (const [part, answer] of answers) {
      const taken = !(answer instanceof BackendFailure) && answer.response.retType === 0;
      if (!taken) for (const { unit } of part) failures.set(unit, answer);
      else if (answer.response.retMsg !== '') onRemark(answer);
    }
    return failures;
  }

  /** Outcome of a request; a failure is a value. */
  async #ask(asked: ProtocolOperation, c2s: Message): Promise<UnitFailure> {
    const deadline = this.clock.monotonic() + ANSWER_MS_MAX;
    try {
      return await this.sender.ask(asked, c2s, { deadline });
    } catch (thrown) {
      if (thrown instanceof BackendFailure) return thrown;
      throw thrown;
    }
  }
}

/** Whether a refusal may be due to some of the symbols only; of the quota, a part of them may still fit. */
function isAboutSymbols(failure: UnitFailure): boolean {
  if (failure instanceof BackendFailure || failure.response.retType === 0) return false;
  const { refused } = failure;
  return refused === undefined || refused === 'no_right' || refused === 'too_young' || refused === 'subscription_quota';
}
