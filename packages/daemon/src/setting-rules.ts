import { isLoopback, upstreamOf } from './setting-types.js';
import { flagOf, type Settings } from './settings-table.js';

/** Checks settings against each other and returns a sentence for each broken rule. */
export function checkTogether(settings: Settings): string[] {
  return [
    ...tlsPair(settings),
    ...tlsInScopeMode(settings),
    ...loopbackInLegacyMode(settings),
    ...apiKeyInScopeMode(settings),
    ...fileOfRequiredAudit(settings),
    ...whatALoginNeeds(settings),
    ...portOfUpstream(settings),
    ...keyOfUpstream(settings),
  ];
}

function tlsPair({ restTlsCert, restTlsKey }: Settings): string[] {
  if ((restTlsCert === null) === (restTlsKey === null)) return [];
  const [given, missing] = restTlsCert === null ? ['--rest-tls-key', '--rest-tls-cert'] : ['--rest-tls-cert', '--rest-tls-key'];
  return [`${given} is given without ${missing}: TLS needs both`];
}

function tlsInScopeMode({ restKeysFile, restTlsCert, restTlsKey }: Settings): string[] {
  if (restKeysFile === null || restTlsCert !== null || restTlsKey !== null) return [];
  return ['--rest-keys-file needs --rest-tls-cert and --rest-tls-key: keys never travel in plaintext'];
}

function loopbackInLegacyMode({ bind, restKeysFile }: Settings): string[] {
  if (restKeysFile !== null || isLoopback(bind)) return [];
  return [`--bind ${bind} is not a loopback address: without --rest-keys-file anybody who reaches it could read everything`];
}

function apiKeyInScopeMode({ apiKeyId, restKeysFile }: Settings): string[] {
  if (apiKeyId === null || restKeysFile !== null) return [];
  return ['--api-key-id names a key, but there is no --rest-keys-file'];
}

function fileOfRequiredAudit({ auditLog, auditRequired }: Settings): string[] {
  return auditRequired && auditLog === null ? ['--audit-required needs --audit-log, the file that is required'] : [];
}

/** All that is missing, in one sentence. */
function whatALoginNeeds(settings: Settings): string[] {
  if (settings.backend !== 'remote') return settings.setupOnly ? ['--setup-only needs --backend remote: nothing else logs in'] : [];
  const missing = (['authUrl', 'loginAccount', 'loginPwd'] as const).filter((name) => settings[name] === null);
  return missing.length === 0 ? [] : [`--backend remote needs ${missing.map(flagOf).join(', ')}`];
}

/** The daemon would connect to itself, or take the port of an upstream that is about to start. */
function portOfUpstream({ backend, bind, apiPort, noApi }: Settings): string[] {
  const upstream = upstreamOf(backend);
  if (upstream === undefined || noApi || upstream.port !== apiPort) return [];
  const same = upstream.host === bind || (isLoopback(upstream.host) && (isLoopback(bind) || isEveryAddress(bind)));
  if (!same) return [];
  return [
    `--backend ${backend} and core TCP both want port ${apiPort}: give core TCP another with --api-port, or switch it off with --no-api`,
  ];
}

function keyOfUpstream({ backend, upstreamRsaKey }: Settings): string[] {
  return upstreamRsaKey !== null && upstreamOf(backend) === undefined ? ['--upstream-rsa-key needs --backend opend://<host>:<port>'] : [];
}

function isEveryAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
