import { type Aggregator, AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

/** The metrics of one process, as they are sent to another. */
export type Metrics = readonly Metric[];

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  readonly values: readonly Value[];
}

interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  /** For a histogram, includes the suffix. */
  readonly metricName?: string;
}

/** The metrics of all processes of this server as one. */
export interface NodeMetrics {
  /** Replaces what a process reported before. */
  reported(name: string, metrics: Metrics): void;
  /** The process has ended: keep its counters, drop its gauges. */
  ended(name: string): void;
  restarted(): void;
  /** Counters and histograms summed, gauges by their meaning (`aggregator`). */
  read(): Promise<Metrics>;
  /** Returns the metrics that pass `shown` as Prometheus text. Default: all. */
  text(shown?: (metrics: Metrics) => Metrics): Promise<string>;
}

/** Returns the current metrics of a registry. */
export async function metricsOf(registry: Pick<Registry, 'getMetricsAsJSON'>): Promise<Metrics> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type: String(type),
    aggregator,
    values,
  }));
}

/** Prometheus text of metrics that are of no registry. */
export async function metricsText(metrics: Metrics): Promise<string> {
  return AggregatorRegistry.aggregate([metrics]).metrics();
}

/** `residentBytes`: memory of this process, the primary. */
export function createNodeMetrics(residentBytes: () => number): NodeMetrics {
  const newest = new Map<string, Metrics>();
  // Without it a sum would fall when a process ends, and be read as a reset: a rate over it would leap.
  let past: Metrics = [];
  const own = new Registry();
  const registers = [own];
  new Gauge({
    name: 'svc_processes',
    help: 'Server processes running.',
    registers,
    collect() {
      this.set(newest.size);
    },
  });
  const restarts = new Counter({
    name: 'svc_process_restarts_total',
    help: 'Server processes restarted after another one exited.',
    registers,
  });
  new Gauge({
    name: 'svc_process_resident_memory_bytes',
    help: 'Resident memory of each process. The process that starts and watches the others is called primary.',
    labelNames: ['process'],
    registers,
    collect() {
      this.reset();
      this.set({ process: 'primary' }, residentBytes());
      for (const [name, metrics] of newest) {
        const memory = metrics.find((each) => each.name === 'process_resident_memory_bytes')?.values[0];
        if (memory !== undefined) this.set({ process: name }, memory.value);
      }
    },
  });
  async function aggregated(): Promise<Metrics> {
    const mine = await metricsOf(own);
    const registry = AggregatorRegistry.aggregate([...newest.values(), past, mine]);
    return metricsOf(registry);
  }
  return {
    reported: (name, metrics) => void newest.set(name, metrics),
    ended(name) {
      const last = newest.get(name) ?? [];
      newest.delete(name);
      past = summed([...past, ...last.filter(({ type }) => type === 'counter' || type === 'histogram')]);
    },
    restarted: () => restarts.inc(),
    read: aggregated,
    text: async (shown = (metrics) => metrics) => metricsText(shown(await aggregated())),
  };
}

/** Puts metrics with the same name together, value by value. */
function summed(metrics: Metrics): Metrics {
  const byName = new Map<string, Metric & { readonly sums: Map<string, Value> }>();
  for (const metric of metrics) {
    const { sums } = byName.get(metric.name) ?? { sums: new Map<string, Value>() };
    byName.set(metric.name, { ...metric, sums });
    for (const value of metric.values) {
      const key = JSON.stringify([value.metricName, Object.entries(value.labels).sort()]);
      sums.set(key, { ...value, value: value.value + (sums.get(key)?.value ?? 0) });
    }
  }
  return [...byName.values()].map(({ sums, ...metric }) => ({ ...metric, values: [...sums.values()] }));
}
