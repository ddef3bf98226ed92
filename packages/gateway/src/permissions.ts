import type { Message } from '@bufbuild/protobuf';
import { type Access, type KeyRecord, scopeMask } from '@svc-gateway/access';
import { trdEnv } from '@svc-gateway/contract/enums';
import { TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { memoized } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { invalidField, Rejection } from '@svc-gateway/contract/rejection';
import { possibleScopes } from '@svc-gateway/contract/scope';
import type { Switch } from '@svc-gateway/contract/switches';
import { checkLimits, isLimited, scopeAsked } from './limit-check.js';
import { type RequestResources, resourcesOf } from './request-resources.js';

/** Qot_Common.QotMarket of the shared forex display quotes. */
const FOREX_MARKET = 81;
const FOREX_NAME = 'FX';
const FOREX_SWITCH: Switch = '--enable-desktop-phase2-reads';

const simulate = scopeMask(['trade:simulate']);
const real = scopeMask(['trade:real']);
/** The scopes any one of which may do for an operation. */
const possibleMask = memoized(({ scope }: Operation) => scopeMask(possibleScopes(scope)));

/** Checks requests against scopes and allowlists; risk limits are checked by the gates. */
export class Permissions {
  readonly #forexIsOff: boolean;
  /** Whether the start-up flags limit every caller. */
  readonly #flagsLimit: boolean;

  /** @param switches start-up switches that are on. */
  constructor(
    private readonly access: Access,
    switches: ReadonlySet<string>,
  ) {
    this.#flagsLimit = isLimited(access.gates.flagLimits);
    this.#forexIsOff = !switches.has(FOREX_SWITCH);
  }

  /** Before the body is read: does the caller hold a scope that could do? */
  scope(operation: Operation, key: KeyRecord | undefined): Rejection | undefined {
    return this.access.authorise(key, possibleMask(operation));
  }

  /** Once the request is known: its environment, where that is not its account's to say, and its accounts, markets and symbols. */
  check(operation: Operation, key: KeyRecord | undefined, request: Message): Rejection | undefined {
    return (operation.envOfAccount ? undefined : this.environment(operation, key, request)) ?? this.#subjects(operation, key, request);
  }

  /** Whether the key holds the scope of the request's environment. */
  environment(operation: Operation, key: KeyRecord | undefined, request: Message): Rejection | undefined {
    if (operation.scope.kind !== 'byEnv') return undefined;
    const env = (request as Message & { header?: TrdHeader }).header?.trdEnv;
    if (env !== TrdEnv.TrdEnv_Simulate && env !== TrdEnv.TrdEnv_Real) {
      const accepted = trdEnv.members.map((member) => member.name).join(', ');
      return new Rejection('request.invalid', `trd_env: unknown trading environment ${env}, accepted: ${accepted}`);
    }
    return this.access.authorise(key, env === TrdEnv.TrdEnv_Real ? real : simulate);
  }

  #subjects(operation: Operation, key: KeyRecord | undefined, request: Message): Rejection | undefined {
    if (operation.scope.kind === 'byField') {
      const asked = scopeAsked(operation.scope, request);
      if (asked === undefined) {
        const { field, scopes } = operation.scope;
        return invalidField(field, `expected one of ${Object.keys(scopes).join(', ')}`);
      }
      const denied = this.access.authorise(key, scopeMask([asked]));
      if (denied !== undefined) return denied;
    }
    const resources = resourcesOf(operation, request);
    if (this.#forexIsOff && namesForex(resources)) {
      return new Rejection('feature_disabled', `forex quotes are switched off; start the daemon with ${FOREX_SWITCH}`);
    }
    const denied = key === undefined || !isLimited(key.limits) ? undefined : checkLimits(operation, key.limits, resources, request);
    if (denied !== undefined || !this.#flagsLimit) return denied;
    return checkLimits(operation, this.access.gates.flagLimits, resources, request);
  }
}

function namesForex({ securities, markets }: RequestResources): boolean {
  for (const { market } of securities) if (market === FOREX_MARKET) return true;
  for (const { label, of } of markets) if (of === 'securities' && label === FOREX_NAME) return true;
  return false;
}
