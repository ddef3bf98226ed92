import { create } from '@bufbuild/protobuf';
import { ProgramStatusSchema } from '@svc-gateway/contract/generated/Common_pb';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import { system } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { Refused, type Rule } from '../rule.js';
import type { ServerState } from './server-state.js';
import type { Texts } from './texts.js';

const TRADING_IDS = 2_000;
const QUOTE_IDS = 3_000;
const QUOTE_IDS_END = 4_000;
/** Told from what the server holds itself. */
const SUB_INFO = 3_003;

/** Without a login at the quote or the trade server, what needs it fails, and GetGlobalState says so. */
export function logins(state: ServerState, { offline }: Texts): Rule {
  return {
    judge({ protoId }) {
      const needsQuotes = protoId >= QUOTE_IDS && protoId < QUOTE_IDS_END && protoId !== SUB_INFO;
      const needsTrading = protoId >= TRADING_IDS && protoId < QUOTE_IDS;
      if ((needsQuotes && !state.quotesLoggedIn) || (needsTrading && !state.tradingLoggedIn)) return new Refused(offline);
      return undefined;
    },
    answered({ operation, client }, response) {
      const { retType, s2c } = response as GetGlobalState.Response;
      if (operation !== system.getGlobalState || retType !== 0 || s2c === undefined) return response;
      const changed = {
        ...s2c,
        qotLogined: state.quotesLoggedIn,
        trdLogined: state.tradingLoggedIn,
        programStatus: create(ProgramStatusSchema, { type: state.programStatus, strExtDesc: s2c.programStatus?.strExtDesc ?? '' }),
        connID: client.id,
      };
      return create(GetGlobalState.ResponseSchema, { retType, s2c: changed }) as ResponseMessage;
    },
  };
}

/** From here on ids are this project's own. */
const OWN_IDS = 20_001;

/** An upstream knows the published ids alone. */
export function publishedIds({ unknownId }: Texts): Rule {
  return {
    judge: ({ protoId }) => (protoId >= OWN_IDS ? new Refused(unknownId) : undefined),
  };
}
