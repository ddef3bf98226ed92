import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Gateway } from '../../gateway/index.js';
import { SERVICE } from './service.js';

/** Serves `grpc.health.v1.Health`: the gateway's readiness, for the whole server ("") and for the service. Returns its own end. */
export function addHealth(server: Pick<Server, 'addService'>, gateway: Gateway): () => void {
  const health = new HealthImplementation();
  const tell = (ready: boolean) => {
    for (const name of ['', SERVICE]) health.setStatus(name, ready ? 'SERVING' : 'NOT_SERVING');
  };
  tell(gateway.ready);
  health.addToServer(server);
  return gateway.onReady(tell);
}
