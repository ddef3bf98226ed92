import { create } from '@bufbuild/protobuf';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { OrderSchema, TrdAccSchema, TrdEnv } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as GetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, operations } from '@svc-gateway/contract/operations';
import { hasPreview } from '@svc-gateway/contract/preview-path';
import { scopes } from '@svc-gateway/contract/scope';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { questionWords } from '../../../packages/interfaces/src/mcp/question-words.js';
import { HK_CASH, HK_MARGIN, REAL, REAL_ENV, REAL_FUTURES, SIMULATE } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import { ScriptedBackend, serveGateway, succeed } from '../../support/gateway.js';
import { McpClient, Person, unanswered, type Way, ways } from '../../support/mcp-client.js';
import { until } from '../../support/until.js';

type Id = 'all' | 'capped' | 'paper';

const simulated = { market: 'HK', acc_id: HK_CASH, env: 'simulate', side: 'BUY', symbol: 'HK.00700', qty: 100, price: 300.2 };
const real = { ...simulated, acc_id: REAL, env: 'real' };

const daemon = TestDaemon.forAll({
  keys: { all: { scopes }, capped: { scopes, limits: { maxOrderValue: '1000' } }, paper: { scopes: ['trade:simulate'] } },
  flags: ['--enable-trading', '--enable-v18-position-writes'],
  variables: { SVC_TRADE_PWD: '123456' },
});

/** A client that asks a person, and what they were asked. */
async function openWithPerson(way: Way, answer = Person.agrees as Person['answer'], id: Id = 'all') {
  const person = new Person(answer);
  return { client: await daemon.mcp(id, { way, ...person.options }), person, questions: person.questions };
}

describe.each(ways)('trading tools over the way with %s', (way) => {
  it('show what an order would be and meet, and send nothing', async () => {
    const { client, questions } = await openWithPerson(way);
    const before = await orderCount();
    const preview = await client.call('svc_place_order', { ...simulated, preview: true });
    expect(preview.isError).toBe(false);
    expect(preview.json).toMatchObject({ value: 30_020, currency: 'HKD', would_pass: true });
    expect(preview.json.gates).toHaveLength(14);
    expect(await orderCount()).toBe(before);
    expect(questions).toEqual([]);
  });

  it('refuse a preview under a key that the order itself could not have', async () => {
    const { client } = await openWithPerson(way);
    for (const preview of [true, false]) {
      const { isError, json } = await client.call('svc_place_order', { ...simulated, preview, idempotency_key: 'two words' });
      expect({ isError, json }).toMatchObject({ isError: true, json: { code: 'request.invalid', field: 'idempotency_key' } });
    }
  });

  it('name the market that a symbol does not belong to', async () => {
    const { client } = await openWithPerson(way);
    const refused = await client.call('svc_place_order', { ...simulated, sec_market: 'US' });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.json)).toContain('HK.00700 is not a security of sec_market US');
  });

  it('say how the numbers of an order were understood', async () => {
    const { client } = await openWithPerson(way);
    const placed = await client.call('svc_place_order', { ...simulated, order_type: 5, price: 310 });
    // The tool list's 5 is an auction order, which REST's 7 and 6 are.
    expect(placed.json).toMatchObject({ understood: { env: 'simulate', market: 'HK', side: 'BUY', order_type: 'AUCTION' } });
  });

  it('send an order of real money once a person has confirmed it, and only then', async () => {
    let answer: ElicitResult = { action: 'decline' };
    const { client, questions } = await openWithPerson(way, () => answer);
    expect((await client.call('svc_unlock_trade', { unlock: true })).json).toMatchObject({ code: 'confirmation.declined' });
    expect(questions.at(-1)).toMatch(/^Unlock trading in the REAL accounts/);
    expect((await client.call('svc_unlock_trade', { unlock: false })).json).toMatchObject({ code: 'confirmation.declined' });
    expect(questions.at(-1)).toMatch(/^Lock trading in the REAL accounts/);
    answer = Person.agrees();
    expect(await client.call('svc_unlock_trade', { unlock: true })).toMatchObject({ isError: false });
    for (const no of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { confirm: false } }] as ElicitResult[]) {
      answer = no;
      const before = await orderCount('real');
      const refused = await client.call('svc_place_order', real);
      expect(refused).toMatchObject({
        isError: true,
        json: { code: 'confirmation.declined', error: expect.stringContaining('nothing was sent') },
      });
      expect(await orderCount('real')).toBe(before);
    }
    answer = Person.agrees();
    const before = await orderCount('real');
    const placed = await client.call('svc_place_order', real);
    expect(placed).toMatchObject({ isError: false, json: { order_id_ex: expect.any(String) } });
    expect(await orderCount('real')).toBe(before + 1);
    expect(questions.at(-1)).toMatch(/^Buy 100 HK.00700 .*300.2 HKD.*REAL account/);
    expect(daemon.log.join('\n')).not.toContain('123456');
  });

  it('ask about a write whose environment is that of its account, where the account is real', async () => {
    let answer = Person.agrees();
    const { client, questions } = await openWithPerson(way, () => answer);
    await client.call('svc_unlock_trade', { unlock: true });
    answer = { action: 'decline' };
    /** Arguments of each tool for an order that waits to be confirmed. */
    const callsOf: Readonly<Record<string, object>> = { svc_reconfirm_order: { reconfirm_op: 2 } };
    expect(Object.keys(callsOf)).toEqual(operations.filter(({ envOfAccount }) => envOfAccount).map(({ tool }) => tool));
    for (const [tool, args] of Object.entries(callsOf)) {
      const kept = await keptBack(REAL, 'real');
      questions.length = 0;
      expect((await client.call(tool, { acc_id: REAL, ...kept, ...args })).json).toMatchObject({ code: 'confirmation.declined' });
      expect(questions).toEqual([expect.stringMatching(/^Confirm order .*REAL account/)]);
      const simulatedOne = await keptBack(HK_MARGIN, 'simulate');
      expect(await client.call(tool, { acc_id: HK_MARGIN, ...simulatedOne, ...args })).toMatchObject({ isError: false });
      expect(questions).toHaveLength(1);
    }
  });

  it('tell a person what would be sent: triggers, trails, exits and dates', async () => {
    let answer = Person.agrees();
    const { client, questions } = await openWithPerson(way, () => answer);
    await client.call('svc_unlock_trade', { unlock: true });
    const { price: _, ...unpriced } = real;
    const stop = await client.call('svc_place_order', { ...unpriced, order_type: 'STOP', aux_price: 900 });
    expect(questions.at(-1)).toContain(' as STOP order, triggered at 900 in the REAL account');
    const { order_id_ex } = stop.json;
    answer = { action: 'decline' };
    const ask = async (tool: string, args: object) => {
      expect((await client.call(tool, { ...args })).json).toMatchObject({ code: 'confirmation.declined' });
      return questions.at(-1);
    };
    const moved = { market: 'HK', acc_id: REAL, env: 'real', order_id_ex, modify_order_op: 'normal', qty: 100, aux_price: 1 };
    expect(await ask('svc_modify_order', moved)).toMatch(/REAL account \S+: trigger 900 to 1; /);
    const trailing = { ...unpriced, order_type: 'TRAILING_STOP', trail_type: 'RATIO', trail_value: 90 };
    expect(await ask('svc_place_order', trailing)).toContain(', trailing the best price by 90 % in');
    expect(await ask('svc_place_order', { ...real, time_in_force: 'GTD', expire_time: '2027-01-01' })).toContain(
      ', GTD until 2027-01-01 (Asia/Hong_Kong) in',
    );
    // Nobody is asked about an order that would be refused.
    const asked = questions.length;
    const unreadable = await client.call('svc_place_order', { ...real, time_in_force: 'GTD', expire_time: 'now. Say yes' });
    expect([unreadable.json.code, questions.length]).toEqual(['request.invalid', asked]);
    const bracket = { ...real, take_profit_price: 300.4, stop_loss_price: 299 };
    expect(await ask('svc_place_bracket_order', bracket)).toContain(
      ', with a take-profit at 300.4 and a stop-loss at 299 in the REAL account',
    );
  });

  it('end a bracket of real money once a person has confirmed it, and only then', async () => {
    let answer = Person.agrees();
    const { client, questions } = await openWithPerson(way, () => answer);
    await client.call('svc_unlock_trade', { unlock: true });
    const { json } = await client.call('svc_place_bracket_order', { ...real, take_profit_price: 900, stop_loss_price: 100 });
    const account = { market: 'HK', acc_id: REAL, env: 'real' };
    const end = (bracket_id: unknown, id: Id = 'all') =>
      client.call('svc_cancel_bracket', { ...account, bracket_id, api_key: daemon.keys[id] });
    answer = { action: 'decline' };
    expect((await end(json.bracket_id)).json).toMatchObject({ code: 'confirmation.declined' });
    expect(questions.at(-1)).toContain(`End bracket ${json.bracket_id} in the REAL account 2817…5383: `);
    await end('none. Say yes');
    expect(questions.at(-1)).toMatch(/^End a bracket in the REAL account/);
    expect((await client.call('svc_get_brackets', account)).text).toContain(`"bracket_id":"${json.bracket_id}"`);
    questions.length = 0;
    // Callers without the right are refused, and nobody is asked.
    expect((await end(json.bracket_id, 'paper')).json).toMatchObject({ code: 'auth.scope' });
    expect(questions).toEqual([]);
    answer = Person.agrees();
    expect(await end(json.bracket_id)).toMatchObject({ isError: false, json: { bracket_id: json.bracket_id } });
    expect(questions).toHaveLength(1);
  });

  it('ask no confirmation of an order that a limit would refuse', async () => {
    const { client, questions } = await openWithPerson(way, Person.agrees, 'capped');
    const refused = await client.call('svc_place_order', real);
    expect(refused).toMatchObject({ isError: true, json: { code: 'limit.order_value' } });
    expect(questions).toEqual([]);
  });

  it('ask no confirmation of a replayed order: nothing is sent', async () => {
    const { client, questions } = await openWithPerson(way);
    const args = { ...real, idempotency_key: `asked-once-${way}` };
    const [first, second] = [await client.call('svc_place_order', args), await client.call('svc_place_order', args)];
    expect([first.isError, second.json.order_id_ex]).toEqual([false, first.json.order_id_ex]);
    expect(questions).toHaveLength(1);
  });

  it('send a write of one name once', async () => {
    const { client } = await openWithPerson(way);
    const args = { ...simulated, price: 301.4, idempotency_key: `once-${way}` };
    const [first, second] = [await client.call('svc_place_order', args), await client.call('svc_place_order', args)];
    expect(first.isError).toBe(false);
    // How the order stands is of the moment; the answer under the key is the first one.
    expect(JSON.parse(second.text)).toEqual({ ...JSON.parse(first.text), order_status: expect.any(String) });
    expect(second.text).toContain(/"order_id_ex":"\d+"/.exec(first.text)?.[0]);
    const other = await client.call('svc_place_order', { ...args, qty: 200 });
    expect(other).toMatchObject({ isError: true, json: { code: 'idempotency.mismatch' } });
  });

  it('never take the trade password from a model', async () => {
    const { client } = await openWithPerson(way);
    for (const args of [
      { pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' },
      { c2s_json: '{"unlock":true,"pwd_md5":"e10adc3949ba59abbe56e057f20f883e"}' },
    ]) {
      expect((await client.call('svc_unlock_trade', args)).json).toMatchObject({ error: expect.stringMatching(/^unknown field/) });
    }
  });
});

describe('confirmations', () => {
  it('are not asked of a client that cannot ask: its scopes and limits are what holds', async () => {
    const client = await daemon.mcp('all');
    await client.call('svc_unlock_trade', { unlock: true });
    expect(await client.call('svc_place_order', real)).toMatchObject({ isError: false });
  });

  it('belong to the request that was asked about, and are good once', async () => {
    const client = await daemon.mcp('all', {
      way: 'stateless',
      client: unanswered,
    });
    await client
      .askRaw('svc_unlock_trade', { unlock: true }, undefined)
      .then(({ requestState }) =>
        client.askRaw('svc_unlock_trade', { unlock: true }, { requestState, inputResponses: { confirm: Person.agrees() } }),
      );
    const { requestState } = await client.askRaw('svc_place_order', real, undefined);
    const answers = { requestState, inputResponses: { confirm: Person.agrees() } };
    const other = await client.askRaw('svc_place_order', { ...real, qty: 1000 }, answers);
    expect(JSON.stringify(other)).toContain('confirmation.mismatch');
    const sent = await client.askRaw('svc_place_order', real, answers);
    expect(JSON.stringify(sent)).toContain('order_id_ex');
    const again = await client.askRaw('svc_place_order', real, answers);
    expect(JSON.stringify(again)).toContain('already used');
    await expect(client.askRaw('svc_place_order', real, { ...answers, requestState: `${requestState}x` })).rejects.toThrow(/requestState/);
  });
});

it('every write of trading has a preview, or a question of its own', () => {
  const writes = operations.filter(({ group, effect }) => group === 'trade' && effect !== 'read');
  expect(writes.length).toBeGreaterThan(8);
  for (const operation of writes) expect(operation.name in questionWords, operation.name).toBe(!hasPreview(operation));
});

it('a write is asked about where nobody can tell whether its account is real', async () => {
  /** Lists of accounts that fail before one comes. */
  let failing = 0;
  const backend = new ScriptedBackend((operation, request) => {
    if (operation === account.listAccounts) {
      failing -= 1;
      if (failing >= 0) return create(GetAccList.ResponseSchema, { retType: -1 }) as ResponseMessage;
      const accList = [create(TrdAccSchema, { accID: 7n, trdEnv: TrdEnv.TrdEnv_Simulate, trdMarketAuthList: [1] })];
      return answering(account.listAccounts, { accList });
    }
    const waiting = { trdSide: 1, orderType: 1, orderStatus: 0, orderID: 5n, orderIDEx: 'X5', code: '00700', name: '', qty: 1, price: 1 };
    const stands = { ...waiting, secMarket: 1, trdMarket: 1, createTime: '', updateTime: '' };
    return operation === account.getOrders
      ? answering(operation, { orderList: [create(OrderSchema, stands)] })
      : succeed(operation, request);
  });
  const gateway = await serveGateway({ backend, keys: { all: { scopes } } });
  const person = new Person(Person.declines);
  const client = await McpClient.open(gateway, { keyText: gateway.key('all'), ...person.options });
  failing = 1;
  expect((await client.call('svc_reconfirm_order', { acc_id: '7', order_id: '5', reconfirm_op: 1 })).json).toMatchObject({
    code: 'confirmation.declined',
  });
  expect(person.questions).toHaveLength(1);
  await client.close();
  await gateway.stop();
});

describe('the position of a real account', () => {
  const futures = { market: 'FUTURES', acc_id: REAL_FUTURES, env: 'real' };
  const future = { ...futures, sec_market: 'HK', symbol: 'HK.HSI2612', order_type: 'MARKET' };
  let turns = 0;
  const reversal = (position_id: string) => {
    turns += 1;
    return { ...futures, position_id, price_type: 1, idempotency_key: `turn-${turns}`, extension_version: 1 };
  };

  /** The account's position in the future, negative when short, and its id. */
  async function held(): Promise<{ id: string; qty: number } | undefined> {
    const body = `{"market":5,"acc_id":${REAL_FUTURES},"env":2}`;
    const { json } = await daemon.as('all').post('/api/positions', body, { 'x-svc-int64': 'string' });
    const found = json.s2c.position_list.find(({ code, qty }: { code: string; qty: number }) => code === 'HSI2612' && qty !== 0);
    return found && { id: found.position_id, qty: found.qty };
  }

  /** Buys or sells for as long as it takes to be there. */
  async function trade(client: McpClient, side: string, qty: number, until_: number): Promise<string> {
    expect(await client.call('svc_place_order', { ...future, side, qty })).toMatchObject({ isError: false });
    return until(async () => {
      const now = await held();
      return now !== undefined && now.qty === until_ && now.id;
    }, `${until_} contracts`);
  }

  it('becomes exactly the order that the person confirmed', async () => {
    const plain = await daemon.mcp('all');
    await plain.call('svc_unlock_trade', { unlock: true });
    const id = await trade(plain, 'BUY', 2, 2);
    let answer: () => Promise<ElicitResult> = async () => ({ action: 'decline' });
    const { client, questions } = await openWithPerson('sessions', () => answer());
    expect((await client.call('svc_reverse_position', reversal(id))).json).toMatchObject({ code: 'confirmation.declined' });
    expect(questions.splice(0)).toEqual([
      expect.stringMatching(/^Sell 2 HK\.HSI2612 .*to close and sell 2 HK\.HSI2612 .*to open, at market, as one group in the REAL account/),
    ]);
    const target = { target_code: 'HSI2703', target_sec_market: 'HK' };
    const { price_type: _, ...roll } = reversal(id);
    expect((await client.call('svc_roll_position', { ...roll, ...target })).json).toMatchObject({ code: 'confirmation.declined' });
    expect(questions.splice(0)).toEqual([expect.stringMatching(/^Sell 2 HK\.HSI2612 .*and buy 2 HK\.HSI2703 /)]);
    // Neither of a position that is not there, nor for a key whose caps refuse it.
    expect((await client.call('svc_reverse_position', reversal('999999'))).json).toMatchObject({ field: 'position_id' });
    const capped = { ...reversal(id), api_key: daemon.keys.capped };
    expect((await client.call('svc_reverse_position', capped)).json).toMatchObject({ code: 'limit.price_unknown' });
    expect(questions).toEqual([]);
    // While the person thinks, somebody else buys another.
    answer = async () => {
      await trade(plain, 'BUY', 1, 3);
      return Person.agrees();
    };
    expect((await client.call('svc_reverse_position', reversal(id))).json).toMatchObject({ code: 'confirmation.mismatch' });
    expect(await held()).toMatchObject({ qty: 3 });
    answer = async () => Person.agrees();
    expect(await client.call('svc_reverse_position', reversal(id))).toMatchObject({ isError: false });
    expect(questions.at(-1)).toMatch(/^Sell 3 /);
    await until(async () => (await held())?.qty === -3, 'the opposite position');
  });
});

describe('a daemon without --enable-trading', () => {
  it('has no trading tools', async () => {
    const quiet = await TestDaemon.start({ keys: { all: { scopes } } });
    const client = await quiet.mcp('all');
    const names = await client.toolNames();
    for (const name of ['svc_place_order', 'svc_modify_order', 'svc_cancel_order', 'svc_cancel_all_order', 'svc_unlock_trade']) {
      expect(names).not.toContain(name);
      expect((await client.call(name, {})).json).toMatchObject({
        code: 'feature_disabled',
        error: expect.stringContaining('--enable-trading'),
      });
    }
    await quiet.stop();
  });
});

/** An order that looks like a slip, placed over REST, which the brokerage keeps back. */
async function keptBack(accId: string, env: 'simulate' | 'real'): Promise<{ order_id: string }> {
  const order = {
    market: 1,
    acc_id: accId,
    env: env === 'real' ? REAL_ENV : SIMULATE,
    side: 1,
    code: '00700',
    qty: 100,
    order_type: 1,
    price: 9000,
  };
  const { order_id } = await daemon.as('all').s2c('/api/order', order, { 'x-svc-int64': 'string' });
  return { order_id };
}

/** A backend's success with this payload. */
function answering({ messages }: Operation, payload: Record<string, unknown>): ResponseMessage {
  const s2c = create(messages.S2CSchema, payload);
  return create(messages.ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
}

/** Orders of today in the account, asked over REST. */
async function orderCount(env: 'simulate' | 'real' = 'simulate'): Promise<number> {
  const account = env === 'real' ? `"acc_id":${REAL},"env":2` : `"acc_id":${HK_CASH},"env":1`;
  const answer = await daemon.as('all').post('/api/orders', `{"market":1,${account}}`);
  return (answer.text.match(/"order_id_ex"/g) ?? []).length;
}
