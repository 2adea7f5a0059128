import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ReportDocument } from '../../features/operations/report-rendering/index.ts';
import { renderReport } from '../../features/operations/report-rendering/index.ts';
import { businessWeek, documentOf, sectionOf } from '../../features/operations/report-rendering/test-documents.ts';
import { AppError } from '../../platform/app-error.ts';
import { createReportThread, type ReportThread } from './report-threads.ts';

/** The thread that renders reports: what comes back, and what happens when it fails. */

const errors: unknown[] = [];
let thread: ReportThread;
before(() => {
  thread = createReportThread((error) => errors.push(error));
});
after(() => thread.close());

const isError = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
const formats = ['html', 'pdf', 'csv', 'markdown'] as const;

test('a report from a thread equals one rendered here', async () => {
  const [here, there] = [await renderReport(businessWeek(), formats), await thread.render(businessWeek(), formats)];
  assert.deepEqual(
    there.map(({ format, fileName, mimeType }) => [format, fileName, mimeType]),
    here.map(({ format, fileName, mimeType }) => [format, fileName, mimeType]),
  );
  for (const [at, { content }] of there.entries()) {
    assert.ok(Buffer.isBuffer(content));
    assert.ok(here[at]?.content.equals(content), there[at]?.format);
  }
});

test("a large report doesn't block the event loop", async () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ offer: `Offer ${at}`, impressions: at }));
  let isDone = false;
  const rendered = thread.render(documentOf([sectionOf({ rows })]), ['pdf']).finally(() => {
    isDone = true;
  });
  // Count only this thread's own computing, not the rest of the machine's.
  const before = process.threadCpuUsage();
  let turns = 0;
  while (!isDone) {
    turns += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const used = process.threadCpuUsage(before);
  assert.ok((await rendered)[0]!.content.length > 50_000);
  assert.ok(turns > 5, `${turns} turns`);
  assert.ok(used.user + used.system < 500_000, `${used.user + used.system} us of computing here`);
});

test("a report that can't be rendered fails alone", async () => {
  const bad = documentOf([sectionOf()], { timezone: 'No/Where' });
  const outcomes = await Promise.allSettled([thread.render(bad, ['html']), thread.render(businessWeek(), ['csv'])]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  assert.ok(outcomes[0]?.status === 'rejected' && /rendering failed.*No\/Where/s.test(String(outcomes[0].reason)));
  const unsendable: ReportDocument = { ...businessWeek(), name: Object(Symbol('name')) };
  await assert.rejects(thread.render(unsendable, ['csv']), /cloned/);
  assert.equal((await thread.render(businessWeek(), ['markdown'])).length, 1);
  assert.deepEqual(errors, []);
});

test('replaces a hanging thread, ends an idle one, and gives the next report a new one', async () => {
  const own = createReportThread((error) => errors.push(error), { hangsAfterMs: 1, idleMs: 60_000 });
  await assert.rejects(own.render(businessWeek(), formats), /exited/);
  await assert.rejects(own.render(businessWeek(), formats), /exited/);
  await own.close();
  const idle = createReportThread((error) => errors.push(error), { hangsAfterMs: 120_000, idleMs: 0 });
  for (let at = 0; at < 2; at++) {
    await idle.render(businessWeek(), ['csv']);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await idle.close();
  assert.deepEqual(errors, []);
});

test('rejects work for a full queue, and tells waiting callers when the threads end', async () => {
  const own = createReportThread((error) => errors.push(error));
  const outcomes = Promise.allSettled(Array.from({ length: 18 }, () => own.render(businessWeek(), ['csv'])));
  await own.close();
  const codes = (await outcomes).map((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof AppError ? outcome.reason.code : outcome.status,
  );
  assert.deepEqual(codes, ['rejected', ...Array(16).fill('unavailable'), 'overloaded']);
  await assert.rejects(own.render(businessWeek(), ['csv']), isError('overloaded'));
});
