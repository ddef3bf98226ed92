import type { QuotePush } from '../backend.js';
import type { Connection } from './connection.js';
import type { Member } from './member.js';
import type { Members } from './members.js';
import { fullerKey, poorerKey, streamKey } from './streams.js';
import type { Subscription, Subscriptions } from './subscriptions.js';

const NOBODY: readonly Connection[] = [];

/** Receivers by stream. Built on the first event, dropped when anything changes for the stream. */
export class Routes {
  readonly #routes = new Map<string, readonly Connection[]>();

  constructor(
    private readonly members: Members,
    private readonly subscriptions: () => Subscriptions,
  ) {}

  /** Connections that a quote goes to. */
  of(event: QuotePush): readonly Connection[] {
    const key = streamKey(event.stream);
    return this.#routes.get(key) ?? this.#build(key, event);
  }

  /** A subscription has begun or ended. */
  changed({ stream, key }: Subscription): void {
    this.#routes.delete(key);
    const poorer = poorerKey(stream);
    if (poorer !== undefined) this.#routes.delete(poorer);
  }

  /** A connection has come or gone, or may see something else. */
  memberChanged({ owners }: Member): void {
    for (const owner of owners) for (const { key } of this.subscriptions().list(owner)) this.#routes.delete(key);
  }

  /** Whether a member receives the stream by a subscription of its other owner, or one that has all of its data. */
  receivesOtherwise(member: Member, { owner, stream, key }: Subscription): boolean {
    const fuller = fullerKey(stream);
    if (fuller !== undefined && this.#receives(member, fuller)) return true;
    return member.owners.some((other) => other !== owner && this.subscriptions().get(other, key)?.push === true);
  }

  #build(key: string, event: QuotePush): readonly Connection[] {
    const owners = this.subscriptions().receivers(key);
    if (owners.length === 0) return NOBODY;
    const fuller = fullerKey(event.stream);
    const isGiven = (member: Member) => member.receives(event) && !(fuller !== undefined && this.#receives(member, fuller));
    const recipients = [...this.members.receivingAny(owners)].filter(isGiven).map(({ connection }) => connection);
    this.#routes.set(key, recipients);
    return recipients;
  }

  #receives(member: Member, key: string): boolean {
    return member.owners.some((owner) => this.subscriptions().get(owner, key)?.push === true);
  }
}
