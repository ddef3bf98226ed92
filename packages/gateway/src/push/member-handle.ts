import type { ConnectionInfo, Permits } from './connection.js';
import type { Frame } from './frame.js';
import type { Member, PushConnection } from './member.js';
import type { Cursor } from './trade-log.js';

/** The hub's actions for the interface that holds a member's socket. */
export interface MemberActions {
  readonly release: (member: Member) => void;
  readonly resume: (member: Member, since: Cursor | undefined, accIds: readonly bigint[]) => void;
  readonly accounts: (member: Member) => readonly bigint[];
  readonly remove: (member: Member) => void;
  readonly close: (member: Member, code: number, reason: string) => void;
  readonly setPermits: (member: Member, permits: Permits) => void;
  readonly info: (member: Member) => ConnectionInfo;
}

/** A member as its interface has it. There may be ten thousand: what all have in common they share. */
export class MemberHandle implements PushConnection {
  constructor(
    private readonly member: Member,
    private readonly actions: MemberActions,
  ) {}

  get id(): string {
    return this.member.connection.id;
  }

  get owner(): string {
    return this.member.connection.owner;
  }

  get ownOwner(): string {
    return this.member.connection.ownOwner;
  }

  send(frame: Frame): void {
    this.member.connection.send(frame);
  }

  hold(): void {
    this.member.held ??= [];
  }

  release(): void {
    this.actions.release(this.member);
  }

  resume(since: Cursor | undefined, accIds: readonly bigint[]): void {
    this.actions.resume(this.member, since, accIds);
  }

  accounts(): readonly bigint[] {
    return this.actions.accounts(this.member);
  }

  drained(): void {
    this.member.connection.drained();
  }

  disconnected(): void {
    this.actions.remove(this.member);
    this.member.connection.discard();
  }

  close(code: number, reason: string): void {
    this.actions.close(this.member, code, reason);
  }

  setPermits(permits: Permits): void {
    this.actions.setPermits(this.member, permits);
  }

  info(): ConnectionInfo {
    return this.actions.info(this.member);
  }
}
