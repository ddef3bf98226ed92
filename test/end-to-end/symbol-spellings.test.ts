import { operations } from '@svc-gateway/contract/operations';
import { beforeAll, describe, expect, it } from 'vitest';
import { HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { startChain } from '../support/chain.js';
import { TestDaemon } from '../support/daemon.js';

/** Spellings of other programs, each with the symbol that is meant. */
const spellings: readonly (readonly [spelled: string, meant: string])[] = [
  ...[
    'HK.700',
    'HK.0700',
    'HK.000700',
    '700.HK',
    '0700.HK',
    '00700.HK',
    '700',
    '0700',
    '00700',
    'hk00700',
    'HKEX:700',
    '700 HK',
    '700 HK Equity',
  ].map((spelled) => [spelled, 'HK.00700'] as const),
  ...['AAPL', 'aapl', '$AAPL', 'AAPL.US', 'AAPL:US', 'AAPL US Equity', 'NASDAQ:AAPL', 'US:AAPL', 'AAPL.O'].map(
    (spelled) => [spelled, 'US.AAPL'] as const,
  ),
  ...['BRK-B', 'BRK/B', 'BRK.B', 'BRK B', 'US.BRK-B', 'US.BRK/B', 'BRK-B.US'].map((spelled) => [spelled, 'US.BRK.B'] as const),
  ...['600519', '600519.SS', 'sh600519', 'SHSE:600519', 'SZ.600519'].map((spelled) => [spelled, 'SH.600519'] as const),
  ...['000001.SZ', 'sz000001', 'SZ.1'].map((spelled) => [spelled, 'SZ.000001'] as const),
  ...['7203.T', 'JP:7203'].map((spelled) => [spelled, 'JP.7203'] as const),
  ...['^HSI', 'HSI', 'HK.HSI'].map((spelled) => [spelled, 'HK.800000'] as const),
  ...['^GSPC', 'SPX', 'US.SPX'].map((spelled) => [spelled, 'US..SPX'] as const),
  ...['EURUSD', 'EUR/USD', 'EURUSD=X', 'FX.EUR/USD'].map((spelled) => [spelled, 'FX.EURUSD'] as const),
  ['ES=F', 'US.ESmain'],
  ['D05.SI', 'SG.D05'],
];

let option: string;
const reading = async (symbol: string) => said(await daemon.as('desk').post('/api/snapshot', { symbol }));
const said = ({ json }: { json: { error?: string; ret_msg?: string } }) => json.error ?? json.ret_msg ?? '';
const writing = async (symbol: string) => {
  const order = { acc_id: HK_MARGIN, env: SIMULATE, market: 1, symbol, side: 1, order_type: 1, qty: 100, price: 300 };
  return said(await daemon.as('desk').post('/api/order', order));
};
/** Symbols that a refusal names: a listed one, or forms of a text that has no market. */
const suggested = (text: string) => {
  const [, listed, forms] = /(?:did you mean (\S+)\?|in that form, listed or not: (.+))$/.exec(text) ?? [];
  return listed === undefined ? (forms?.split(' or ') ?? []) : [listed];
};

const daemon = TestDaemon.forAll({
  keys: { desk: { scopes: ['qot:read', 'qot:write', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '90000000' } } },
  flags: ['--enable-trading', '--enable-desktop-phase2-reads', '--sim-clock', 'replay:2026-11-20T02:30:00Z'],
});
beforeAll(async () => {
  const chain = await daemon
    .as('desk')
    .s2c('/api/option-chain', { owner_symbol: 'US.AAPL', begin_time: '2026-12-01', end_time: '2026-12-20' });
  option = chain.option_chain[0].option[0].call.basic.security.code;
});

describe('another program’s spelling of a symbol', () => {
  it.each(spellings)('%s: reads say that %s is meant', async (spelled, meant) => {
    expect(suggested(await reading(spelled))).toContain(meant);
  });

  it.each(['BRKB', 'TENCENT', 'HSI2612', 'US.BRKB', 'US.TENCENT', 'HK.HSI2612X', 'HK.99', 'HK.099', '99999.HK', 'US.X-Q', 'X/Q', '123456'])(
    '%s: nothing that is not listed is called a symbol',
    async (spelled) => {
      for (const text of [await reading(spelled), await writing(spelled)]) {
        const [, meant] = /did you mean (\S+)\?/.exec(text) ?? [];
        if (meant !== undefined)
          expect(await daemon.as('desk').s2c('/api/snapshot', { symbol: meant })).toMatchObject({ snapshot_list: [{}] });
      }
    },
  );

  it.each(['TENCENT', 'HSI2612', 'tencent holdings'])('%s: a name has no form', async (spelled) => {
    expect(suggested(await reading(spelled))).toEqual([]);
  });

  it('is an option in the code of the Options Clearing Corporation', async () => {
    const [, root = '', rest = '', strike = ''] = /^(\D+)(\d{6}[CP])(\d+)$/.exec(option) ?? [];
    const digits = strike.padStart(8, '0');
    for (const spelled of [`${root}${rest}${digits}`, `US.${root}${rest}${digits}`, `${root.padEnd(6)}${rest}${digits}`]) {
      expect(await reading(spelled)).toMatch(new RegExp(`(?:did you mean|in that form, listed or not:) US\\.${option}\\??$`));
    }
  });

  it.each(['HK.700', 'HK.0700', 'AAPL', '700.HK', 'BRK-B', '^HSI'])('%s: a write says what a read says', async (spelled) => {
    expect(await writing(spelled)).toBe(await reading(spelled));
  });
});

/** Fields that requests with a list of securities need beside it. */
const beside: Readonly<Record<string, object>> = {
  get_margin_ratio: { acc_id: HK_MARGIN, env: SIMULATE, market: 1 },
  get_suspend: { begin_time: '2026-11-01', end_time: '2026-11-20' },
  subscribe: { sub_types: [1] },
  modify_user_security: { group_name: 'Mine', op: 1 },
};
/** An end of subscriptions looks nothing up. */
const lists = operations.filter(({ name, shape }) => name !== 'unsubscribe' && shape.some(({ type }) => type.kind === 'symbols'));

it.each(lists.map((operation) => [operation.name, operation] as const))(
  '%s names everything that is unknown in its list at once',
  async (name, { rest }) => {
    const symbols = ['HK.00700', 'HK.700', 'US.NOSUCHTHING', 'US.AAPL'];
    expect(said(await daemon.as('desk').post(rest[0]!.path, { symbols, ...beside[name] }))).toContain(
      'unknown symbol HK.700; did you mean HK.00700? · unknown symbol US.NOSUCHTHING',
    );
  },
);

describe('a partial snapshot', () => {
  const symbols = ['HK.00700', 'HK.700', 'US.AAPL', 'US.NOSUCHTHING'];
  const shown = ({ snapshot_list }: Record<string, unknown>) =>
    (snapshot_list as { basic: { security: { code: string } } }[]).map(({ basic }) => basic.security.code);

  it('answers what is known and names the rest, over REST and by tools', async () => {
    const answer = await daemon.as('desk').s2c('/api/snapshot', { symbols, partial: true });
    expect(shown(answer)).toEqual(['00700', 'AAPL']);
    expect(answer.missing).toEqual(['HK.700', 'US.NOSUCHTHING']);
    expect(answer.missing_reason).toBe('unknown symbol HK.700; did you mean HK.00700? · unknown symbol US.NOSUCHTHING');
    const whole = await daemon.as('desk').s2c('/api/snapshot', { symbols: ['HK.00700'], partial: true });
    expect(whole).toMatchObject({ missing: [], snapshot_list: [{}] });
    expect(whole.missing_reason).toBeUndefined();
    expect(await daemon.as('desk').s2c('/api/snapshot', { symbols: ['HK.700'], partial: true })).toMatchObject({
      missing: ['HK.700'],
      snapshot_list: [],
    });
    const mcp = await daemon.mcp('desk');
    const { json } = await mcp.call('svc_get_snapshot', { symbols, partial: true });
    expect([shown(json), json.missing]).toEqual([
      ['00700', 'AAPL'],
      ['HK.700', 'US.NOSUCHTHING'],
    ]);
  });

  it('does so in front of a server that refuses the whole list', async () => {
    const chain = await startChain({ keys: { desk: { scopes: ['qot:read'] } } });
    const desk = chain.front.as('desk');
    expect(said(await desk.post('/api/snapshot', { symbols }))).toContain('unknown symbol HK.700');
    const [answer, whole] = await Promise.all([
      desk.s2c('/api/snapshot', { symbols, partial: true }),
      desk.s2c('/api/snapshot', { symbols: ['HK.00005', 'US.MSFT'] }),
    ]);
    expect(shown(answer)).toEqual(['00700', 'AAPL']);
    expect(answer.missing).toEqual(['HK.700', 'US.NOSUCHTHING']);
    expect(answer.missing_reason).toContain('unknown symbol US.NOSUCHTHING');
    expect(shown(whole)).toEqual(['00005', 'MSFT']);
    expect(await desk.s2c('/api/snapshot', { symbols: ['HK.700'], partial: true })).toMatchObject({
      missing: ['HK.700'],
      snapshot_list: [],
    });
    await chain.stop();
  });
});
