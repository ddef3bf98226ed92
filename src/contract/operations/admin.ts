import { get, operation, post } from '../declare.js';
import * as AdminReload from '../generated/svc/admin_reload_pb.js';
import * as AdminShutdown from '../generated/svc/admin_shutdown_pb.js';
import * as AdminStatus from '../generated/svc/admin_status_pb.js';
import { anyOf } from '../scope.js';

const group = 'admin';
const scope = anyOf('admin');
const reach = 'general';

export const adminStatus = operation({
  name: 'admin_status',
  group,
  scope,
  reach,
  effect: 'read',
  protoId: null,
  messages: AdminStatus,
  title: 'Daemon status',
  summary: 'The daemon’s state: connections, keys file, last reload.',
  rest: [get('/api/admin/status')],
  tool: null,
});

export const adminReload = operation({
  name: 'admin_reload',
  group,
  scope,
  reach,
  effect: 'write',
  protoId: null,
  messages: AdminReload,
  title: 'Reload credentials',
  summary: 'Clears cached credentials and refreshes them in the background.',
  rest: [post('/api/admin/reload')],
  tool: null,
});

export const adminShutdown = operation({
  name: 'admin_shutdown',
  group,
  scope,
  reach,
  effect: 'write',
  protoId: null,
  messages: AdminShutdown,
  title: 'Shut down',
  summary: 'Stops the daemon after answering.',
  rest: [post('/api/admin/shutdown')],
  tool: null,
});
