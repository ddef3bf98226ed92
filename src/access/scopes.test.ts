import { describe, expect, it } from 'vitest';
import { acceptedScopes, publicInLegacyMode, type ScopeRule, scopeMask, scopes, scopesIn, scopesSatisfy, tradeScope } from './scopes.js';

/** For each rule, every scope that satisfies it; all others must not. */
const table: [Exclude<ScopeRule, 'trade'>, string[]][] = [
  ['qot:read', ['qot:read']],
  ['qot:write', ['qot:read', 'qot:write']],
  ['qot:write strict', ['qot:write']],
  ['qot:state', ['qot:read', 'qot:state']],
  ['acc:read', ['acc:read']],
  ['trade:simulate', ['trade:simulate']],
  ['trade:real', ['trade:real']],
  ['trade:unlock', ['trade:unlock']],
  ['admin', ['admin']],
  ['metrics:read', ['metrics:read']],
  ['metrics', ['admin', 'metrics:read']],
  ['auth:setup', ['auth:setup']],
];

describe('scopes', () => {
  it.each(table)('%s is satisfied by %j alone', (rule, satisfying) => {
    const passing = scopes.filter((scope) => scopesSatisfy(scopeMask([scope]), acceptedScopes(rule)));
    expect(passing.toSorted()).toEqual(satisfying);
    expect(scopesSatisfy(0, acceptedScopes(rule))).toBe(false);
  });

  it('opens what needs no scope to everyone', () => expect(scopesSatisfy(0, acceptedScopes('none'))).toBe(true));

  it('keeps the two environments of trading apart', () => {
    expect(scopesSatisfy(scopeMask(['trade:real']), tradeScope('simulate'))).toBe(false);
    expect(scopesSatisfy(scopeMask(['trade:simulate']), tradeScope('real'))).toBe(false);
    expect(scopesSatisfy(scopeMask(['trade:simulate']), tradeScope('simulate'))).toBe(true);
  });

  it('turns a mask back into names', () => expect(scopesIn(scopeMask(['admin', 'qot:read']))).toEqual(['qot:read', 'admin']));

  it('has legacy mode refuse order writes, unlock and administration, and nothing else', () => {
    const refused = scopes.filter((scope) => !publicInLegacyMode(scopeMask([scope])));
    expect(refused).toEqual(['trade:simulate', 'trade:real', 'trade:unlock', 'admin']);
    expect(publicInLegacyMode(acceptedScopes('metrics'))).toBe(true);
    expect(publicInLegacyMode(acceptedScopes('none'))).toBe(true);
  });
});
