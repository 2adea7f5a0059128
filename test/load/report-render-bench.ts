// Reports of 5,000 rows in each format: how long, how much memory, and how long the event loop stands still in the meantime
// (docs/adr/0059). By hand, or as rows of `npm run bench`:
//   node test/load/report-render-bench.ts [rows = 5000] [rounds = 5]
import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type {
  ReportDocument,
  ReportFormat,
} from '../../packages/server/src/features/operations/report-rendering/index.ts';
import { renderReport } from '../../packages/server/src/features/operations/report-rendering/index.ts';
import {
  column,
  documentOf,
  sectionOf,
} from '../../packages/server/src/features/operations/report-rendering/test-documents.ts';
import { createReportThread } from '../../packages/server/src/main/threads/report-threads.ts';
import { median } from './bench/bench-load.ts';
import { ms, n0, type Row } from './bench/bench-report.ts';

const formats: readonly ReportFormat[] = ['html', 'pdf', 'csv', 'markdown'];
const channels = ['Web', 'E-mail', 'Κατάστημα', '门店'];

/** A section of eight columns, with a chart and names in three scripts. */
function largeReport(rows: number): ReportDocument {
  const columns = [
    column('offer', 'text', 'Offer'),
    column('channel', 'text', 'Channel'),
    column('impressions', 'integer', 'Impressions'),
    column('conversions', 'integer', 'Conversions'),
    column('revenue', 'money', 'Revenue'),
    column('rate', 'ratio', 'Conversion rate'),
    column('day', 'date', 'Day'),
    column('last', 'instant', 'Last shown'),
  ];
  const values = Array.from({ length: rows }, (_, at) => ({
    offer: `Offer number ${at} with a name of ${'some '.repeat(1 + (at % 4))}words`,
    channel: channels[at % channels.length] ?? null,
    impressions: at * 37,
    conversions: at * 3,
    revenue: (at * 12.34).toFixed(2),
    rate: (at % 100) / 1000,
    day: '2026-11-20',
    last: new Date(1_790_000_000_000 + at * 1_000_000).toISOString(),
  }));
  const chart = { kind: 'bar', x: 'offer', y: ['impressions', 'conversions'] } as const;
  return documentOf([sectionOf({ columns, rows: values, chart })]);
}

interface Turns {
  readonly ms: number;
  /** Of the whole process. */
  readonly processorMs: number;
  /** The longest that the event loop was away. */
  readonly longestMs: number;
}

async function measure(work: () => Promise<unknown>): Promise<Turns> {
  const delay = monitorEventLoopDelay({ resolution: 2 });
  // The first timer of a histogram comes late on its own.
  delay.enable();
  await sleep(50);
  delay.reset();
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const used = process.cpuUsage(before);
  const took = performance.now() - started;
  await sleep(10);
  delay.disable();
  return { ms: took, processorMs: (used.user + used.system) / 1000, longestMs: delay.max / 1e6 };
}

const medians = (rounds: readonly Turns[]): Turns => ({
  ms: median(rounds.map((round) => round.ms)),
  processorMs: median(rounds.map(({ processorMs }) => processorMs)),
  longestMs: median(rounds.map(({ longestMs }) => longestMs)),
});

async function repeat(rounds: number, work: () => Promise<unknown>): Promise<Turns> {
  const measured: Turns[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measure(work));
  return medians(measured);
}

/** Memory of a process that renders one format once, above that of one that has only loaded the renderer. */
async function memoryOf(format: ReportFormat, rows: number): Promise<number> {
  const self = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [self, 'memory', format, String(rows)], {
    encoding: 'utf8',
  });
  return Number(stdout);
}

/** The rows of the report. */
export async function benchReportRendering(rows: number, rounds: number): Promise<Row[]> {
  const document = largeReport(rows);
  const found: Row[] = [];
  for (const format of formats) {
    // Once to load the fonts and warm up the compiler.
    const [first] = await renderReport(document, [format]);
    const turns = await repeat(rounds, () => renderReport(document, [format]));
    const memory = await memoryOf(format, rows);
    found.push({
      measure: `report of ${n0(rows)} rows as ${format}`,
      bar: '',
      measured:
        `${ms(turns.ms)} (${ms(turns.processorMs)} of processor time), ${n0((first?.content.length ?? 0) / 1024)} KB, ` +
        `${n0(memory)} MB more, longest turn ${ms(turns.longestMs)}`,
      met: null,
    });
  }
  const thread = createReportThread((error) => console.error(error));
  try {
    await thread.render(document, formats);
    const rendering = await repeat(rounds, () => thread.render(document, formats));
    const idle = await repeat(rounds, () => sleep(rendering.ms));
    found.push({
      measure: 'all four formats in the thread: longest turn of the event loop meanwhile',
      bar: 'at most 50 ms more than with nothing to do',
      measured: `${ms(rendering.longestMs)}; with nothing to do ${ms(idle.longestMs)}`,
      met: rendering.longestMs <= idle.longestMs + 50,
    });
  } finally {
    await thread.close();
  }
  return found;
}

if (import.meta.main) {
  const [first = '5000', ...others] = process.argv.slice(2);
  if (first === 'memory') {
    const [format, rows] = others;
    const document = largeReport(Number(rows));
    const before = process.memoryUsage().rss;
    await renderReport(
      document,
      formats.filter((known) => known === format),
    );
    console.log(Math.round((process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20));
  } else {
    for (const { measure, measured, met } of await benchReportRendering(Number(first), Number(others[0] ?? 5))) {
      console.log(`${measure}: ${measured}${met === false ? ' FAILED' : ''}`);
    }
  }
}
