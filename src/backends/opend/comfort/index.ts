/** What makes an unmodified upstream comfortable: its limits kept, its subscriptions made, its refusals translated. */
export { CourteousUpstream } from './courteous-upstream.js';
