import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import type { PushEvent } from '@svc-gateway/gateway/backend';
import { type BrokerageEvent, fillPush, orderPush } from '@svc-gateway/simulator/brokerage';
import { Refusal } from '@svc-gateway/simulator/refusal';
import type { Facts } from '@svc-gateway/simulator/view/facts';

const ProtoId = { order: 2208, fill: 2218 } as const;

/** Order and fill pushes of the subscribed accounts. */
export class AccountPushes {
  #wanted: ReadonlySet<bigint> = new Set();
  #stopListening: (() => void) | undefined;

  constructor(
    private readonly facts: Facts<'world' | 'brokerage'>,
    private readonly emit: (event: PushEvent) => void,
  ) {}

  start(): void {
    this.#stopListening ??= this.facts.brokerage.onEvent((event) => this.#onEvent(event));
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#wanted = new Set();
  }

  /** Replaces the accounts whose pushes are wanted; one that does not exist refuses the whole list. */
  subscribe(accIds: readonly bigint[]): Refusal | undefined {
    const unknown = accIds.find((accId) => this.facts.brokerage.account(accId) === undefined);
    if (unknown !== undefined) return new Refusal(unknownAccountText(unknown), UNKNOWN_ACCOUNT);
    this.#wanted = new Set(accIds);
    return undefined;
  }

  #onEvent(event: BrokerageEvent): void {
    const { account } = event;
    if (!this.#wanted.has(account.id)) return;
    const { world } = this.facts;
    const [protoId, message] =
      event.kind === 'order'
        ? [ProtoId.order, orderPush(world, account, event.order)]
        : [ProtoId.fill, fillPush(world, account, event.fill)];
    const trdMarket = message.s2c?.header?.trdMarket ?? 0;
    this.emit({ type: 'trade', protoId, accId: account.id, trdMarket, canSellQty: Number(event.canSell), message });
  }
}
