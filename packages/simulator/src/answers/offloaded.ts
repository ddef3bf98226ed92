import type { Message } from '@bufbuild/protobuf';
import type { Operation, RequestOf } from '@svc-gateway/contract/operation';
import { declared } from '@svc-gateway/contract/operations';

const { calendar, derivatives, extension, industry, institution, kline_pattern, metadata, news, quote, ranking, research, system } =
  declared;

/**
 * The operations that are answered in a thread of their own, beside the event loop: they look at whole markets, or at years of one instrument. They read
 * the world and what callers did in its market, and nothing else.
 */
const offloaded: ReadonlySet<Operation> = new Set<Operation>([
  ...Object.values(calendar),
  ...Object.values(extension),
  ...Object.values(industry),
  ...Object.values(institution),
  ...Object.values(kline_pattern),
  ...Object.values(metadata).filter((operation) => operation !== metadata.getTradingDays),
  ...Object.values(news),
  ...Object.values(ranking),
  ...Object.values(research),
  derivatives.getOptionChain,
  derivatives.getReference,
  derivatives.getWarrant,
  quote.getCapitalDistribution,
  quote.getCapitalFlow,
  quote.getStaticInfo,
  quote.getTickerStatistic,
  quote.getTickerStatisticDetail,
  system.getQuoteCapability,
]);

/** Whether a request is answered in the thread. Static information of named securities is not: every program begins with it, and it takes a moment. */
export function isOffloaded(operation: Operation, request: Message): boolean {
  if (operation === quote.getStaticInfo) return (request as RequestOf<typeof quote.getStaticInfo>).securityList.length === 0;
  return offloaded.has(operation);
}
