import { clone, create } from '@bufbuild/protobuf';
import * as GetUserInfo from '@svc-gateway/contract/generated/GetUserInfo_pb';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotRequestHistoryKL from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import * as QotRequestHistoryKLQuota from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import type { ResponseMessage } from '@svc-gateway/gateway';

/** Quota that is assumed before the first login. */
const COLD_START = 100;
const SUCCEEDED = 0;

/**
 * How many symbols' history may be read in the brokerage's window: the account's own number after login, and above it what the
 * operator has set.
 */
export class HistoryQuota {
  /** Symbols that the brokerage has counted, as far as it was asked. */
  #counted = new Set<string | undefined>();

  /** @param override `--history-kl-quota-max`. */
  constructor(private readonly override: number | undefined) {}

  /** The answer about the quota before the first login. */
  beforeLogin(): ResponseMessage {
    const s2c = { usedQuota: 0, remainQuota: this.override ?? COLD_START };
    return create(QotRequestHistoryKLQuota.ResponseSchema, { retType: SUCCEEDED, s2c }) as ResponseMessage;
  }

  /**
   * Reason why the operator's number lets the history of one more symbol not be read; undefined where it does, or there is none.
   * @param ask has the brokerage say which symbols it has counted; where it does not, the reading itself is left to it.
   */
  async refusal(security: Security | undefined, ask: () => Promise<ResponseMessage>): Promise<ResponseMessage | undefined> {
    const max = this.override;
    const symbol = security && symbolOf(security);
    if (max === undefined || symbol === undefined || this.#counted.has(symbol)) return undefined;
    const { retType, s2c } = (await ask()) as QotRequestHistoryKLQuota.Response;
    if (retType !== SUCCEEDED || s2c === undefined) return undefined;
    this.#counted = new Set(s2c.detailList.map(({ security: counted }) => counted && symbolOf(counted)));
    if (this.#counted.has(symbol) || s2c.usedQuota < max) return undefined;
    const retMsg = `the history K-line quota is used up: ${s2c.usedQuota} symbols of ${max} (--history-kl-quota-max)`;
    return create(QotRequestHistoryKL.ResponseSchema, { retType: -1, retMsg }) as ResponseMessage;
  }

  /** The brokerage's answer about the quota. */
  shown(answer: ResponseMessage): ResponseMessage {
    if (this.override === undefined) return answer;
    const own = clone(QotRequestHistoryKLQuota.ResponseSchema, answer as QotRequestHistoryKLQuota.Response);
    if (own.s2c !== undefined) own.s2c.remainQuota = Math.max(0, this.override - own.s2c.usedQuota);
    return own;
  }

  /** The brokerage's answer about the user, which has the quota too. */
  shownOfUser(answer: ResponseMessage): ResponseMessage {
    if (this.override === undefined) return answer;
    const own = clone(GetUserInfo.ResponseSchema, answer as GetUserInfo.Response);
    if (own.s2c !== undefined && own.s2c.historyKLQuota !== 0) own.s2c.historyKLQuota = this.override;
    return own;
  }
}
