/** Shared part of the order figures, beside the load: a simulated account, a cheap resting order, and its cancel. */
import { Agent, request } from 'node:https';

const US = { env: 1, market: 2 };
const OPEN_STATUSES = [1, 2, 5, 10, 12, 13];
/** Price of a resting order to that of the market: far below it, so that the order is all that is written. */
const RESTS_AT = 0.6;

export async function openDesk({ port, authorization, connections = 4 }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  const post = (path, fields) => send('POST', path, JSON.stringify(fields));
  const { s2c: listed } = await send('GET', '/api/accounts', '');
  const account = listed.acc_list.find(({ trd_env, trd_market_auth_list }) => trd_env === 1 && trd_market_auth_list.includes(2)).acc_id;
  // Cheap, so that the cash is enough for many.
  const { s2c: quoted } = await post('/api/quote', { symbol: 'US.NIO' });
  const price = Number((quoted.basic_qot_list[0].cur_price * RESTS_AT).toFixed(2));
  const of = { acc_id: account, ...US };

  async function openIds() {
    const { s2c } = await post('/api/orders', { ...of, filter_status_list: OPEN_STATUSES });
    return (s2c.order_list ?? []).map(({ order_id }) => order_id);
  }

  /** Open orders may still be on their way to be confirmed as cancelled. */
  async function untilNoneOpen() {
    while ((await openIds()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** One request, whose answer must be a success. Ids come and go as text: they are too long for JSON.parse. */
  function send(method, path, body) {
    const headers = { authorization, 'content-type': 'application/json', 'x-svc-int64': 'string' };
    return new Promise((resolve, reject) => {
      const sent = request({ agent, method, host: '127.0.0.1', port, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const answer = JSON.parse(text);
          if (answer.ret_type === 0) resolve(answer);
          else reject(new Error(`${path}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  return {
    /** Fields that name the account. */
    of,
    order: { ...of, side: 1, symbol: 'US.NIO', qty: 1, price, order_type: 1 },
    post,
    openIds,
    untilNoneOpen,
    async cancelAll() {
      await post('/api/cancel-all-order', of);
      await untilNoneOpen();
    },
    close: () => agent.destroy(),
  };
}
