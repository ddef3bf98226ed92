import { get, operation, post } from '../declare.js';
import * as messages from '../generated/messages.js';
import { anyOf } from '../scope.js';
import { flag, text } from '../shape.js';

const common = { group: 'admin', scope: anyOf('admin'), reach: 'general', effect: 'write', protoId: null, tool: null } as const;

export const adminStatus = operation({
  ...common,
  name: 'admin_status',
  effect: 'read',
  messages: messages.AdminStatus,
  title: 'Daemon status',
  summary: 'The daemon’s state: connections, keys file, last reload.',
  rest: [get('/api/admin/status')],
});

export const adminReload = operation({
  ...common,
  name: 'admin_reload',
  messages: messages.AdminReload,
  title: 'Reload credentials',
  summary: 'Clears cached credentials and refreshes them in the background.',
  rest: [post('/api/admin/reload')],
});

export const adminShutdown = operation({
  ...common,
  name: 'admin_shutdown',
  messages: messages.AdminShutdown,
  title: 'Shut down',
  summary: 'Stops the daemon after answering.',
  rest: [post('/api/admin/shutdown')],
});

const KEY_ID_BYTES_MAX = 512;
const REASON_BYTES_MAX = 256;
const keyId = text('key_id', { aliases: ['key'], maxBytes: KEY_ID_BYTES_MAX, about: 'A key of the keys file; every caller when omitted.' });

export const adminHalt = operation({
  ...common,
  name: 'admin_halt',
  idempotent: true,
  messages: messages.AdminHalt,
  classes: { 'svc.admin_halt.C2S': { key_id: 'none', cancel_all: 'none', reason: 'none' } },
  title: 'Halt trading',
  summary: 'Refuses everything that adds risk, for every caller or one key, until it is resumed; cancels open orders on demand.',
  shape: [
    keyId,
    flag('cancel_all', { about: 'Also cancel every open order of all accounts, or of those that the key may trade in.' }),
    text('reason', { maxBytes: REASON_BYTES_MAX, about: 'Shown wherever the halt is; at most 256 bytes.' }),
  ],
  rest: [post('/api/admin/halt')],
});

export const adminResume = operation({
  ...common,
  name: 'admin_resume',
  idempotent: true,
  messages: messages.AdminResume,
  classes: { 'svc.admin_resume.C2S': { key_id: 'none' } },
  title: 'Resume trading',
  summary: 'Ends the halt of every caller, or that of one key.',
  shape: [keyId],
  rest: [post('/api/admin/resume')],
});
