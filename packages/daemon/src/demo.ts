import { existsSync } from 'node:fs';
import { err, issueKey, Keyring, limitsFromFlags, ok, type Result } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Scope } from '@svc-gateway/contract/scope';
import { demoKeyPath, readDemoKey } from '@svc-gateway/control/demo-record';
import { writePrivateFile } from '@svc-gateway/storage';
import { ensureSelfSigned } from './self-signed.js';
import type { ResolvedSettings } from './settings.js';

/** Scopes for the tour: reading, push, orders in simulated accounts. No real account and no administration. */
const DEMO_SCOPES: readonly Scope[] = ['qot:read', 'qot:state', 'acc:read', 'trade:simulate', 'trade:unlock', 'metrics:read'];
/** Room to try things, and small enough to see a limit at work. */
const DEMO_LIMITS = { maxOrderValue: '1000000', maxDailyValue: '20000000', maxOrdersPerMinute: '60' };
const DEMO_NOTE = 'Made by svcd --demo, which keeps its text in the state folder; simulated accounts only.';

export interface DemoMaterial {
  readonly apiKey: string;
  /** Files and keys made now because they were missing, for the operator. */
  readonly made: readonly string[];
}

/** The demo of one start. */
export class Demo {
  #material: DemoMaterial | undefined;

  constructor(
    private readonly resolved: ResolvedSettings,
    private readonly clock: Clock,
  ) {}

  /** Material of the run; undefined until {@link prepare} has succeeded. */
  get material(): DemoMaterial | undefined {
    return this.#material;
  }

  /** See {@link prepareDemo}. */
  async prepare(): Promise<Result<DemoMaterial, string>> {
    const prepared = await prepareDemo(this.resolved, this.clock);
    if (prepared.ok) this.#material = prepared.value;
    return prepared;
  }
}

/**
 * Sees to it that everything `svcd --demo` runs with is there: the certificate in the configuration folder, and in the
 * state folder a keys file and the text of its key. A certificate that the operator named is used as it is; a keys file
 * that the operator named gets the demo's key. Run with the state folder locked (the text may be that of a demo which
 * runs), before the keys file and the certificate are loaded. The error is a whole sentence.
 */
export async function prepareDemo({ settings, sources }: ResolvedSettings, clock: Clock): Promise<Result<DemoMaterial, string>> {
  const { restTlsCert, restTlsKey, restKeysFile, stateDir } = settings;
  if (restTlsCert === null || restTlsKey === null || restKeysFile === null) {
    throw new Error('with --demo, the certificate and the keys file have their own defaults');
  }
  const made: string[] = [];
  try {
    if (sources.get('restTlsCert') === '--demo' && sources.get('restTlsKey') === '--demo') {
      if ((await ensureSelfSigned(restTlsCert, restTlsKey, clock.now())) === 'made') made.push(`certificate ${restTlsCert}`);
    }
    const kept = readDemoKey(stateDir);
    if (kept !== undefined && isAccepted(restKeysFile, kept, clock)) return ok({ apiKey: kept, made });
    const issued = await issueDemoKey(restKeysFile, clock);
    if (!issued.ok) return issued;
    writePrivateFile(demoKeyPath(stateDir), `${issued.value.apiKey}\n`);
    made.push(`key "${issued.value.id}" in ${restKeysFile}`);
    return ok({ apiKey: issued.value.apiKey, made });
  } catch (thrown) {
    return err(`--demo cannot write its files: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function isAccepted(keysFile: string, apiKey: string, clock: Clock): boolean {
  const keyring = Keyring.open({ path: keysFile, clock });
  return keyring.ok && keyring.value.authenticate(apiKey).ok;
}

async function issueDemoKey(keysFile: string, clock: Clock): Promise<Result<{ id: string; apiKey: string }, string>> {
  const limits = limitsFromFlags(DEMO_LIMITS);
  if (!limits.ok) throw new Error(limits.error);
  const id = freeId(keysFile, clock);
  const issued = await issueKey(keysFile, {
    id,
    scopes: DEMO_SCOPES,
    limitsJson: limits.value.json,
    allowedMachines: null,
    createdAt: clock.now(),
    expiresAt: null,
    note: DEMO_NOTE,
    sdk: true,
  });
  return issued.ok ? ok({ id, apiKey: issued.value.keyText }) : err(`--demo cannot make its key: ${issued.error}`);
}

/** "demo", or with a number if a key with lost text has that id. */
function freeId(keysFile: string, clock: Clock): string {
  const keyring = existsSync(keysFile) ? Keyring.open({ path: keysFile, clock }) : undefined;
  // A broken file has no ids to avoid: issuing the key says what is wrong with it.
  if (keyring?.ok !== true) return 'demo';
  for (let n = 1; ; n++) {
    const id = n === 1 ? 'demo' : `demo-${n}`;
    const known = keyring.value.authenticateId(id);
    if (!known.ok && known.error.details.keyId === undefined) return id;
  }
}
