import { clone, create } from '@bufbuild/protobuf';
import * as GetUserInfo from '../../contract/generated/GetUserInfo_pb.js';
import * as QotRequestHistoryKLQuota from '../../contract/generated/Qot_RequestHistoryKLQuota_pb.js';
import type { ResponseMessage } from '../../gateway/index.js';

/** What is taken for granted while nobody has logged in. */
const COLD_START = 100;

/** The history K-line quota as callers are told of it: the account's own after login, and what the operator has set above both. */
export class HistoryQuota {
  readonly #override: number | undefined;

  /** @param override `--history-kl-quota-max`. */
  constructor(override: number | undefined) {
    this.#override = override;
  }

  /** The answer about the quota before the first login. */
  beforeLogin(): ResponseMessage {
    const s2c = { usedQuota: 0, remainQuota: this.#override ?? COLD_START };
    return create(QotRequestHistoryKLQuota.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
  }

  /** The brokerage's answer about the quota. */
  shown(answer: ResponseMessage): ResponseMessage {
    const own = clone(QotRequestHistoryKLQuota.ResponseSchema, answer as QotRequestHistoryKLQuota.Response);
    if (this.#override === undefined || own.s2c === undefined) return answer;
    own.s2c.remainQuota = Math.max(0, this.#override - own.s2c.usedQuota);
    return own;
  }

  /** The brokerage's answer about the user, which says the quota too. */
  shownOfUser(answer: ResponseMessage): ResponseMessage {
    const own = clone(GetUserInfo.ResponseSchema, answer as GetUserInfo.Response);
    if (this.#override === undefined || own.s2c === undefined) return answer;
    own.s2c.historyKLQuota = this.#override;
    return own;
  }
}
