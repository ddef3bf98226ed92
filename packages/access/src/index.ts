export { Absences } from './absences.js';
export { Access, type AccessDeps, type Authentication } from './access.js';
export { type AuditFileStatus, AuditLog, type AuditLogOptions } from './audit.js';
export type { AuditEvent, AuditInterface, AuditOutcome, AuditTrade } from './audit-event.js';
export type { GateFigure, GateReading } from './gate-table.js';
export {
  type ChangedOrder,
  type GateDenial,
  type GateName,
  haltReason,
  type OpenedOrders,
  type OrderFacts,
  type OrderLeg,
} from './gates.js';
export { generateKeyText, issueKey, type NewKey } from './key-issue.js';
export { isSameKey, type KeyRecord } from './key-record.js';
export { REMOVED, withoutKeyTexts } from './key-text.js';
export {
  type KeyAuth,
  type KeyChanges,
  Keyring,
  type KeyringOptions,
  type KeyringStatus,
  type ReloadOutcome,
} from './keyring.js';
export { isFingerprint, isKeyId } from './keys-file.js';
export { formatLoadError, type KeysLoadError } from './keys-source.js';
export type { LimitUse } from './limit-use.js';
export {
  allowsAccount,
  allowsCode,
  allowsMarket,
  allowsOneMarket,
  allowsSymbol,
  type FlagLimits,
  type LimitFlags,
  type Limits,
  limitsFromFlags,
  type TradeSide,
  tradeSides,
} from './limits.js';
export { type MachineIdReader, machineFingerprint, readMachineId } from './machine.js';
export type { ListedOrder, OrderList, OrderPlace } from './open-orders.js';
export { type Admittance, type GateVerdict, OrderGates, type OrderGatesOptions, type Wanted } from './order-gates.js';
export type { Admission } from './reservation.js';
export { err, ok, type Result } from './result.js';
export { type ScopeMask, scopeMask, scopesIn, scopesSatisfy } from './scopes.js';
export { SteadyTime, type SteadyTimeOptions } from './steady-time.js';
export { parseUtcTimestamp } from './timestamp.js';
export type { TradingHalt } from './trading-halts.js';
export { type DayProfit, type ExchangeRates, isUnknown, lossesOf, type Unknown, type Worth } from './worth.js';
