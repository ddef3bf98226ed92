import type { KeyObject } from 'node:crypto';
import type { Result } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import type { Credential, Gateway } from '@svc-gateway/gateway';
import { RequestIds } from '@svc-gateway/interfaces/common/callers';
import type { PageOrigins } from '@svc-gateway/interfaces/common/page-origins';
import { type CoreServices, CoreWsEndpoint, gatewayTcpService, TcpEndpoint, type TcpEndpointOptions } from '@svc-gateway/interfaces/core';
import type { Logger } from './log.js';
import { readRsaKeyFile } from './rsa-key-file.js';
import type { Settings } from './settings-table.js';
import type { TlsMaterial } from './tls.js';

export interface CoreListenerDeps {
  readonly settings: Settings;
  readonly gateway: Gateway;
  readonly origins: PageOrigins;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tls: TlsMaterial | undefined;
  readonly rsaKey: KeyObject | undefined;
  /** Told of connections that could not be accepted. */
  readonly onTrouble: (error: Error) => void;
}

export interface CoreListeners {
  readonly websocket: CoreWsEndpoint | undefined;
  readonly api: TcpEndpoint | undefined;
}

/** Makes the listeners of the public protocol, as far as the settings ask for them. */
export function createCoreListeners({
  settings,
  gateway,
  origins,
  clock,
  logger,
  tls,
  rsaKey,
  onTrouble,
}: CoreListenerDeps): CoreListeners {
  const { noWebsocket } = settings;
  const ids = new RequestIds('core');
  const services: CoreServices = {
    gateway,
    clock,
    ids: new ProtocolIds(),
    nextRequestId: () => ids.next(),
    onDefect: (error) => logger.error({ err: error }, 'a connection of the public protocol failed'),
  };
  return {
    websocket: noWebsocket ? undefined : new CoreWsEndpoint({ services, origins, onTrouble, ...(tls === undefined ? {} : { tls }) }),
    api: createApi(settings, services, { ...(rsaKey === undefined ? {} : { rsaKey }), onTrouble }, logger),
  };
}

/** Core TCP carries no credential: with keys it needs the operator's word for whose connections they are. */
function createApi(
  { noApi, apiKeyId }: Settings,
  services: CoreServices,
  deps: Pick<TcpEndpointOptions, 'rsaKey' | 'onTrouble'>,
  logger: Logger,
): TcpEndpoint | undefined {
  if (noApi) return undefined;
  const { clock, onDefect } = services;
  const onUnreadable = (reason: string) => logger.warn({ listener: 'core TCP' }, reason);
  const listener = (credential: Credential) =>
    new TcpEndpoint({ service: gatewayTcpService(services, credential), clock, onDefect, onUnreadable, ...deps });
  if (!services.gateway.scopeMode) return listener({ kind: 'text', text: undefined });
  if (apiKeyId === null) {
    logger.info({}, 'core TCP is off: with a keys file it needs --api-key-id');
    return undefined;
  }
  return listener({ kind: 'id', id: apiKeyId });
}

/** Reads the key of `--api-rsa-key`, if there is one. The error is a whole sentence. */
export function loadApiRsaKey({ apiRsaKey, noApi }: Settings): Result<KeyObject | undefined, string> {
  return readRsaKeyFile('--api-rsa-key', noApi ? null : apiRsaKey);
}
