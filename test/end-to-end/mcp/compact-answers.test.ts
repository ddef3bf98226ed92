import { beforeAll, expect, it } from 'vitest';
import { TestDaemon } from '../../support/daemon.js';
import type { McpClient } from '../../support/mcp-client.js';

/** Answers that cost a model no more than it asked for. */
let client: McpClient;

const daemon = TestDaemon.forAll();
beforeAll(async () => {
  client = await daemon.mcp();
});

type Table = { columns: string[]; rows: unknown[][] };
type Answer = { kl_list: Table; snapshot_list: { basic: object }[]; page: { next: string } } & Record<
  string,
  { [name: string]: unknown }[]
>;

async function ask(tool: string, args: Record<string, unknown>): Promise<Answer> {
  const { isError, text, json } = await client.call(tool, args);
  expect(isError, text).toBe(false);
  return json as Answer;
}

const bars = { symbol: 'HK.00700', count: 3 };

it('writes K-lines as a header and rows, days as dates, and as objects where that is asked for', async () => {
  const { kl_list: table } = await ask('svc_get_kline', bars);
  expect(table.columns).toEqual(['time', 'open_price', 'high_price', 'low_price', 'close_price', 'volume', 'turnover']);
  expect(table.rows).toHaveLength(3);
  for (const [time] of table.rows) expect(time).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  const objects = (await ask('svc_get_kline', { ...bars, format: 'objects' })).kl_list as unknown as Record<string, number>[];
  expect(table.rows.map((row) => row.slice(1, -2))).toEqual(
    objects.map((bar) => [bar.open_price, bar.high_price, bar.low_price, bar.close_price]),
  );
  const { kl_list: minutes } = await ask('svc_get_kline', { ...bars, kl_type: '1min' });
  for (const [time] of minutes.rows) expect(time).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
});

it('gives the fields that are asked for, in that order, inner ones too', async () => {
  const { kl_list } = await ask('svc_get_kline', { ...bars, fields: 'close_price,time' });
  expect(kl_list.columns).toEqual(['close_price', 'time']);
  for (const row of kl_list.rows) expect(row).toHaveLength(2);
  const { snapshot_list } = await ask('svc_get_snapshot', { symbol: ['HK.00700', 'HK.00005'], fields: ['basic.name', 'basic.cur_price'] });
  expect(snapshot_list.map((each) => [Object.keys(each), Object.keys(each.basic)])).toEqual([
    [['basic'], ['name', 'cur_price']],
    [['basic'], ['name', 'cur_price']],
  ]);
});

it('gives as many records as are asked for, and the others by the cursor in the same layout', async () => {
  const first = await ask('svc_get_kline', { ...bars, limit: 2, fields: 'time' });
  expect(first).toMatchObject({ kl_list: { columns: ['time'], rows: { length: 2 } }, page: { list: 'kl_list', returned: 2, total: 3 } });
  const second = await ask('svc_get_kline', { cursor: first.page.next });
  expect(second).toMatchObject({ kl_list: { columns: ['time'], rows: { length: 1 } }, page: { returned: 1, total: 3, next: null } });
  expect(await ask('svc_get_kline', { ...bars, limit: 3 })).not.toHaveProperty('page');
});

it('says where it cut an answer that has a page of its own beside that page', async () => {
  const first = (await ask('svc_get_industrial_plate_stock', { plate_id: 1015, count: 5, limit: 3 })) as Record<string, unknown>;
  expect(first).toMatchObject({ page: expect.stringContaining('.'), cut: { list: 'stock_list', returned: 3, total: 5 } });
  const rest = await ask('svc_get_industrial_plate_stock', { cursor: (first.cut as { next: string }).next });
  expect(rest).toMatchObject({ page: first.page, cut: { returned: 2, total: 5, next: null } });
});

it('names what is wrong with them', async () => {
  for (const [args, error] of [
    [{ fields: 'clos_price' }, 'unknown field "clos_price"; did you mean "close_price"?'],
    [{ fields: 'time.zone' }, expect.stringMatching(/^unknown field "time.zone"/)],
    [{ fields: '' }, 'fields: expected at least one name; leave it out for every field'],
    [{ fields: 7 }, 'fields: expected names separated by commas, found the number 7'],
    [{ limit: 0 }, 'limit: expected an integer of 1 or more, found 0'],
    [{ limit: 1.5 }, 'limit: expected an integer of 1 or more, found 1.5'],
    [{ limit: '2' }, 'limit: expected an integer of 1 or more, found the string "2"'],
    [{ format: 'csv' }, 'format: expected rows or objects, found the string "csv"'],
  ] as const) {
    const answer = await client.call('svc_get_kline', { symbol: 'HK.00700', ...args });
    expect(answer.json, JSON.stringify(args)).toMatchObject({ status: 'error', error });
  }
});

it('writes the numbers of enumerations by name, and reads them so', async () => {
  const { market_info_list } = await ask('svc_get_market_state', { symbols: ['HK.00700'] });
  expect(market_info_list?.[0]?.market_state).toMatch(/^[A-Za-z]\w+$/);
  const { snapshot_list } = await ask('svc_get_snapshot', { symbol: 'HK.00700', fields: 'basic.type' });
  expect(snapshot_list).toEqual([{ basic: { type: 'STOCK' } }]);
  const { ticker_list } = await ask('svc_get_ticker', { symbol: 'HK.00700', count: 1, fields: 'dir' });
  expect(['Bid', 'Ask', 'Neutral']).toContain(ticker_list?.[0]?.dir);
});
