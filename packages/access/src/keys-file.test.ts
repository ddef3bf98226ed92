import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keysFileText } from '../../../test/support/access.js';
import { parseKeysFile } from './keys-file.js';
import { scopesIn } from './scopes.js';
import { SymbolSet } from './symbol-set.js';

const hash = 'a'.repeat(64);
const fingerprint = `fp_${'b'.repeat(64)}`;

function records(text: string) {
  const parsed = parseKeysFile(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value.records;
}

function errorOf(text: string) {
  const parsed = parseKeysFile(text);
  if (parsed.ok) throw new Error('accepted');
  return parsed.error;
}

describe('parseKeysFile', () => {
  it('reads every field', () => {
    const [key] = records(`{"version": 2, "keys": [{
      "id": "desk-1", "hash": "${hash}", "sdk_hash": "${'c'.repeat(64)}", "scopes": ["qot:read", "trade:real"],
      "limits": {"limits_currency": "USD", "allowed_markets": ["HK", "CN"], "allowed_symbols": ["HK.00700", "cn.600519"], "max_order_value": 100000.05,
                 "max_daily_value": 1e6, "max_daily_loss": 0.5, "max_open_orders": 3, "hours_window": "22:00-04:00", "max_orders_per_minute": 5,
                 "allowed_trd_sides": ["BUY"], "allowed_acc_ids": [281756455983234027, "18446744073709551615"]},
      "allowed_machines": ["${fingerprint}"], "created_at": "2026-08-01T09:30:00Z", "expires_at": "2027-01-01T00:00:00.5+00:00", "note": "ü"}]}`);
    expect(key).toEqual({
      id: 'desk-1',
      hash,
      sdkHash: 'c'.repeat(64),
      scopes: key!.scopes,
      limits: {
        allowedMarkets: new Set(['HK', 'CN', 'SH', 'SZ']),
        allowedSymbols: new SymbolSet(['HK.00700', 'SH.600519']),
        allowedTrdSides: new Set(['BUY']),
        hoursWindow: { startMinute: 22 * 60, endMinute: 4 * 60 },
        maxOrderValue: 100_000_050_000_000n,
        maxDailyValue: 1_000_000_000_000_000n,
        maxDailyLoss: 500_000_000n,
        limitsCurrency: 'USD',
        maxOrdersPerMinute: 5,
        maxOpenOrders: 3,
        allowedAccIds: new Set([281756455983234027n, 18446744073709551615n]),
      },
      allowedMachines: [fingerprint],
      createdAt: Date.UTC(2026, 7, 1, 9, 30),
      expiresAt: Date.UTC(2027, 0, 1) + 500,
      note: 'ü',
    });
    expect(scopesIn(key!.scopes)).toEqual(['qot:read', 'trade:real']);
  });

  it('limits nothing where nothing is said, and tells an empty list from none where the difference matters', () => {
    const [bare, empty] = records(
      keysFileText(
        { id: 'bare' },
        {
          id: 'empty',
          allowed_machines: [],
          limits: { allowed_markets: [], allowed_symbols: [], allowed_trd_sides: [], allowed_acc_ids: [] },
        },
      ),
    );
    expect(Object.values(bare!.limits).every((limit) => limit === null)).toBe(true);
    expect(bare!.allowedMachines).toBeNull();
    expect(empty!.limits).toMatchObject({
      allowedMarkets: null,
      allowedSymbols: new SymbolSet(),
      allowedTrdSides: new Set(),
      allowedAccIds: null,
    });
    expect(empty!.allowedMachines).toEqual([]);
  });

  it('gives keys of the same limits the same object', () => {
    const limits = { max_order_value: 5 };
    const [a, b, c] = records(keysFileText({ id: 'a', limits }, { id: 'b', limits }, { id: 'c', limits: { max_order_value: 6 } }));
    expect(a!.limits).toBe(b!.limits);
    expect(c!.limits.maxOrderValue).toBe(6_000_000_000n);
  });

  const record = (fields: Record<string, unknown>) => keysFileText({ id: 'a', ...fields });
  it.each<[string, string, string]>([
    ['a file of version 1', '{"version":1,"keys":[]}', 'unknown version 1: this program reads version 2'],
    ['a version as text', '{"version":"2","keys":[]}', 'unknown version "2"'],
    ['no version', '{"keys":[]}', 'lacks the field "version"'],
    ['no keys', '{"version":2}', 'lacks the field "keys"'],
    ['a list', '[]', 'the file must be an object, found an array'],
    ['an unknown field of the file', '{"version":2,"keys":[],"kyes":[]}', 'unknown field "kyes", did you mean "keys"?'],
    ['an unknown field of a record', record({ expire_at: null }), 'unknown field "keys[0].expire_at", did you mean "expires_at"?'],
    [
      'an unknown limit',
      record({ limits: { max_ordr_value: 1 } }),
      'unknown field "keys[0].limits.max_ordr_value", did you mean "max_order_value"?',
    ],
    [
      'an unknown scope',
      record({ scopes: ['qot:reed'] }),
      'keys[0].scopes[0]: unknown scope "qot:reed", did you mean "qot:read"?; accepted: qot:read, qot:write',
    ],
    ['a wildcard scope', record({ scopes: ['*'] }), 'unknown scope "*"; accepted:'],
    ['a repeated id', keysFileText({ id: 'a' }, { id: 'a', hash }), 'keys[1]: duplicate id "a"'],
    ['a repeated hash', keysFileText({ id: 'a', hash }, { id: 'b', hash }), 'keys[1].hash already belongs to key "a"'],
    [
      'a repeated sdk_hash',
      keysFileText({ id: 'a', sdk_hash: hash }, { id: 'b', sdk_hash: hash }),
      'keys[1].sdk_hash already belongs to key "a"',
    ],
    ['an empty id', record({ id: '' }), 'keys[0].id must be 1 to 128 visible characters'],
    ['an id with a line feed', record({ id: 'a\nb' }), 'keys[0].id must be'],
    [
      'a short hash',
      record({ hash: 'abc' }),
      'keys[0].hash must be 64 lower-case hexadecimal digits (SHA-256 of the key), found "abc" (3 characters)',
    ],
    ['an upper-case hash', record({ hash: 'A'.repeat(64) }), 'keys[0].hash must be'],
    ['a null hash', record({ hash: null }), 'keys[0].hash must be a string, found null'],
    ['no hash', '{"version":2,"keys":[{"id":"a","scopes":[]}]}', 'keys[0] lacks the field "hash"'],
    ['scopes as text', record({ scopes: 'qot:read' }), 'keys[0].scopes must be an array of scopes, found "qot:read"'],
    ['limits as a list', record({ limits: [] }), 'keys[0].limits must be an object, found an array'],
    ['an unknown market', record({ limits: { allowed_markets: ['HKK'] } }), 'unknown market "HKK", did you mean "HK"?'],
    ['a symbol without a market', record({ limits: { allowed_symbols: ['00700'] } }), 'must be MARKET.CODE'],
    ['a negative cap', record({ limits: { max_daily_value: -1 } }), 'keys[0].limits.max_daily_value must be a non-negative number'],
    ['a cap as text', record({ limits: { max_order_value: '5' } }), 'keys[0].limits.max_order_value must be a non-negative number'],
    ['a fraction of an order', record({ limits: { max_orders_per_minute: 1.5 } }), 'must be a whole number from 0 to 100000; found 1.5'],
    ['a window of one hour 24', record({ limits: { hours_window: '09:00-24:00' } }), 'must be HH:MM-HH:MM'],
    ['an unknown side', record({ limits: { allowed_trd_sides: ['LONG'] } }), 'unknown side "LONG"'],
    ['an account beyond 64 bits', record({ limits: { allowed_acc_ids: ['18446744073709551616'] } }), 'must be an account id'],
    ['a local timestamp', record({ expires_at: '2026-08-01T09:30:00' }), 'keys[0].expires_at must be an ISO 8601 time in UTC'],
    ['a zone other than UTC', record({ created_at: '2026-08-01T09:30:00+08:00' }), 'keys[0].created_at must be'],
    ['a day that does not exist', record({ expires_at: '2026-02-30T00:00:00Z' }), 'keys[0].expires_at must be'],
    ['a bad fingerprint', record({ allowed_machines: ['fp_12'] }), 'keys[0].allowed_machines[0] must be fp_ and 64'],
    ['a note that is no text', record({ note: 7 }), 'keys[0].note must be a string, found 7'],
  ])('refuses %s', (_, text, message) => expect(errorOf(text).message).toContain(message));

  it('names line and column of the topmost fault', () => {
    const text = `{\n  "version": 2,\n  "keys": [\n    {"id": "a", "hash": "${hash}", "scopes": ["qot:red"], "limits": {"max_daily_value": -1}}\n  ]\n}`;
    expect(errorOf(text)).toMatchObject({ line: 4, column: text.split('\n')[3]!.indexOf('"qot:red"') + 1 });
  });

  it('does not repeat a key that was pasted in place of its hash', () => {
    const { message } = errorOf(record({ hash: `svc_${'x'.repeat(43)}` }));
    expect(message).toContain('found a key itself');
    expect(message).not.toContain('xxx');
  });

  it('answers any text with a value', () => {
    const valid = keysFileText({ id: 'a', limits: { max_daily_value: 5, allowed_acc_ids: [1] }, expires_at: null });
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json(),
      // A valid file with a stretch of it replaced.
      fc
        .tuple(fc.nat(valid.length), fc.nat(20), fc.string({ maxLength: 10 }))
        .map(([at, cut, put]) => valid.slice(0, at) + put + valid.slice(at + cut)),
      fc.constantFrom(
        '1e999999999',
        '-'.repeat(1e6),
        '['.repeat(1e6),
        `{"version":2,"keys":[${'{'.repeat(1e5)}`,
        `"${'\\u0000'.repeat(1e5)}"`,
      ),
      fc.constantFrom('1e999', '1e-999', '9'.repeat(64), '1e400').map((number) => valid.replace('5', number)),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const parsed = parseKeysFile(text);
        if (parsed.ok) return;
        expect(parsed.error.message).not.toBe('');
        expect(parsed.error.line).toBeGreaterThan(0);
        expect(parsed.error.column).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
