import { create } from '@bufbuild/protobuf';
import { type Access, allowsMarket, type KeyRecord } from '@svc-gateway/access';
import { type BrokerCode, numberOfBrokerCode } from '@svc-gateway/contract/broker-codes';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S as CancelC2S, S2CSchema as CancelS2C } from '@svc-gateway/contract/generated/svc/cancel_bracket_pb';
import * as GetBrackets from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { trade } from '@svc-gateway/contract/operations';
import type { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import type { Backend } from '../backend.js';
import { denyMarket } from '../limit-check.js';
import { alone, type LocalOperations, withBackend } from '../local/index.js';
import { limitsOf, tradedMarketNames } from '../market-names.js';
import type { ProtectiveOrders } from '../orders/protective-orders.js';
import { failure, following, success } from '../responses.js';
import { refuseUnknownAccount } from '../unknown-account.js';
import { securitiesOf, telling } from '../visibility.js';
import { type Bracket, type BracketState, type ExitKind, oddLotNote, WITHDRAWN_NOTE } from './bracket.js';
import type { BracketService } from './service.js';

/** svc.get_brackets.Bracket: state, exit_kind. */
const states: Readonly<Record<BracketState, number>> = { placing: 1, open: 2, closed: 3, cancelled: 4, unclear: 5 };
const kinds: Readonly<Record<ExitKind, number>> = { target: 1, stop: 2 };

/**
 * Handlers of all bracket operations except placement, which follows the order path. A bracket carries its own environment and
 * market, and the caller's scope and lists are checked against those, not against the request's.
 */
export function bracketHandlers(brackets: BracketService, access: Access, protective: ProtectiveOrders, backend: Backend): LocalOperations {
  return {
    [trade.getBrackets.name]: alone(({ request, context }) => {
      const { header, bracketId: id } = request as GetBrackets.C2S;
      const all = brackets.of(placeOf(header));
      const own = all.filter((bracket) => id === '' || bracket.id === id);
      const answer = success(trade.getBrackets, create(GetBrackets.S2CSchema, { header, bracketList: own.map(messageOf) }));
      const unknown = all.length > 0 ? undefined : refuseUnknownAccount(backend, trade.getBrackets, header, context);
      return following(unknown, (refused) => refused ?? answer);
    }),
    [trade.cancelBracket.name]: withBackend(async ({ request, identity, context }) => {
      const { header, bracketId: id } = request as CancelC2S;
      const bracket = brackets.of(placeOf(header)).find((one) => one.id === id);
      // A bracket with an unknown entry protects nothing yet: its entry is cancelled.
      const guards = bracket !== undefined && bracket.state !== 'placing';
      const what = `bracket ${id}`;
      const denied =
        bracket &&
        (denyBracket(access, identity.key, bracket) ?? (guards ? protective.refuse(identity.key, bracket, true, what) : undefined));
      if (denied !== undefined) return denied;
      const outcome = bracket && (await brackets.cancel(id));
      if (outcome === undefined) {
        const unknown = bracket === undefined ? await refuseUnknownAccount(backend, trade.cancelBracket, header, context) : undefined;
        const code: BrokerCode = bracket === undefined ? 'broker.unknown_order' : 'broker.order_state';
        const message = `account ${header?.accID} has no open bracket ${quoted(id)}`;
        return unknown ?? failure(trade.cancelBracket, message, numberOfBrokerCode(code));
      }
      const note = outcome === 'withdrawn' ? { note: WITHDRAWN_NOTE } : {};
      return success(trade.cancelBracket, create(CancelS2C, { header, bracketId: id, ...note }));
    }),
  };
}

/** Where the account of a request is, as the request has it. */
function placeOf(header: TrdHeader | undefined): { readonly accId: bigint; readonly trdEnv: number } {
  return { accId: header?.accID ?? 0n, trdEnv: header?.trdEnv ?? 0 };
}

/** As with the cancel of an order, the lists of markets hold. */
function denyBracket(access: Access, key: KeyRecord | undefined, bracket: Bracket): Rejection | undefined {
  const { trdMarket, secMarket } = bracket;
  const names = tradedMarketNames(trdMarket, quoteMarketOfSecMarket(secMarket));
  const limits = limitsOf(access, key).find((each) => !allowsMarket(each, names));
  return limits && telling(denyMarket(limits, names.join('/')), securitiesOf(bracket, 0));
}

function messageOf(bracket: Bracket): GetBrackets.Bracket {
  const { exit, withdrawn, entryOver } = bracket;
  const note = bracket.note || (withdrawn && !entryOver ? WITHDRAWN_NOTE : oddLotNote(bracket));
  const price = (name: 'takeProfitPrice' | 'stopLossPrice' | 'stopLossLimitPrice', value: Decimal) =>
    value === 0n ? {} : { [name]: decimalToNumber(value) };
  return create(GetBrackets.BracketSchema, {
    bracketId: bracket.id,
    trdMarket: bracket.trdMarket,
    secMarket: bracket.secMarket,
    code: bracket.code,
    exitSide: bracket.exitSide,
    state: states[bracket.state],
    ...(bracket.entryIdEx === '' ? {} : { entryOrderIdEx: bracket.entryIdEx }),
    entryQty: decimalToNumber(bracket.entryQty),
    entryFilledQty: decimalToNumber(bracket.entryFilled),
    closedQty: decimalToNumber(bracket.closed + (exit?.filled ?? 0n)),
    ...price('takeProfitPrice', bracket.takeProfit),
    ...price('stopLossPrice', bracket.stopLoss),
    ...price('stopLossLimitPrice', bracket.stopLimit),
    ...(exit === undefined ? {} : { exitKind: kinds[exit.kind], exitOrderIdEx: exit.idEx, exitQty: decimalToNumber(exit.qty) }),
    stopHeld: bracket.stopHeld,
    ...(note === '' ? {} : { note }),
    created: BigInt(bracket.createdAt),
    updated: BigInt(bracket.updatedAt),
  });
}
