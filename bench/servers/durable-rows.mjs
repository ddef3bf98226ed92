/** What durable writes cost at the least: each body is one row of the gateway's database. Requests share flushes by the gateway's own rule. */
import { ClassicLevel } from 'classic-level';
import { Company } from '../../dist/storage/company.js';

/** Answers a function that keeps a body (a Buffer), and calls `kept` once it is on disk. */
export async function openDurableRows(folder) {
  const database = new ClassicLevel(folder, { valueEncoding: 'buffer', writeBufferSize: 16 * 1024 * 1024 });
  await database.open();
  const company = new Company();
  let waiting = [];
  let busy = false;
  let rows = 0;

  async function flush() {
    while (waiting.length > 0) {
      await company.gather();
      const flushed = waiting;
      waiting = [];
      const count = company.leave();
      const batch = database.batch();
      for (const { row } of flushed) batch.put(String(++rows).padStart(20, '0'), row);
      await batch.write({ sync: true });
      company.flushed(count);
      for (const { kept } of flushed) kept();
    }
    busy = false;
  }

  return (row, kept) => {
    waiting.push({ row, kept });
    company.joined();
    if (busy) return;
    busy = true;
    setImmediate(flush);
  };
}
