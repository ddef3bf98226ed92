import { type GetPromptResult, type ListPromptsResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, trade } from '@svc-gateway/contract/operations';
import { missingText } from '@svc-gateway/contract/problem';
import type { RejectionCode } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import type { Gateway } from '@svc-gateway/gateway';
import type { McpCaller } from './mcp-caller.js';
import type { Toolbox } from './toolbox.js';

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Tools that a caller must be able to use to see the prompt. */
  readonly needs: readonly Operation[];
  /** Writes the request to the model. Values come from the client and are quoted as data. */
  readonly text: (values: Readonly<Record<string, string>>) => string;
}

const accountArgument: PromptArgument = {
  name: 'acc_id',
  description: 'The account’s id from svc_list_accounts; every account of the key when left out.',
  required: false,
};

const prompts: readonly Prompt[] = [
  {
    name: 'daily_review',
    title: 'Daily review of positions',
    description: 'What moved today, why it matters for the positions held, and what is open.',
    arguments: [accountArgument],
    needs: [account.listAccounts, account.getPositions, account.getOrders, account.getDeals, account.getFunds],
    text: ({ acc_id }) =>
      `Review today's trading of ${whichAccount(acc_id)}. Call svc_list_accounts, then for each account svc_get_funds, svc_get_positions, ` +
      'svc_get_orders and svc_get_deals, and svc_get_snapshot for what is held. Report: the account’s value and today’s profit or loss with currency; ' +
      'the three positions that moved it most, with price, quantity and change; orders still open and how far their price is from the market; ' +
      'today’s fills with fees; anything out of the ordinary. Give exact figures as the tools return them, name what could not be read, and place no order.',
  },
  {
    name: 'order_ticket',
    title: 'Order ticket',
    description: 'Checks an order from every side and shows it with its value, fees and limits before anything is sent.',
    arguments: [
      { name: 'symbol', description: 'The security as MARKET.CODE: HK.00700.', required: true },
      { name: 'side', description: 'BUY or SELL.', required: true },
      { name: 'qty', description: 'Shares or contracts.', required: true },
      { name: 'price', description: 'Limit price; the current best price when left out.', required: false },
      { name: 'acc_id', description: 'The account’s id from svc_list_accounts; a simulated one when left out.', required: false },
    ],
    needs: [account.listAccounts, account.getMaxTrdQtys, trade.placeOrder],
    text: ({ symbol, side, qty, price, acc_id }) =>
      `Prepare, without sending it, this order for ${acc_id ? `account ${datum(acc_id)}` : 'one account of this key'}: ${datum(side)} ${datum(qty)} of ${datum(symbol)}` +
      `${price === undefined ? ' at the current best price' : ` at ${datum(price)}`}. Call svc_list_accounts to find the account (prefer a simulated one when none is named), ` +
      'svc_get_static_info for lot size, svc_get_orderbook for the market, svc_get_max_trd_qtys for what the account can carry, then svc_place_order with ' +
      '"preview": true. Show a ticket: account and environment, side, quantity, price, value and currency, fees, which limits it meets and what remains of them, ' +
      'how the price stands to the best bid and ask. Ask the person to confirm the ticket in words; only then call svc_place_order once, with an idempotency_key, and report its answer.',
  },
  {
    name: 'risk_check',
    title: 'Risk check',
    description: 'Concentration, leverage, open orders and liquidity of what is held.',
    arguments: [accountArgument],
    needs: [account.listAccounts, account.getPositions, account.getFunds, account.getOrders],
    text: ({ acc_id }) =>
      `Check the risk of ${whichAccount(acc_id)}. Call svc_list_accounts, svc_get_funds, svc_get_positions, svc_get_orders and svc_get_margin_ratio for what is held. ` +
      'Report: share of each position, market and currency in the account’s value; leverage and how far the account is from a margin call; what the account would look like ' +
      'if every open order filled; positions larger than a tenth of the day’s volume (svc_get_snapshot). Put the three largest risks first, with the figures behind them. Place no order.',
  },
];

/** Prompts for recurring work, which people choose in their client. */
export class Prompts {
  constructor(
    readonly gateway: Gateway,
    readonly toolbox: Toolbox,
  ) {}

  /** Prompts that use only tools available to the caller. */
  list(mcpCaller: McpCaller): ListPromptsResult {
    return {
      prompts: prompts
        .filter((prompt) => this.#isOffered(prompt, mcpCaller))
        .map(({ name, title, description, arguments: args }) => ({
          name,
          title,
          description,
          arguments: args.map((each) => ({ ...each })),
        })),
    };
  }

  get(name: string, values: Readonly<Record<string, string>>, mcpCaller: McpCaller): GetPromptResult {
    const prompt = prompts.find((each) => each.name === name && this.#isOffered(each, mcpCaller));
    if (prompt === undefined) {
      const known = this.list(mcpCaller).prompts.map((each) => each.name);
      throw invalid('route.not_found', `unknown prompt ${quoted(name)}, there are: ${known.join(', ') || 'none for this key'}`);
    }
    const names = prompt.arguments.map((each) => each.name);
    const unknown = Object.keys(values).find((each) => !names.includes(each));
    if (unknown !== undefined)
      throw invalid('request.unknown_field', `unknown field ${quoted(unknown)}, accepted: ${names.join(', ')}`, unknown);
    const [missing, ...others] = prompt.arguments.filter((each) => each.required && (values[each.name] ?? '') === '');
    if (missing !== undefined) {
      const text = missingText([missing.name, ...others.map((each) => each.name)], missing.description);
      throw invalid('request.missing_field', text, missing.name);
    }
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }] };
  }

  #isOffered({ needs }: Prompt, mcpCaller: McpCaller): boolean {
    return needs.every((operation) => this.toolbox.offers(operation, mcpCaller));
  }
}

function whichAccount(accId: string | undefined): string {
  return accId === undefined || accId === '' ? 'every account of this key' : `account ${datum(accId)}`;
}

/** Quotes a value as data: on one line, in quotation marks, and of limited length. */
function datum(value: string | undefined): string {
  return quoted((value ?? '').replace(/\s+/g, ' '), 64);
}

function invalid(code: RejectionCode, message: string, field?: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, ...(field === undefined ? {} : { field }) });
}
