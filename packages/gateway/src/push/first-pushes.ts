import type { Backend, QuotePush, QuoteStream } from '../backend.js';
import type { EventFrames } from './event-frames.js';
import type { HeldPush, Member } from './member.js';
import type { Members } from './members.js';
import type { Subscription, Subscriptions } from './subscriptions.js';

export interface FirstPushesDeps {
  readonly backend: Pick<Backend, 'current'>;
  readonly members: Members;
  readonly subscriptions: () => Subscriptions;
  readonly framesOf: (event: QuotePush) => EventFrames;
  readonly onDefect: (error: unknown) => void;
}

/** First pushes: a stream's current data, for connections that begin to receive it or have missed something. */
export class FirstPushes {
  constructor(private readonly deps: FirstPushesDeps) {}

  /** Pushes a stream's current data, or has it wait with what the connection holds back. */
  push(subscription: Subscription, members: readonly Member[]): void {
    if (members.length === 0) return;
    const event = this.#current(subscription.stream);
    if (event === undefined) return;
    const frames = this.deps.framesOf(event);
    for (const member of members) {
      if (member.held !== undefined) member.held.push({ subscription, generation: subscription.generation });
      else if (member.receives(event)) member.connection.push(frames);
    }
  }

  /** Pushes what a connection held back, as far as it is still wanted. */
  release(member: Member, held: readonly HeldPush[]): void {
    for (const { subscription, generation } of held) {
      const current = this.deps.subscriptions().get(subscription.owner, subscription.key);
      if (current?.generation === generation) this.push(current, [member]);
    }
  }

  /** Pushes a stream's current data once more to connections that had a first push of it. */
  refresh(key: string): void {
    const told = new Set<Member>();
    const { members, subscriptions } = this.deps;
    for (const owner of subscriptions().receivers(key)) {
      const subscription = subscriptions().get(owner, key);
      if (!subscription?.first) continue;
      const due = [...members.receiving(owner)].filter((member) => !told.has(member));
      for (const member of due) told.add(member);
      this.push(subscription, due);
    }
  }

  /** A missing first push does not stop the later ones. */
  #current(stream: QuoteStream): QuotePush | undefined {
    try {
      return this.deps.backend.current(stream);
    } catch (thrown) {
      this.deps.onDefect(thrown);
      return undefined;
    }
  }
}
