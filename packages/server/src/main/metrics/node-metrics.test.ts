import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createNodeMetrics, metricsOf } from './node-metrics.ts';

/** A process that has counted this many requests, and measured as many. */
function registryOf(count: number, age: number) {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ name: 'requests_total', help: 'R.', labelNames: ['route'], registers });
  requests.inc({ route: '/a' }, count);
  const seconds = new Histogram({ name: 'seconds', help: 'S.', buckets: [1, 10], registers });
  for (let n = 0; n < count; n++) seconds.observe(n);
  new Gauge({ name: 'connections', help: 'C.', registers }).set(count);
  new Gauge({ name: 'age_seconds', help: 'A.', aggregator: 'max', registers }).set(age);
  return registry;
}

test('sums counters, and combines gauges by their meaning', async () => {
  const node = createNodeMetrics(() => 5);
  node.reported('1', await metricsOf(registryOf(3, 7)));
  node.reported('2', await metricsOf(registryOf(4, 2)));
  const lines = (await node.text()).split('\n');
  for (const line of [
    'requests_total{route="/a"} 7',
    'seconds_bucket{le="1"} 4',
    'seconds_count 7',
    'seconds_sum 9',
    'connections 7',
    'age_seconds 7',
    'svc_processes 2',
    'svc_process_resident_memory_bytes{process="primary"} 5',
  ]) {
    assert.ok(lines.includes(line), `${line} in\n${lines.join('\n')}`);
  }
});

test('counters never fall when processes come and go; gauges end with their process', async () => {
  const node = createNodeMetrics(() => 5);
  const value = async (name: string) =>
    Number(
      (await node.text())
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1),
    );
  let counted = 0;
  for (let life = 1; life <= 4; life++) {
    node.reported('1', await metricsOf(registryOf(life, life)));
    node.reported('1', await metricsOf(registryOf(life + 1, life)));
    counted += life + 1;
    assert.equal(await value('requests_total{route="/a"}'), counted);
    assert.equal(await value('seconds_count'), counted);
    assert.equal(await value('connections'), life + 1);
    node.ended('1');
    assert.equal(await value('requests_total{route="/a"}'), counted);
    assert.equal(await value('seconds_bucket{le="+Inf"}'), counted);
    assert.ok(Number.isNaN(await value('connections')));
  }
  node.ended('unknown');
  node.restarted();
  assert.equal(await value('svc_process_restarts_total'), 1);
});
