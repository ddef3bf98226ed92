import { keyOf, uniform } from '@svc-gateway/simulator/rng/random';
import { type FaultStage, type OrderedFault, stagesOf, type WireFault } from './wire-fault.js';

/** More ordered faults than any test needs. */
const ORDERED_MAX = 1_000;

/** The disturbances that were ordered, first come first served. The same seed and the same order of events disturb the same frames. */
export class WireFaults {
  readonly #key: number;
  #draws = 0;
  #ordered: { readonly fault: OrderedFault; left: number }[] = [];

  constructor(seed: string | number) {
    this.#key = keyOf(`faults ${seed}`);
  }

  /** Ordered faults that have not happened as often as they should. */
  get pending(): readonly OrderedFault[] {
    return this.#ordered.map(({ fault, left }) => ({ ...fault, times: left }));
  }

  order(fault: OrderedFault): void {
    if (this.#ordered.length >= ORDERED_MAX) throw new RangeError(`at most ${ORDERED_MAX} faults can be pending`);
    this.#ordered.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#ordered = [];
  }

  /** The fault that befalls an answer or a push now, if one does. */
  take(stage: FaultStage, point: string, protoId: number): WireFault | undefined {
    for (const ordered of this.#ordered) {
      const { fault } = ordered;
      if (!stagesOf[fault.kind].includes(stage)) continue;
      if ((fault.point ?? point) !== point || !concerns(fault, protoId)) continue;
      if (fault.chance !== undefined && uniform(this.#key, this.#draws++) >= fault.chance) continue;
      ordered.left -= 1;
      if (ordered.left <= 0) this.#ordered = this.#ordered.filter((one) => one !== ordered);
      return fault;
    }
    return undefined;
  }
}

/** Connection-level requests, sent by the client's own timers. */
const CONNECTION_IDS: readonly number[] = [1001, 1004];

function concerns(fault: OrderedFault, protoId: number): boolean {
  return fault.protoId === undefined ? !CONNECTION_IDS.includes(protoId) : fault.protoId === protoId;
}
