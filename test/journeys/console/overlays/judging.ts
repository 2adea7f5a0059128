// Decision tests and studies in states that the demo doesn't have.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { ask, dialog, go, type Overlay, press, rowsOf, unused } from './steps.ts';

const testOf = async (page: Page, expect: object): Promise<string> => {
  const [flow] = await rowsOf(page, 'decision-flows?limit=1');
  const { id } = await ask(page, 'POST', 'decision-tests', {
    ...{ decisionFlowId: flow?.id, name: unused('Teenagers'), expect },
    given: { now: '2026-12-01T12:00:00Z', customer: { age: 17 }, request: { channel: 'email', limit: 3 } },
  });
  return id;
};

/** Starts a study, and answers its page with these values instead. */
const studyAs = async (
  page: Page,
  kind: 'backtest' | 'evaluate',
  changes: object,
  body: object = {},
): Promise<void> => {
  const [flow] = await rowsOf(page, 'decision-flows?limit=1');
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const started = await ask(page, 'POST', `decision-flows/${flow?.id}/${kind}`, {
    ...{ version: 'draft', from: day(-1), to: day(1) },
    ...body,
  });
  const id = String(Reflect.get(started, 'studyId'));
  await page.route(`**/api/v1/studies/${id}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changes } });
  });
  await go(page, `/studies/${id}`);
};

const bounds = (value: number, low: number, high: number) => ({ value, se: 0.001, ciLower: low, ciUpper: high });
/** An evaluation that knows the answer, which takes weeks of responses. */
const evaluated = {
  ...{ verdict: 'ok', reasons: [], needed: null, target: '', reward: 'positive', decisions: 48_210, customers: 9_120 },
  ...{ excluded: { controlGroup: 0, notEvaluable: {} }, notRecorded: [], supportShare: 0.998 },
  ...{ effectiveSampleSize: 31_400.5, clippedShare: 0, estimatedShare: 0, headline: 'dr', bySegment: [] },
  ...{ stateShift: null, value: null, estimates: { dr: bounds(0.0934, 0.0911, 0.0957) } },
  ...{ logged: bounds(0.0812, 0.0795, 0.0829), delta: bounds(0.0122, 0.0094, 0.015), lift: bounds(0.15, 0.116, 0.185) },
  diagnostics: { rewardCustomers: 2_310 },
};

/** A backtest without an answer: most of its records can't be judged. */
const refused = {
  ...{ verdict: 'refused', reasons: ['selection', 'limit_failed'], decisions: 12, changed: 3, changedShare: 0.25 },
  ...{ byKind: { same: 9, replaced: 3 }, gained: [], lost: [], samples: [], notRecorded: ['customer.stars'] },
  ...{ notReplayable: 88, notEvaluable: { erased: 1, withheld: 87 } },
  limits: [
    { name: 'maxChangedShare', offerId: null, value: 0.25, bound: 0.1, passed: false },
    { name: 'maxEngineUsP99', offerId: null, value: null, bound: 900, passed: false },
  ],
};

export const judgingOverlays: readonly Overlay[] = [
  {
    name: 'study-refused',
    address: '/studies',
    open: async (page) => {
      await studyAs(page, 'backtest', { status: 'completed', result: refused });
      await page.getByText("The records can't show what the draft would change.").waitFor();
      await page.getByText('not judged').first().waitFor();
      assert.equal(await page.getByText('A limit is exceeded', { exact: false }).count(), 0);
    },
  },
  {
    name: 'decision-test-not-met',
    address: '/decision-tests',
    open: async (page) => {
      const id = await testOf(page, { first: 'Cold Brew Season', count: 1 });
      await go(page, `/decision-tests/${id}`);
      await page.getByText('not met').or(page.getByLabel('not met')).first().waitFor();
    },
  },
  {
    name: 'decision-test-cannot-run',
    address: '/decision-tests',
    open: async (page) => {
      const id = await testOf(page, { excludes: [{ offer: 'Cold Brew Season', by: 'No such rule' }] });
      await go(page, `/decision-tests/${id}`);
      await page.getByText("The test can't run").waitFor();
    },
  },
  {
    name: 'decision-test-of-a-decision',
    address: '/decisions',
    open: async (page) => {
      const decision = page.locator('main a[href*="/decisions/"]').first();
      await decision.waitFor({ state: 'attached' });
      await go(page, (await decision.getAttribute('href')) ?? '');
      await page.getByRole('link', { name: 'Make a test' }).click();
      await page.getByText('Filled in from the decision', { exact: false }).waitFor();
    },
  },
  {
    name: 'study-running',
    address: '/studies',
    open: async (page) => {
      const progress = { decisions: 4_200, total: 10_000 };
      await studyAs(page, 'backtest', { status: 'running', result: null, completedAt: null, progress });
      await page.getByText('4,200 of 10,000 decisions judged').waitFor();
      await press(page, 'Stop study');
      await dialog(page);
    },
  },
  {
    name: 'study-evaluated',
    address: '/studies',
    open: async (page) => {
      const result = { status: 'completed', result: evaluated };
      await studyAs(page, 'evaluate', result, { reward: 'positive' });
      await page.getByText('The draft earns 0.0122 more per decision', { exact: false }).waitFor();
    },
  },
];
