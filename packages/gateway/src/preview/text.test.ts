import { formatDecimal } from '@svc-gateway/contract/decimal';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { InexactNumber, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { inMoney } from '@svc-gateway/contract/money';
import { Rejection } from '@svc-gateway/contract/rejection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CancelPreview } from './preview.js';
import { previewText } from './text.js';

function cancelOf(accId: bigint, orderId: bigint, qty: bigint, name: string): CancelPreview {
  const order = {
    orderId,
    orderIdEx: 'X',
    symbol: 'HK.00700',
    name,
    side: 'BUY',
    orderType: 'NORMAL',
    status: 'Submitted',
    isOver: false,
    qty,
    filledQty: 0n,
    remainingQty: qty,
    price: null,
    triggerPrice: null,
    trail: null,
    remark: null,
  };
  return {
    kind: 'cancel',
    op: 'cancel',
    operation: 'cancel_order',
    accId,
    env: 'simulate',
    market: 'HK',
    all: false,
    count: 1,
    orders: [order],
    gates: [{ gate: 'rate', holder: 'key', passes: true, limit: 5, after: qty, currency: 'HKD' }],
    wouldPass: true,
    refusal: null,
    refusals: [],
    undecidedBy: [],
    brokerageDecided: true,
    note: null,
  };
}

/** The digits of a JSON number as they were written. */
function digits(value: JsonValue | undefined): string {
  return value instanceof InexactNumber ? value.text : String(value);
}

describe('the JSON of a preview', () => {
  it('is exact: ids beyond 2^53, amounts beyond a double, any text', () => {
    const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(id, id, fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.string({ unit: 'binary' }), (accId, orderId, qty, name) => {
        const parsed = parseJson(previewText(cancelOf(accId, orderId, qty, name)));
        if (!parsed.ok) throw new Error(parsed.error.message);
        const root = parsed.value as JsonObject & { orders: JsonObject[]; gates: JsonObject[] };
        expect(digits(root.acc_id)).toBe(String(accId));
        expect(digits(root.orders[0]?.order_id)).toBe(String(orderId));
        expect(root.orders[0]?.name).toBe(name);
        expect(previewText(cancelOf(accId, orderId, qty, name))).toContain(`"qty":${formatDecimal(qty)},`);
        expect(previewText(cancelOf(accId, orderId, qty, name))).toContain(
          `"limit":5,"after":${formatDecimal(inMoney(qty, 'HKD', 'up'))},"currency":"HKD"}`,
        );
      }),
    );
  });

  it('writes ids as text for readers that are not exact', () => {
    const text = previewText(cancelOf(2n ** 63n + 1n, 2n ** 60n + 1n, 10n ** 9n, 'Tencent'), 'string');
    expect(JSON.parse(text)).toMatchObject({
      acc_id: '9223372036854775809',
      orders: [{ order_id: '1152921504606846977', qty: 1, price: null }],
      reason: null,
    });
  });

  it('states a refusal in the words of its error', () => {
    const refusal = new Rejection('limit.rate', 'rate limit exceeded', { retryAfterSeconds: 40 });
    const refused = { ...cancelOf(1n, 2n, 0n, 'Tencent'), wouldPass: false, refusal, refusals: [refusal] };
    expect(JSON.parse(previewText(refused))).toMatchObject({
      would_pass: false,
      reason: 'rate limit exceeded',
      code: 'limit.rate',
      retry_after: 40,
    });
  });
});
