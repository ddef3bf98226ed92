import { create } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { type Order, type OrderFill, type Position, PositionSide, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { account } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { BackendFailure } from '@svc-gateway/gateway/backend-failures';
import { payloadOf } from '@svc-gateway/gateway/push';
import type { Upstream } from '../connection/upstream.js';

/** Longest wait of an order or fill push for the account's positions, before it goes without. */
const WAIT_MS_MAX = 1_000;
/** Pushes of an account that wait at a time: beyond them all go without. */
const WAITING_MAX = 1_000;
const asked = account.getPositions;

/** Fields that pushes of orders and fills have in common. */
interface Pushed {
  readonly header?: TrdHeader;
  readonly order?: Order;
  readonly orderFill?: OrderFill;
}

interface Waiting {
  readonly events: TradePush[];
  done: Promise<void>;
}

/**
 * Says with each order and fill how much of the security the account could sell once it had happened. The public protocol's pushes
 * do not say, so the positions are read: once for what came together. The pushes of an account stay in their order.
 */
export class SellableQuantities {
  readonly #waiting = new Map<bigint, Waiting>();

  constructor(
    private readonly upstream: Upstream,
    private readonly clock: Clock,
    private readonly emit: (event: TradePush) => void,
  ) {}

  push(event: TradePush): void {
    const waiting = this.#waiting.get(event.accId);
    if (waiting === undefined) {
      const begun: Waiting = { events: [event], done: Promise.resolve() };
      this.#waiting.set(event.accId, begun);
      begun.done = this.#run(event.accId, begun);
      return;
    }
    waiting.events.push(event);
    if (waiting.events.length > WAITING_MAX) for (const late of waiting.events.splice(0)) this.emit(late);
  }

  /** Resolves when what was pushed so far has been passed on. */
  async idle(): Promise<void> {
    await Promise.all([...this.#waiting.values()].map(({ done }) => done));
  }

  async #run(accId: bigint, { events }: Waiting): Promise<void> {
    while (events.length > 0) {
      // Positions that are asked for now say nothing of what comes later.
      const batch = events.slice();
      const positions = await this.#positions(batch);
      for (const event of batch) {
        // Passed on already, since there were too many.
        if (events[0] !== event) continue;
        events.shift();
        const canSellQty = sellable(event, positions);
        this.emit(canSellQty === undefined ? event : { ...event, canSellQty });
      }
    }
    this.#waiting.delete(accId);
  }

  /** By the market that was asked about; nothing of a market whose positions the server does not say. */
  async #positions(events: readonly TradePush[]): Promise<ReadonlyMap<number, readonly Position[]>> {
    const headers = new Map(events.map((event) => [event.trdMarket, payloadOf(event.message) as Pushed | undefined]));
    const read = [...headers].map(async ([trdMarket, pushed]): Promise<readonly [number, readonly Position[]] | undefined> => {
      const { header } = pushed ?? {};
      if (header === undefined) return undefined;
      try {
        const deadline = this.clock.monotonic() + WAIT_MS_MAX;
        const answer = await this.upstream.request(asked, create(asked.messages.C2SSchema, { header }), { deadline });
        const { s2c } = answer as ResponseMessage & { readonly s2c?: { readonly positionList: readonly Position[] } };
        return s2c === undefined ? undefined : [trdMarket, s2c.positionList];
      } catch (thrown) {
        if (thrown instanceof BackendFailure) return undefined;
        throw thrown;
      }
    });
    return new Map((await Promise.all(read)).filter((found) => found !== undefined));
  }
}

/** Units that can be sold; of a short position below zero, what can be bought back. */
function sellable(event: TradePush, positions: ReadonlyMap<number, readonly Position[]>): number | undefined {
  const { order, orderFill } = (payloadOf(event.message) ?? {}) as Pushed;
  const traded = order ?? orderFill;
  const held = positions.get(event.trdMarket);
  if (traded === undefined || held === undefined) return undefined;
  const own = held.filter(
    ({ code, secMarket }) => code === traded.code && (secMarket === 0 || traded.secMarket === 0 || secMarket === traded.secMarket),
  );
  const units = own.map(({ positionSide, canSellQty }) =>
    positionSide === PositionSide.PositionSide_Short ? -Math.abs(canSellQty) : canSellQty,
  );
  // An account may hold a security on both sides: what it could sell is what it is long.
  const quantity = units.find((units) => units > 0) ?? units[0] ?? 0;
  // Servers write NaN for what they do not know.
  return Number.isFinite(quantity) ? quantity : undefined;
}
