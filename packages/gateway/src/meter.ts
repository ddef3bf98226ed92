import type { AuditLog, OrderLeg } from '@svc-gateway/access';
import { QotPushType } from '@svc-gateway/contract/generated/GetDelayStatistics_pb';
import { SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Backend, QuotaFigures, SubscriptionQuotas } from './backend.js';
import { DelayHistogram } from './delay-histogram.js';
import type { IdempotencyKeys } from './idempotency/keys.js';
import type { Iface } from './identity.js';
import type { InFlight } from './in-flight.js';
import type { RecordingStatus } from './operator-status.js';
import type { GapAnnouncer } from './push/gap-announcer.js';
import type { PushHub } from './push/hub.js';
import type { Subscriptions } from './push/subscriptions.js';
import type { Readiness } from './readiness.js';
import { RequestFigures, requestMetrics } from './request-figures.js';
import type { StorageStatus } from './storage-status.js';

/** An order that was acknowledged, and of whom it tells something. */
export interface PlacedOrder {
  readonly orderId: string;
  readonly totalMs: number;
  readonly accId: bigint;
  readonly legs: readonly Pick<OrderLeg, 'markets' | 'symbol'>[];
}

/** Sources of the gauges; read on each scrape. */
export interface GaugeSources {
  readonly access: { readonly audit: Pick<AuditLog, 'fileStatus'> };
  readonly backend: Pick<Backend, 'subscriptionQuotas'>;
  readonly idempotency: Pick<IdempotencyKeys, 'count'>;
  readonly inFlight: Pick<InFlight, 'size'>;
  readonly push: Pick<PushHub, 'connections'> & {
    readonly gaps: Pick<GapAnnouncer, 'count' | 'missing'>;
    readonly subscriptions: Pick<Subscriptions, 'usedQuota'>;
  };
  readonly readiness: Pick<Readiness, 'awaited' | 'quotes' | 'reconnects' | 'trading'>;
  readonly storage: Pick<StorageStatus, 'failure'>;
  /** undefined where nothing is recorded. */
  readonly recording: (() => RecordingStatus) | undefined;
  readonly logLinesLost: () => number;
}

/** A metric whose value is read on each scrape. */
interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly read: () => number;
}

const PLACED_ORDERS_KEPT = 100;

/**
 * Counts and times what the gateway does: the source of `/metrics` and of the delay statistics. Names follow the
 * Prometheus conventions (https://prometheus.io/docs/practices/naming).
 */
export class Meter {
  readonly requests = new Map<Operation, RequestFigures>();
  /** Previews of writes, apart from the writes. */
  readonly #previews = new Map<Operation, RequestFigures>();
  readonly placedOrders: PlacedOrder[] = [];
  /** Late outcomes of writes by their labels. */
  readonly #late = new Map<string, number>();
  /** Backend event received → frames handed to the sockets, by push type. */
  readonly pushDelays = new Map<number, DelayHistogram>();
  readonly #metrics: Metric[] = [];
  #subscriptionQuotas: () => SubscriptionQuotas | undefined = () => undefined;

  /** The type of what {@link metrics} returns. */
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  /** Everything in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats). */
  metrics(): string {
    const others = this.#metrics.map(({ name, help, type, read }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${read()}\n`);
    return [
      requestMetrics([...this.requests.values(), ...this.#previews.values()]),
      this.#lateOutcomes(),
      ...others,
      ...this.#quotas(this.#subscriptionQuotas()),
    ].join('\n');
  }

  /** Adds the gauges of the parts that are made later than the meter. */
  watch({ access, backend, idempotency, inFlight, push, readiness, storage, recording, logLinesLost }: GaugeSources): void {
    this.#subscriptionQuotas = () => backend.subscriptionQuotas?.();
    const { audit } = access;
    const add = (type: Metric['type']) => (name: string, help: string, read: () => number) =>
      this.#metrics.push({ name, help, type, read });
    const [gauge, counter] = [add('gauge'), add('counter')];
    gauge('svc_push_connections', 'Open push connections.', () => push.connections().length);
    gauge('svc_push_subscriptions', 'Live data streams with a subscriber.', () => push.subscriptions.usedQuota);
    gauge('svc_idempotency_keys', 'Writes remembered by idempotency key.', () => idempotency.count);
    gauge('svc_backend_ready', '1 while every backend connection accepts requests.', () => Number(readiness.awaited() === undefined));
    gauge('svc_backend_quotes_ready', '1 while quotes can be asked for.', () => Number(readiness.quotes));
    gauge('svc_backend_trading_ready', '1 while every broker accepts requests.', () => Number(readiness.trading));
    counter('svc_backend_reconnects_total', 'Backend connections that were lost and made anew.', () => readiness.reconnects);
    gauge('svc_backend_calls_in_flight', 'Requests waiting for the backend.', () => inFlight.size);
    counter('svc_push_gaps_total', 'Announced gaps in backend pushes.', () => push.gaps.count);
    gauge('svc_push_missing', 'Streams and accounts whose pushes are interrupted.', () => push.gaps.missing);
    gauge('svc_storage_writable', '1 while the database accepts writes.', () => Number(storage.failure === undefined));
    if (audit.fileStatus() !== undefined) {
      gauge('svc_audit_writable', '1 while the audit file can be written.', () => Number(audit.fileStatus()?.failure === undefined));
      counter('svc_audit_lines_lost_total', 'Audit lines that never reached the file.', () => audit.fileStatus()?.linesLost ?? 0);
    }
    if (recording !== undefined) {
      gauge('svc_recording_writable', '1 while the recording can be written.', () => Number(recording().failure === undefined));
      counter('svc_recording_events_total', 'Events in the recording.', () => recording().eventsWritten);
      counter('svc_recording_events_lost_total', 'Events that could not be recorded.', () => recording().eventsLost);
    }
    counter('svc_log_lines_lost_total', 'Log lines lost because stderr was blocked.', logLinesLost);
    gauge('svc_process_resident_memory_bytes', 'Resident memory of the daemon.', () => process.memoryUsage.rss());
    gauge('svc_process_cpu_seconds', 'CPU time of the daemon, user and system.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  }

  /** Adds the gauges of a quota that the server behind the gateway has: they are there once it has said how large it is. */
  #quotas(quotas: SubscriptionQuotas | undefined): string[] {
    if (quotas === undefined) return [];
    const kinds = Object.entries(quotas).map(([kind, figures]: [string, QuotaFigures]) => ({ kind, ...figures }));
    const gauge = (what: 'used' | 'limit', help: string) => {
      const name = `svc_upstream_subscription_quota_${what}`;
      const lines = kinds.map((each) => `${name}{kind="${each.kind}"} ${each[what]}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
    };
    return [
      gauge('used', 'Units of the subscription quota of the server behind the gateway that are taken, by whatever connection.'),
      gauge('limit', 'Units that it has.'),
    ];
  }

  /** One request was answered. `rejection`: the code it was rejected with. */
  request(operation: Operation, iface: Iface, rejection: string | undefined, ms: number): void {
    figuresOf(this.requests, operation, operation.name).add(iface, rejection ?? 'ok', ms);
  }

  /** As {@link request}, of a preview: its operation is "preview_place_order" in metrics, and delay statistics leave it out. */
  preview(operation: Operation, iface: Iface, rejection: string | undefined, ms: number): void {
    figuresOf(this.#previews, operation, `preview_${operation.name}`).add(iface, rejection ?? 'ok', ms);
  }

  /** A write that was answered `backend.timeout`, and counted so by {@link request}, came to an outcome. */
  late(operation: Operation, iface: Iface, rejection: string | undefined): void {
    const labels = `interface="${iface}",operation="${operation.name}",result="${rejection ?? 'ok'}"`;
    this.#late.set(labels, (this.#late.get(labels) ?? 0) + 1);
  }

  #lateOutcomes(): string {
    const name = 'svc_late_outcomes_total';
    const help = 'Outcomes of writes that had been answered backend.timeout, by interface, operation and result.';
    const counts = [...this.#late].map(([labels, count]) => `${name}{${labels}} ${count}\n`);
    return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${counts.join('')}`;
  }

  /** An order was acknowledged. */
  placed(order: PlacedOrder): void {
    this.placedOrders.push(order);
    if (this.placedOrders.length > PLACED_ORDERS_KEPT) this.placedOrders.shift();
  }

  /** Records the gateway's latency of a quote event, by Qot_Common.SubType. */
  push(subType: number, ms: number): void {
    const kind = pushTypes.get(subType);
    if (kind === undefined) return;
    const histogram = getOrInsert(this.pushDelays, kind, () => new DelayHistogram());
    histogram.add(ms);
  }
}

function figuresOf(all: Map<Operation, RequestFigures>, operation: Operation, label: string): RequestFigures {
  return getOrInsert(all, operation, () => new RequestFigures(operation, label));
}

/** The subscription types that the delay statistics tell apart. */
const pushTypes: ReadonlyMap<number, QotPushType> = new Map([
  [SubType.SubType_Basic, QotPushType.QotPushType_Price],
  [SubType.SubType_Ticker, QotPushType.QotPushType_Ticker],
  [SubType.SubType_OrderBook, QotPushType.QotPushType_OrderBook],
  [SubType.SubType_Broker, QotPushType.QotPushType_Broker],
]);
