import { create } from '@bufbuild/protobuf';
import type { C2S as HistoryRequest } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import type { S2C as Quota } from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { quote } from '@svc-gateway/contract/operations';
import type { Backend, ResponseMessage } from '@svc-gateway/gateway/backend';
import { Refused, type Rule } from '../rule.js';
import type { Texts } from './texts.js';

/** History of so many symbols within a window; what counts already is free. The simulation counts, in its own window. */
export function historyQuota(backend: Backend, texts: Texts): Rule {
  return {
    name: 'history quota',
    async judge({ operation, c2s }) {
      if (operation !== quote.getHistoryKline) return undefined;
      const asked = (c2s as HistoryRequest).security;
      const request = create(quote.getHistoryKlQuota.messages.C2SSchema, { bGetDetail: true });
      const context = { requestId: 'history-quota', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
      const { s2c } = (await backend.call(quote.getHistoryKlQuota, request, context)) as ResponseMessage & { s2c?: Quota };
      if (s2c === undefined || s2c.remainQuota > 0 || asked === undefined) return undefined;
      const counts = s2c.detailList.some(({ security }) => security !== undefined && symbolOf(security) === symbolOf(asked));
      return counts ? undefined : new Refused(texts.historyQuota);
    },
  };
}
