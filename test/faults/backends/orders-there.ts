import type { RunningSimulation } from '@svc-gateway/simulator/simulation';
import { isOpen } from '../../../packages/simulator/src/brokerage/order-status.js';
import { orderStatuses } from '../../../packages/simulator/src/brokerage/terms.js';
import type { OrderThere } from './stage.js';

/** The brokerage's record of every order that it ever took, restarts included. */
export class OrdersThere {
  readonly #ids = new Set<bigint>();
  #simulation: RunningSimulation | undefined;

  /** Follows this simulation from now on, which goes on where the one before it ended. */
  follow(simulation: RunningSimulation): void {
    this.#simulation = simulation;
    simulation.brokerage.onEvent(({ order }) => this.#ids.add(order.id));
  }

  all(): readonly OrderThere[] {
    return [...this.#ids].flatMap((id) => {
      const order = this.#simulation?.brokerage.order(id);
      if (order === undefined) return [];
      const { idEx, quantity, status } = order;
      return [{ idEx, quantity: Number(quantity), status: orderStatuses.numberOf(status), open: isOpen(status) }];
    });
  }
}
