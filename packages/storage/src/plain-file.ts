import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { descriptorReserve } from './descriptor-reserve.js';

/** Flags that do not wait for the writer of a named pipe. Windows has neither flag nor pipe. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a whole file. Throws at once if it is missing, larger than `bytesMax`, or a pipe or a device, which have no end. */
export function readPlainFile(path: string, bytesMax: number): Buffer {
  return descriptorReserve.use(() => {
    const file = openSync(path, READING);
    try {
      const stats = fstatSync(file);
      if (stats.isDirectory()) throw new Error('it is a folder');
      if (!stats.isFile()) throw new Error('it is a pipe or a device, which cannot be reread when it changes');
      if (stats.size > bytesMax) throw new Error(`it has ${stats.size} bytes; at most ${bytesMax}`);
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  });
}
