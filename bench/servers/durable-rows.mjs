/** Least cost of durable writes: each body is one row of the gateway's database. As in the gateway, a flush takes what came during the one before. */
import { ClassicLevel } from 'classic-level';

/** Answers a function that keeps a body (a Buffer), and calls `kept` once it is on disk. */
export async function openDurableRows(folder) {
  const database = new ClassicLevel(folder, { valueEncoding: 'buffer', writeBufferSize: 16 * 1024 * 1024 });
  await database.open();
  let waiting = [];
  let busy = false;
  let rows = 0;

  async function flush() {
    while (waiting.length > 0) {
      const flushed = waiting;
      waiting = [];
      const batch = database.batch();
      for (const { row } of flushed) batch.put(String(++rows).padStart(20, '0'), row);
      await batch.write({ sync: true });
      for (const { kept } of flushed) kept();
    }
    busy = false;
  }

  return (row, kept) => {
    waiting.push({ row, kept });
    if (busy) return;
    busy = true;
    setImmediate(flush);
  };
}
