import type { Server } from '@grpc/grpc-js';

/** A streaming call, as far as ending it needs to know it. */
interface StandingCall {
  once(event: 'cancelled', listener: () => void): unknown;
  end(): void;
}

/**
 * Lets services of others be added to a server, and ends their streams when it closes: left alone, a watch of the health
 * or an open reflection would keep it from closing.
 */
export class StandingStreams implements Pick<Server, 'addService'> {
  readonly #calls = new Set<StandingCall>();

  constructor(private readonly server: Server) {}

  addService(...[service, implementation]: Parameters<Server['addService']>): void {
    const streaming = Object.entries(service).filter(([, method]) => method.responseStream);
    const tracked = { ...implementation };
    for (const [name] of streaming) {
      for (const key of [name, lowerFirst(name)]) {
        const handler = implementation[key] as ((call: StandingCall) => void) | undefined;
        if (handler !== undefined) tracked[key] = (call: StandingCall) => this.#track(call, () => handler(call));
      }
    }
    this.server.addService(service, tracked);
  }

  end(): void {
    for (const call of this.#calls) call.end();
  }

  #track(call: StandingCall, handle: () => void): void {
    this.#calls.add(call);
    call.once('cancelled', () => this.#calls.delete(call));
    handle();
  }
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
