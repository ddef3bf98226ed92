import { create } from '@bufbuild/protobuf';
import { formatLoadError } from '@svc-gateway/access';
import { S2CSchema as ReloadS2C } from '@svc-gateway/contract/generated/svc/admin_reload_pb';
import { S2CSchema as ShutdownS2C } from '@svc-gateway/contract/generated/svc/admin_shutdown_pb';
import * as Status from '@svc-gateway/contract/generated/svc/admin_status_pb';
import { S2CSchema as PingS2C } from '@svc-gateway/contract/generated/svc/ping_pb';
import { admin, system } from '@svc-gateway/contract/operations';
import type { LifecycleSnapshot, QuotaFigures } from '../backend.js';
import type { CredentialRefresher } from '../credential-refresher.js';
import type { GatewayBase } from '../gateway-base.js';
import type { CertificateStatus, Trouble } from '../operator-status.js';
import { success } from '../responses.js';
import { haltMessage } from './halts.js';
import { alone, type LocalOperations } from './index.js';

export interface AdminDeps extends GatewayBase {
  readonly refresher: CredentialRefresher;
  readonly version: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly tradingEnabled: boolean;
  readonly pushCounts: () => { connections: number; subscriptions: number };
  /** Begins the daemon's shutdown; called after the answer was handed over. */
  readonly shutdown: () => void;
  /** Takes up the files that have changed; called after the answer was handed over. */
  readonly reload: (requestId: string) => void;
  readonly certificate: () => CertificateStatus | undefined;
  readonly troubles: () => readonly Trouble[];
}

/** Administration and ping: what the gateway says of itself. */
export function adminHandlers(deps: AdminDeps): LocalOperations {
  const { access, backend, clock, refresher, version } = deps;
  return {
    [system.ping.name]: alone(() =>
      success(
        system.ping,
        create(PingS2C, { serverTime: BigInt(clock.now()), backend: backend.name, simulated: backend.simulated, version }),
      ),
    ),

    [admin.adminStatus.name]: alone(() => {
      const status = backend.status();
      const push = deps.pushCounts();
      const keys = access.keyring?.status();
      const certificate = deps.certificate();
      const quotas = backend.subscriptionQuotas?.();
      return success(
        admin.adminStatus,
        create(Status.S2CSchema, {
          version,
          pid: process.pid,
          startedAt: new Date(deps.startedAt).toISOString(),
          uptimeMs: BigInt(clock.now() - deps.startedAt),
          authMode: access.scopeMode ? 'scope' : 'legacy',
          backend: backend.name,
          tradingEnabled: deps.tradingEnabled,
          lastReloadRefresh: refresher.state,
          platform: connection(status.platform),
          brokers: status.brokers.map((broker) => {
            const message = connection(broker);
            message.brokerId = broker.brokerId;
            message.name = broker.name;
            return message;
          }),
          ...(keys === undefined
            ? {}
            : {
                keysFile: create(Status.KeysFileSchema, {
                  path: keys.path,
                  keyCount: keys.keys,
                  loadedAt: new Date(keys.loadedAt).toISOString(),
                  ...(keys.failure === undefined
                    ? {}
                    : { lastError: formatLoadError(keys.failure.error), lastErrorAt: new Date(keys.failure.at).toISOString() }),
                }),
              }),
          ...(certificate === undefined ? {} : { certificate: create(Status.CertificateSchema, shownCertificate(certificate)) }),
          troubles: deps.troubles().map(({ message }) => message),
          pushConnectionCount: push.connections,
          subscriptionCount: push.subscriptions,
          ...(quotas === undefined ? {} : { subscriptionQuota: quota(quotas.securities) }),
          ...(quotas?.options === undefined ? {} : { optionQuota: quota(quotas.options) }),
          haltList: access.gates.halts.all().map(haltMessage),
        }),
      );
    }),

    [admin.adminReload.name]: alone(({ caller }) => {
      // After this turn: the caller's own key may be among what is taken back.
      setImmediate(deps.reload, caller.requestId);
      backend.clearCiphers?.();
      return success(admin.adminReload, create(ReloadS2C, { lastReloadRefresh: refresher.start() }));
    }),

    [admin.adminShutdown.name]: alone(() => {
      // After this turn, so that the answer is on its way before the listeners close.
      setImmediate(deps.shutdown);
      return success(admin.adminShutdown, create(ShutdownS2C));
    }),
  };
}

function quota({ used, limit }: QuotaFigures): Status.Quota {
  return create(Status.QuotaSchema, { used, limit });
}

function shownCertificate({ path, expiresAt, loadedAt, failure }: CertificateStatus) {
  return {
    path,
    expiresAt: new Date(expiresAt).toISOString(),
    loadedAt: new Date(loadedAt).toISOString(),
    ...(failure === undefined ? {} : { lastError: failure.reason, lastErrorAt: new Date(failure.at).toISOString() }),
  };
}

function connection(snapshot: LifecycleSnapshot): Status.Connection {
  const { lastLifecycleEvent, lastAttemptAt, lastSuccessAt, lastFailureAt } = snapshot;
  return create(Status.ConnectionSchema, {
    lifecycleState: snapshot.lifecycleState,
    lifecycleGeneration: BigInt(snapshot.lifecycleGeneration),
    reconnectAttempts: BigInt(snapshot.reconnectAttempts),
    reconnectSuccesses: BigInt(snapshot.reconnectSuccesses),
    reconnectFailures: BigInt(snapshot.reconnectFailures),
    ...(lastLifecycleEvent === undefined ? {} : { lastLifecycleEvent }),
    ...(lastAttemptAt === undefined ? {} : { lastAttemptAt }),
    ...(lastSuccessAt === undefined ? {} : { lastSuccessAt }),
    ...(lastFailureAt === undefined ? {} : { lastFailureAt }),
  });
}
