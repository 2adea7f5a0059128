// What the estimators cost: processor time and memory on a million decisions, on one thread (docs/design/lead.md 3). By hand, or as a
// row of `npm run bench`:
//   node test/load/estimator-bench.ts [--decisions 1000000]
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { h32, stream } from '@arbiter/engine';
import { collectLog, type EvaluationLog, estimators, evaluate } from '@arbiter/lab';
import { n0, type Row } from './bench/bench-report.ts';

const offers = 20;
const choicesPerPlace = 3;

/** Decisions with one item and a few choices each, by customers with ten decisions. */
function madeLog(decisions: number): EvaluationLog {
  const rows = collectLog();
  const next = stream(h32('estimators').toString(16), 'log');
  for (let at = 0; at < decisions; at += 1) {
    const customer = String(Math.floor(at / 10));
    const first = Math.floor(next() * offers);
    const choices = Array.from({ length: choicesPerPlace }, (_, choice) => ({
      ...{ offer: String((first + choice) % offers), channel: 'web', supported: true },
      ...{ chance: choice === 0 ? 0.8 : 0.2 / (choicesPerPlace - 1), propensity: 0.01 + 0.1 * next() },
    }));
    const shown = choices[next() < 0.8 ? 0 : 1]!;
    rows.add({
      ...{ customer, fold: h32(customer) % 5, segments: 1 << (h32(customer) % 4) },
      places: [
        {
          ...{ ratio: 0.5 + next(), reward: next() < shown.propensity ? 1 : 0, supported: 1, choices },
          item: { offer: shown.offer, channel: 'web', propensity: shown.propensity },
        },
      ],
    });
  }
  return rows.build();
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Estimates with everything that a study shows, in a process whose memory holds nothing else. */
function measure(decisions: number): Measured {
  const log = madeLog(decisions);
  const memoryBefore = process.resourceUsage().maxRSS;
  const before = process.cpuUsage();
  evaluate(log, {
    ...{ estimators: Object.keys(estimators) as (keyof typeof estimators)[], clip: 100, confidence: 0.95 },
    ...{ rewards: { lowest: 0, highest: 1 }, notEvaluable: 0, maxNotEvaluable: 0.05, stateShift: 0 },
    ...{ probabilities: { checked: decisions, mismatches: 0 }, days: 7, exploreRate: 0.1 },
  });
  const { user, system } = process.cpuUsage(before);
  return {
    seconds: (user + system) / 1e6,
    megabytes: (process.resourceUsage().maxRSS - memoryBefore) / 1024,
  };
}

/** Returns the rows of the report. */
export async function benchEstimators(decisions: number, say: (line: string) => void): Promise<Row[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Measured>();
  const worker = new Worker(new URL(import.meta.url), { workerData: { decisions } });
  worker.once('message', resolve);
  worker.once('error', reject);
  const { seconds, megabytes } = await promise;
  await worker.terminate();
  say(`estimators: ${seconds.toFixed(1)} s and ${n0(megabytes)} MB for ${n0(decisions)} decisions`);
  const what = `all estimators, diagnostics and the prediction of rewards on ${n0(decisions)} decisions`;
  return [
    {
      measure: `Processor time of ${what}`,
      bar: 'at most 8 s',
      measured: `${seconds.toFixed(1)} s`,
      met: seconds <= 8,
    },
    {
      measure: `Growth of the resident memory by ${what}`,
      bar: 'at most 200 MB',
      measured: `${n0(megabytes)} MB`,
      met: megabytes <= 200,
    },
  ];
}

if (!isMainThread && parentPort !== null)
  parentPort.postMessage(measure((workerData as { decisions: number }).decisions));
else if (import.meta.main) {
  const { values } = parseArgs({ options: { decisions: { type: 'string', default: '1000000' } } });
  console.log(await benchEstimators(Number(values.decisions), (line) => console.log(line)));
}
