import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import { MemoryStore } from '@svc-gateway/storage';
import { describe, expect, it, vi } from 'vitest';
import { keysFileText, orderOf, temporaryFolder, textOf } from '../../../test/support/access.js';
import { Access } from './access.js';
import { AuditLog } from './audit.js';
import { Keyring } from './keyring.js';
import { OrderGates } from './order-gates.js';
import { scopeMask } from './scopes.js';

const noon = Date.UTC(2026, 7, 1, 12);

function accessOf(keys?: string) {
  const clock = new ManualClock(noon);
  const path = join(temporaryFolder(), 'keys.json');
  const log = vi.fn();
  const audit = AuditLog.open({ clock, log, report: () => {} });
  if (keys !== undefined) writeFileSync(path, keys);
  const keyring = keys === undefined ? undefined : Keyring.open({ path, clock });
  if (!audit.ok || keyring?.ok === false) throw new Error('not opened');
  const gates = new OrderGates({ store: new MemoryStore(), now: noon, onStoreFailure: () => {} });
  const access = new Access({ keyring: keyring?.value, gates, audit: audit.value });
  return { access, path, events: () => log.mock.calls.map(([event]) => event) };
}

describe('scope mode', () => {
  const file = keysFileText({ id: 'reader' }, { id: 'trader', scopes: ['trade:simulate'] }, { id: 'idle', scopes: [] });

  it('needs a key, and a valid one', () => {
    const { access } = accessOf(file);
    expect(access.scopeMode).toBe(true);
    for (const none of [undefined, ''])
      expect(access.authenticate(none)).toMatchObject({ ok: false, code: 'auth.missing', message: 'bearer missing' });
    expect(access.authenticate('svc_wrong')).toMatchObject({ ok: false, code: 'auth.invalid' });
    expect(access.authenticate(textOf('reader'))).toMatchObject({ ok: true, key: { id: 'reader' } });
  });

  it('allows a key the operations of its scopes, and names the missing scope', () => {
    const { access } = accessOf(file);
    const key = (id: string) => {
      const named = access.authenticate(textOf(id));
      return named.ok ? named.key : undefined;
    };
    expect(access.authorise(key('reader'), scopeMask(['qot:state', 'qot:read']))).toBeUndefined();
    expect(access.authorise(key('trader'), scopeMask(['trade:simulate']))).toBeUndefined();
    expect(access.authorise(key('trader'), scopeMask(['trade:real']))).toEqual({
      code: 'auth.scope',
      message: 'scope insufficient: needs trade:real; key "trader" holds trade:simulate',
    });
    expect(access.authorise(key('idle'), scopeMask(['metrics:read', 'admin']))).toEqual({
      code: 'auth.scope',
      message: 'scope insufficient: needs admin or metrics:read; key "idle" holds no scope',
    });
    expect(access.authorise(undefined, scopeMask(['qot:read']))?.code).toBe('auth.scope');
    expect(access.authorise(undefined, 0)).toBeUndefined();
  });

  it('holds the orders of a key against its limits', () => {
    const { access } = accessOf(keysFileText({ id: 'trader', scopes: ['trade:simulate'], limits: { max_daily_value: 100.5 } }));
    const trader = access.authenticate(textOf('trader'));
    if (!trader.ok) throw new Error(trader.message);
    expect(access.admit(trader.key, orderOf(100), noon).ok).toBe(true);
    expect(access.admit(trader.key, orderOf(1), noon)).toMatchObject({ ok: false, denials: [{ code: 'limit.daily_value' }] });
  });

  it('reloads with a line in the trail, whether the file is good or not', () => {
    const { access, path, events } = accessOf(file);
    writeFileSync(path, keysFileText({ id: 'reader' }));
    expect(access.reloadKeys('r1')).toMatchObject({ ok: true });
    expect(access.authenticate(textOf('trader'))).toMatchObject({ code: 'auth.revoked', message: 'key revoked' });
    writeFileSync(path, '{');
    expect(access.reloadKeys('r2')).toMatchObject({ ok: false });
    expect(access.authenticate(textOf('reader')).ok).toBe(true);
    expect(events()).toMatchObject([
      { iface: 'daemon', endpoint: 'reload', outcome: 'allow', requestId: 'r1' },
      {
        iface: 'daemon',
        endpoint: 'reload',
        outcome: 'reject',
        reason: `keys file refused: ${path}:1:2: expected a field name in double quotes, found the end of the text`,
      },
    ]);
  });
});

describe('legacy mode', () => {
  it('accepts anonymous reads in legacy mode', async () => {
    const { access } = accessOf();
    expect(access.scopeMode).toBe(false);
    expect(access.authenticate('svc_any')).toEqual({ ok: true, key: undefined });
    for (const scope of ['qot:read', 'qot:state', 'qot:write', 'acc:read', 'metrics:read', 'auth:setup'] as const) {
      expect(access.authorise(undefined, scopeMask([scope]))).toBeUndefined();
    }
    expect(access.authorise(undefined, 0)).toBeUndefined();
    for (const refused of [scopeMask(['trade:simulate']), scopeMask(['trade:real']), scopeMask(['trade:unlock']), scopeMask(['admin'])]) {
      expect(access.authorise(undefined, refused)).toMatchObject({ code: 'auth.legacy', message: expect.stringContaining('UNAUTHORIZED') });
    }
    expect(access.reloadKeys('r1')).toBeUndefined();
  });
});
