import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Member } from './member.js';

/** The connections, also by the owners whose subscriptions they receive and by the owner of their key. */
export class Members {
  readonly #all = new Map<string, Member>();
  readonly #byOwner = new Map<string, Set<Member>>();
  readonly #ofKey = new Map<string, Set<Member>>();

  add(member: Member): void {
    this.#all.set(member.id, member);
    getOrInsert(this.#ofKey, member.owner, () => new Set()).add(member);
    for (const owner of member.owners) getOrInsert(this.#byOwner, owner, () => new Set()).add(member);
  }

  /** False where it is not there any more. */
  remove(member: Member): boolean {
    if (!this.#all.delete(member.id)) return false;
    removeFrom(this.#ofKey, member.owner, member);
    for (const owner of member.owners) removeFrom(this.#byOwner, owner, member);
    return true;
  }

  /** Every connection, in the order in which they came. */
  all(): Iterable<Member> {
    return this.#all.values();
  }

  /** Connections of one key, whatever they receive. */
  ofKey(owner: string): readonly Member[] {
    return [...(this.#ofKey.get(owner) ?? [])];
  }

  /** Owners of the keys that have connections, each with the identifier of its key. */
  keyOwners(): readonly (readonly [owner: string, keyId: string | undefined])[] {
    return [...this.#ofKey].map(([owner, [member]]) => [owner, member?.options.keyId] as const);
  }

  /** Whether a connection receives what an owner subscribes to. */
  has(owner: string): boolean {
    return this.#byOwner.has(owner);
  }

  /** Connections that receive what an owner subscribes to. */
  receiving(owner: string): Iterable<Member> {
    return this.#byOwner.get(owner) ?? [];
  }

  /** Connections that receive what any of these owners subscribes to, each once. */
  receivingAny(owners: readonly string[]): Set<Member> {
    const members = new Set<Member>();
    for (const owner of owners) for (const member of this.receiving(owner)) members.add(member);
    return members;
  }
}

function removeFrom(map: Map<string, Set<Member>>, owner: string, member: Member): void {
  const members = map.get(owner);
  members?.delete(member);
  if (members?.size === 0) map.delete(owner);
}
