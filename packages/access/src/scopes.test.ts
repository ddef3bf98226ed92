import { scopes } from '@svc-gateway/contract/scope';
import { describe, expect, it } from 'vitest';
import { publicInLegacyMode, scopeMask, scopesIn, scopesSatisfy } from './scopes.js';

describe('scopes', () => {
  it.each(scopes)('%s is satisfied by itself alone', (asked) => {
    expect(scopes.filter((held) => scopesSatisfy(scopeMask([held]), scopeMask([asked])))).toEqual([asked]);
    expect(scopesSatisfy(0, scopeMask([asked]))).toBe(false);
  });

  it('takes any one of several', () => {
    const either = scopeMask(['qot:state', 'qot:read']);
    expect(scopesSatisfy(scopeMask(['qot:read']), either)).toBe(true);
    expect(scopesSatisfy(scopeMask(['qot:write', 'admin']), either)).toBe(false);
  });

  it('opens operations without a scope to all keys', () => expect(scopesSatisfy(0, 0)).toBe(true));

  it('turns a mask back into names', () => expect(scopesIn(scopeMask(['admin', 'qot:read']))).toEqual(['qot:read', 'admin']));

  it('has legacy mode refuse order writes, unlock and administration, and nothing else', () => {
    const refused = scopes.filter((scope) => !publicInLegacyMode(scopeMask([scope])));
    expect(refused).toEqual(['trade:simulate', 'trade:real', 'trade:unlock', 'admin']);
    expect(publicInLegacyMode(scopeMask(['metrics:read', 'admin']))).toBe(true);
    expect(publicInLegacyMode(0)).toBe(true);
  });
});
