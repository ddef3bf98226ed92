/**
 * Minimal cost of a durable write: one write of 300 bytes to the end of a file and one `fdatasync`, nothing else. In a
 * process of its own, so that it runs on the core that the daemon has: which core takes the disk's interrupts makes a
 * difference of 60 % on a virtual machine. Told a count, it answers as many latencies in ms.
 */
import { fdatasyncSync, openSync, writeSync } from 'node:fs';

const { path } = JSON.parse(process.argv[2]);
const file = openSync(path, 'a');
const line = Buffer.alloc(300, 'x');

process.send('open');
process.on('message', (count) => {
  const latencies = Array.from({ length: count }, () => {
    const started = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  process.send({ latencies });
});
process.on('disconnect', () => process.exit());
