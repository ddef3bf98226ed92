/** The limit of a round trip over TCP: writes back what it reads. */
import { createServer } from 'node:net';

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (chunk) => socket.write(chunk));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
