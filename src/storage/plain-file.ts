import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { descriptorReserve } from './descriptor-reserve.js';

/** Opening a named pipe does not wait for a writer. Windows has neither. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a file as a whole. Throws, without waiting, where there is none, a larger one, or something else: a pipe or a device has no end. */
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
