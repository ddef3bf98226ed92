import type { Operation, PayloadOf, RequestOf } from '../../contract/operation.js';
import { account, metadata, quote, system, trade } from '../../contract/operations/index.js';
import * as brokerageHandlers from '../../simulator/answers/account/index.js';
import * as metadataHandlers from '../../simulator/answers/metadata/index.js';
import * as quoteHandlers from '../../simulator/answers/quote/index.js';
import * as systemHandlers from '../../simulator/answers/system/index.js';
import type { QuoteHandler } from '../../simulator/view/quote-simulation.js';
import type { BackendOperations } from './operations.js';

type HandlerOf<O extends Operation> = QuoteHandler<RequestOf<O>, PayloadOf<O>>;

/** The handler of every declared operation that is not the gateway's own: leaving one out does not build. */
const handlers: { readonly [Name in keyof BackendOperations]: HandlerOf<BackendOperations[Name]> } = {
  getGlobalState: systemHandlers.getGlobalState,
  getUserInfo: systemHandlers.getUserInfo,
  getQuoteRights: systemHandlers.getQuoteRights,
  getQuoteCapability: systemHandlers.getQuoteCapability,
  getTokenState: systemHandlers.getTokenState,
  getRiskFreeRate: systemHandlers.getRiskFreeRate,
  getSpreadTable: systemHandlers.getSpreadTable,
  verification: systemHandlers.verification,

  getQuote: quoteHandlers.getQuote,
  getSnapshot: quoteHandlers.getSnapshot,
  getKline: quoteHandlers.getKline,
  getHistoryKline: quoteHandlers.getHistoryKline,
  getHistoryKlQuota: quoteHandlers.getHistoryKlQuota,
  getOrderBook: quoteHandlers.getOrderBook,
  getTicker: quoteHandlers.getTicker,
  getRt: quoteHandlers.getRt,
  getBroker: quoteHandlers.getBroker,
  getStaticInfo: quoteHandlers.getStaticInfo,
  getMarketState: quoteHandlers.getMarketState,
  getCapitalFlow: quoteHandlers.getCapitalFlow,
  getCapitalDistribution: quoteHandlers.getCapitalDistribution,

  getTradingDays: metadataHandlers.getTradingDays,

  listAccounts: brokerageHandlers.getAccounts,
  getFunds: brokerageHandlers.getFunds,
  getPositions: brokerageHandlers.getPositions,
  getOrders: brokerageHandlers.getOrders,
  getDeals: brokerageHandlers.getFills,
  getHistoryOrders: brokerageHandlers.getHistoryOrders,
  getHistoryDeals: brokerageHandlers.getHistoryFills,
  getOrderFee: brokerageHandlers.getOrderFees,
  getMaxTrdQtys: brokerageHandlers.getMaxQuantities,
  getMarginRatio: brokerageHandlers.getMarginRatios,

  placeOrder: brokerageHandlers.placeOrder,
  modifyOrder: brokerageHandlers.modifyOrder,
  cancelOrder: brokerageHandlers.modifyOrder,
  cancelAllOrder: brokerageHandlers.modifyOrder,
  unlockTrade: brokerageHandlers.unlockTrade,
};

const declared: Readonly<Record<string, Operation>> = { ...system, ...quote, ...metadata, ...account, ...trade };

/** Handlers by the operation's declared name ("get_quote"). Requests are what the operation declares, or the decoder has a defect. */
export const handlersByName: ReadonlyMap<string, QuoteHandler<unknown, unknown>> = new Map(
  Object.entries(handlers).map(([name, handler]) => {
    const operation = declared[name];
    if (operation === undefined) throw new Error(`handler ${name} has no declaration`);
    return [operation.name, handler as QuoteHandler<unknown, unknown>];
  }),
);
