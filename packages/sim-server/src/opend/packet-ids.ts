import type { Message } from '@bufbuild/protobuf';
import type { Connected } from '../connected.js';
import { Refused, type Rule } from '../rule.js';

/** A write names its own connection and a serial number above that of the write before. */
export function packetIds(): Rule {
  const newest = new WeakMap<Connected, number>();
  return {
    name: 'packet ids',
    judge({ c2s, client }) {
      const { packetID } = c2s as Message & { packetID?: { readonly connID: bigint; readonly serialNo: number } };
      if (packetID === undefined) return undefined;
      const { connID, serialNo } = packetID;
      if (connID !== client.id) return new Refused(`packetID.connID ${connID} is not this connection's, which is ${client.id}`);
      const before = newest.get(client);
      if (before !== undefined && serialNo <= before)
        return new Refused(`packetID.serialNo ${serialNo} is not above the last one, ${before}`);
      newest.set(client, serialNo);
      return undefined;
    },
  };
}
