import type { Store } from '@svc-gateway/storage';

/** Binds a listener to a port; resolves to the one that it then has. */
type Bind = (port: number) => Promise<number>;

/** The ports that listeners had, so that "any" is the same one after a restart while nobody else has taken it. */
export class Ports {
  constructor(private readonly store: Store) {}

  /** Binds to `wanted`; where that is 0, to the port of last time, or to any. Rejects with the system's error. */
  async bind(name: string, wanted: number, bind: Bind): Promise<number> {
    if (wanted !== 0) return bind(wanted);
    const table = this.store.table<number>('sim-server-ports');
    const before = table.get(name);
    const port = before === undefined ? await bind(0) : await bind(before).catch(() => bind(0));
    if (port !== before) await this.store.write((change) => change.put(table, name, port));
    return port;
  }
}
