/** The gateway over plain HTTP/2 with keys, which the daemon itself refuses: what TLS costs is measured apart from the rest. */
import { systemClock } from '@svc-gateway/contract/clock';
import { createGrpcServer } from '@svc-gateway/interfaces/grpc';
import { composeGateway } from '../lib/gateway.mjs';

const { gateway } = await composeGateway(JSON.parse(process.argv[2]));
const port = await createGrpcServer({ gateway, clock: systemClock }).listen({ host: '127.0.0.1', port: 0 });
process.send({ port });
process.on('disconnect', () => process.exit());
