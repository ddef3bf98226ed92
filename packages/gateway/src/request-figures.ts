import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Iface } from './identity.js';

/** Upper bounds of the histogram's buckets, seconds. */
const BUCKET_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

/** Request counts of one operation on one interface. */
class InterfaceFigures {
  /** Requests by result: "ok", or the code of the rejection. */
  readonly results = new Map<string, number>();
  /** Requests by bucket, each in the first that holds it; the last one holds all that took longer. */
  readonly buckets = new Uint32Array(BUCKET_SECONDS.length + 1);
  totalSeconds = 0;

  add(result: string, seconds: number): void {
    this.results.set(result, (this.results.get(result) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BUCKET_SECONDS.length && seconds > (BUCKET_SECONDS[bucket] ?? 0)) bucket += 1;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.totalSeconds += seconds;
  }
}

/** Running figures of one operation. */
export class RequestFigures {
  readonly byInterface = new Map<Iface, InterfaceFigures>();
  count = 0;
  totalMs = 0;

  /** @param label name of the operation in metrics. */
  constructor(
    readonly operation: Operation,
    readonly label: string,
  ) {}

  add(iface: Iface, result: string, ms: number): void {
    this.count += 1;
    this.totalMs += ms;
    const figures = getOrInsert(this.byInterface, iface, () => new InterfaceFigures());
    figures.add(result, ms / 1000);
  }
}

/**
 * The figures as a counter and a histogram in Prometheus' text format
 * (https://prometheus.io/docs/instrumenting/exposition_formats). Written here because counting in the client library
 * costs each request more than its key, its gates and its audit record together. Label values are names and codes,
 * which need no escaping.
 */
export function requestMetrics(figures: Iterable<RequestFigures>): string {
  const counts: string[] = [];
  const times: string[] = [];
  for (const { label, byInterface } of figures) {
    for (const [iface, { results, buckets, totalSeconds }] of byInterface) {
      const labels = `interface="${iface}",operation="${label}"`;
      for (const [result, count] of results) counts.push(`svc_requests_total{${labels},result="${result}"} ${count}`);
      let cumulative = 0;
      for (const [index, count] of buckets.entries()) {
        cumulative += count;
        times.push(`svc_request_seconds_bucket{${labels},le="${BUCKET_SECONDS[index] ?? '+Inf'}"} ${cumulative}`);
      }
      times.push(`svc_request_seconds_sum{${labels}} ${totalSeconds}`, `svc_request_seconds_count{${labels}} ${cumulative}`);
    }
  }
  const lines = [
    '# HELP svc_requests_total Requests by interface, operation and result (ok, or the code of the rejection).',
    '# TYPE svc_requests_total counter',
    ...counts,
    '',
    '# HELP svc_request_seconds Time from the decoded request to its answer.',
    '# TYPE svc_request_seconds histogram',
    ...times,
  ];
  return `${lines.join('\n')}\n`;
}
