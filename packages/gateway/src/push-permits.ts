import {
  type Access,
  allowsAccount,
  allowsMarket,
  allowsSymbol,
  type KeyRecord,
  type Limits,
  scopeMask,
  scopesSatisfy,
} from '@svc-gateway/access';
import type { Order, OrderFill } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type QuoteMarketInfo, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { PushEvent, QuoteStream, TradePush } from './backend.js';
import { limitsTraded } from './limit-check.js';
import { allowsTraded, limitsOf } from './market-names.js';
import type { Permits } from './push/index.js';

const accountScope = scopeMask(['acc:read']);
const quoteScope = scopeMask(['qot:read']);

/** Streams that a key may see, by the start-up limits and its own. */
export function permitsStreamOf(access: Access, key: KeyRecord | undefined): (stream: Pick<QuoteStream, 'symbol'>) => boolean {
  const limits = limitsOf(access, key);
  const seesQuotes = key === undefined || scopesSatisfy(key.scopes, quoteScope);
  return ({ symbol }) => {
    const market = symbol.slice(0, symbol.indexOf('.'));
    return seesQuotes && limits.every((each) => allowsMarket(each, [market]) && allowsSymbol(each, symbol));
  };
}

/** Events that a key may see: pushes are filtered as reads are. Without a key (legacy mode) only the start-up limits hold. */
export function permitsOf(access: Access, key: KeyRecord | undefined): Permits {
  const limits = limitsOf(access, key);
  const permitsStream = permitsStreamOf(access, key);
  const seesAccounts = key === undefined || scopesSatisfy(key.scopes, accountScope);
  const permitsAccount = (accId: bigint) => seesAccounts && limits.every((each) => allowsAccount(each, accId));
  return (event: PushEvent) => {
    switch (event.type) {
      case 'quote':
        return permitsStream(event.stream);
      case 'trade':
        return seesAccounts && limits.every((each) => permitsTrade(each, event));
      case 'notify': {
        const { about } = event;
        if (about === undefined) return true;
        const { symbols, accIds, traded } = about;
        if (traded !== undefined && !limits.every((each) => allowsTraded(each, traded, traded.trdMarket))) return false;
        return symbols.some((symbol) => permitsStream({ symbol })) || accIds.some(permitsAccount);
      }
    }
  };
}

/** By the order or fill itself, with all its legs and its own market, as in a list of them. */
function permitsTrade(limits: Limits, event: TradePush): boolean {
  if (!allowsAccount(limits, event.accId)) return false;
  const traded = tradedIn(event);
  return traded === undefined ? !limitsTraded(limits) : allowsTraded(limits, traded, event.trdMarket);
}

function tradedIn({ message }: TradePush): Order | OrderFill | undefined {
  const body = (message as { s2c?: { order?: Order; orderFill?: OrderFill } }).s2c;
  return body?.order ?? body?.orderFill;
}

interface TradedSecurity {
  readonly market: QuoteMarketInfo;
  readonly code: string;
}

/** The security of an order or a fill; undefined where its market has no quotes. */
function securityOf(event: TradePush): TradedSecurity | undefined {
  const subject = tradedIn(event);
  const market = subject === undefined ? undefined : quoteMarketOfSecMarket(subject.secMarket);
  return subject === undefined || market === undefined ? undefined : { market, code: subject.code };
}

function symbolIn({ market, code }: TradedSecurity): string {
  return `${market.name}.${code}`;
}

/** The symbol that an event is about ("HK.00700"); undefined where it is about none. */
export function symbolOfEvent(event: PushEvent): string | undefined {
  if (event.type === 'quote') return event.stream.symbol;
  const security = event.type === 'trade' ? securityOf(event) : undefined;
  return security && symbolIn(security);
}
