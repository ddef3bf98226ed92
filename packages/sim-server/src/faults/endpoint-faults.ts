import type { Clock } from '@svc-gateway/contract/clock';
import type { EndpointServer } from '../endpoint-server.js';
import type { OrderedFault } from './wire-fault.js';
import type { WireFaults } from './wire-faults.js';

export interface EndpointFaultsOptions {
  readonly wire: WireFaults;
  readonly points: readonly EndpointServer[];
  readonly clock: Clock;
  readonly onDefect: (error: unknown) => void;
}

/** Faults of connection points: disturbed frames, cut connections, points that are down. */
export class EndpointFaults {
  constructor(private readonly options: EndpointFaultsOptions) {}

  /** Ordered, and not yet as often as it is to be. */
  get pending(): readonly OrderedFault[] {
    return this.options.wire.pending;
  }

  get pointNames(): readonly string[] {
    return this.options.points.map(({ name }) => name);
  }

  /** Clients that are connected, by point. */
  get connections(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.options.points.map(({ name, clients }) => [name, clients.size]));
  }

  /** Disturbs the next frames that fit. */
  order(...faults: readonly OrderedFault[]): void {
    for (const fault of faults) {
      // A fault at an unknown endpoint would never fire.
      this.#named(fault.point);
      this.options.wire.order(fault);
    }
  }

  clear(): void {
    this.options.wire.clear();
  }

  /** Cuts the connections to a point, or to all of them. */
  cut(name?: string): void {
    for (const point of this.#named(name)) point.cut();
  }

  /**
   * A point dies: its connections are cut and its port is closed, until {@link up}, or for so many milliseconds. Every point where
   * none is named.
   */
  async down(name?: string, ms?: number): Promise<void> {
    await Promise.all(this.#named(name).map((point) => point.down()));
    if (ms !== undefined) this.options.clock.after(ms, () => void this.up(name).catch(this.options.onDefect));
  }

  /** Opens a point again, at the port that it had. */
  async up(name?: string): Promise<void> {
    await Promise.all(this.#named(name).map((point) => point.open()));
  }

  #named(name: string | undefined): readonly EndpointServer[] {
    const found = this.options.points.filter((point) => name === undefined || point.name === name);
    if (found.length === 0) throw new RangeError(`there is no point ${name}; there are ${this.pointNames.join(', ')}`);
    return found;
  }
}
