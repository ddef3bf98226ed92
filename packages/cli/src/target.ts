import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { err, ok, type Result } from '@svc-gateway/access';
import { type DemoRecord, readDemoKey, readDemoRecord } from '@svc-gateway/control/demo-record';
import { homeProblem, stateFolder } from '@svc-gateway/storage';
import type { Command } from 'commander';
import { headerProblem } from './header-text.js';

const DEFAULT_PORT = '22499';
const PORT = /^[1-9]\d{0,4}$/;

/** The daemon that a command talks to, and its credentials. */
export interface Target {
  /** Origin of its REST listener; its path is "/". */
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** PEM of the only authorities to trust; undefined = the system's. */
  readonly ca: string | undefined;
}

export interface TargetOptions {
  readonly restUrl?: string;
  readonly apiKey?: string;
  readonly caFile?: string;
}

/** Adds the options that select the daemon. */
export function withTargetOptions(command: Command): Command {
  return command
    .option(
      '--rest-url <url>',
      `address of the daemon (SVC_REST_URL; default: the running demo, else this machine's port ${DEFAULT_PORT}, or SVC_REST_PORT)`,
    )
    .option('--api-key <key>', 'API key; prefer SVC_API_KEY, since other users can see options')
    .option('--ca-file <path>', 'certificate to trust, PEM (SVC_CA_FILE; NODE_EXTRA_CA_CERTS works too)');
}

/**
 * Finds the target: by options, then by SVC_* variables, then the demo that this user runs on this machine.
 *
 * The demo's key is used for the demo alone: at its own address, with its own certificate as the only authority. A
 * program that took over its port cannot prove that certificate, and so is never sent the key.
 */
export function resolveTarget(options: TargetOptions, env: Readonly<Record<string, string | undefined>>): Result<Target, string> {
  const urlText = options.restUrl ?? (env.SVC_REST_URL || undefined);
  const given = parseUrl(urlText ?? defaultUrl(env));
  if (!given.ok) return given;
  const apiKey = options.apiKey ?? (env.SVC_API_KEY || undefined);
  const keyProblem = headerProblem(apiKey ?? '');
  if (keyProblem !== undefined) return err(`${options.apiKey === undefined ? 'SVC_API_KEY' : '--api-key'}: ${keyProblem}`);
  const caFile = options.caFile ?? (env.SVC_CA_FILE || undefined);
  const caName = options.caFile === undefined ? 'SVC_CA_FILE' : '--ca-file';

  const folder = stateFolder({ ...env });
  if (folder === undefined && urlText === undefined) {
    return err(`${homeProblem()}: correct it, or give --rest-url or SVC_STATE_DIR`);
  }
  const demo = folder === undefined ? undefined : readDemoRecord(folder);
  if (folder !== undefined && demo !== undefined && (urlText === undefined || isDemo(demo, given.value))) {
    const url = parseUrl(demo.rest);
    if (url.ok && url.value.protocol === 'https:' && isLoopbackHost(url.value)) {
      // Another authority could vouch for another program: the caller's own key goes there, the demo's does not.
      if (caFile !== undefined) return withAuthority({ url: url.value, apiKey, ca: undefined }, caFile, caName);
      const own = { url: url.value, apiKey: apiKey ?? readDemoKey(folder), ca: undefined };
      return withAuthority(own, demo.caFile, "the demo's certificate");
    }
  }

  const url = given.value;
  if (apiKey !== undefined && url.protocol === 'http:' && !isLoopbackHost(url)) {
    return err(`the key would travel in plaintext to ${url.host}: use https://`);
  }
  const target = { url, apiKey, ca: undefined };
  return caFile === undefined ? ok(target) : withAuthority(target, caFile, caName);
}

/** Address of this machine's daemon: `SVC_REST_PORT` sets its port for both programs. */
function defaultUrl({ SVC_REST_PORT: port = '' }: Readonly<Record<string, string | undefined>>): string {
  return `http://127.0.0.1:${PORT.test(port) ? port : DEFAULT_PORT}`;
}

function isDemo(demo: DemoRecord, url: URL): boolean {
  return demo.rest === url.origin && url.pathname === '/';
}

function parseUrl(text: string): Result<URL, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || /[?#]/.test(text)) {
    return err(`--rest-url must be like https://127.0.0.1:22499 or https://desk.example/gateway; found ${JSON.stringify(text)}`);
  }
  return ok(url);
}

/** The address of a path of the daemon, such as "/api/ping": behind a proxy it begins with the proxy's prefix. */
export function addressOf(url: URL, path: string): URL {
  return new URL(`${url.href.replace(/\/+$/, '')}${path}`);
}

/** Adds a certificate authority. `name` is the option or variable that named the file. */
function withAuthority(target: Target, path: string, name: string): Result<Target, string> {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (thrown) {
    return err(`${name} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  // TLS ignores a file without certificates, and would then blame the server's.
  const problem = certificateProblem(pem);
  return problem === undefined ? ok({ ...target, ca: pem }) : err(`${name}: ${path} ${problem}`);
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

function certificateProblem(pem: string): string | undefined {
  const certificates = pem.match(CERTIFICATE);
  if (certificates === null) return 'holds no certificate: expected PEM, with a line "-----BEGIN CERTIFICATE-----"';
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (thrown) {
      return `is not readable as PEM: certificate ${index + 1} is damaged (${thrown instanceof Error ? thrown.message : String(thrown)})`;
    }
  }
  return undefined;
}

/** True if a URL's host is this machine. */
function isLoopbackHost({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
}
