import { create } from '@bufbuild/protobuf';
import { TrdAccSchema, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import { expect, it } from 'vitest';
import { addressByCard } from './card-accounts.js';

const REAL = 1;
const HK = 1;
const FUTURES = 5;

const acc = (accID: bigint, trdEnv: number, markets: number[], cardNum: string, uniCardNum = '') =>
  create(TrdAccSchema, { accID, trdEnv, trdMarketAuthList: markets, cardNum, uniCardNum });

const accounts = [
  acc(1n, REAL, [HK, 2], '1001100580031477', '1001100320031599'),
  acc(2n, REAL, [FUTURES], '1001200580031485', '1001100320031599'),
  acc(3n, REAL, [HK], '1001300580041477'),
  acc(4n, 0, [HK], '1009100480020113'),
  acc(5n, REAL, [HK], ''),
];

function address(cardNum: string, { env = REAL, market = HK, accID = 0n } = {}): bigint | string {
  const header = create(TrdHeaderSchema, { trdEnv: env, accID, trdMarket: market });
  const addressed = addressByCard(create(C2SSchema, { header }), cardNum, accounts);
  return addressed instanceof Rejection ? addressed.message : (addressed.header?.accID ?? 'none');
}

it.each([
  ['its number', '1001100580031477', {}, 1n],
  ['the end of its number', '1485', { market: FUTURES }, 2n],
  ['the end of its number, whatever the market', '1485', {}, 2n],
  ['the universal card, by the market', '1001100320031599', { market: FUTURES }, 2n],
  ['the end of the universal card, by the market', '1599', {}, 1n],
  ['its card in the environment', '0113', { env: 0 }, 4n],
  ['both', '1477', { accID: 3n }, 3n],
] as const)('finds an account by %s', (_, card, request, account) => {
  expect(address(card, request)).toBe(account);
});

it('names the accounts of a card that stands for several', () => {
  expect(address('1477')).toBe(
    'card_num: card 1477 has several accounts: 1 (card 1001100580031477, HK US), 3 (card 1001300580041477, HK); give acc_id or another card number',
  );
  expect(address('1599', { market: 8 })).toMatch(/several accounts: 1 .* 2 /);
});

it('refuses an account of another card', () => {
  expect(address('1485', { accID: 1n })).toBe(
    'card_num: acc_id 1 is not an account of card 1485; its accounts: 2 (card 1001200580031485, FUTURES); give acc_id or card_num, not both',
  );
});

it('refuses a card of no account in the environment', () => {
  expect(address('0113')).toMatch(/^card_num: no real account has card 0113; accounts for real: 1 .* 5 \(no card, HK\)$/);
  expect(address('1477', { env: 0 })).toMatch(/^card_num: no simulate account has card 1477; accounts for simulate: 4 /);
});
