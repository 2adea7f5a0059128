// Journeys 1, 2 and 3 of docs/design/console.md 6: first minute, why not, and proof.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Answer, cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { decide, erased, firstMinute, proof, stopExploring, type World, whyNot } from './walks.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
/** Long, because the machine may be busy. Every wait ends as soon as its condition holds. */
const patience = { timeout: 120_000 };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage({ finds: 'nothing' });
  page = await stage.open();
  page.setDefaultTimeout(patience.timeout);
  await stopExploring(stage);
});
holdEachJourney(() => stage);
after(() => stage?.close());

/** The demo: twelve offers of a coffee chain. */
const demo: World = {
  channel: 'web',
  rival: 'We Miss You Latte',
  gate: 'days_since_visit at least 21',
  flip: { attribute: 'days_since_visit', to: '21' },
  number: 'age',
  isForShow: false,
};
const idOf = (decision: Answer): string => String(decision.recommendationId);

test('1. first minute: from the printed link to a decision explained and replayed', skip, (t) =>
  firstMinute(t, stage, page, demo),
);

test('2. why not: a blocked offer, its gate, a flip, and the simulation that shows it', skip, () =>
  whyNot(stage, page, demo, 'CM-000031'),
);

test('2b. do_not_contact: no flip, and the reason why', skip, async () => {
  const policy = await stage.call('POST', 'contact-policies', {
    name: 'Never contact again',
    ruleType: 'do_not_contact',
    scope: 'global',
    config: { dncSource: 'crm', reason: 'asked us to stop' },
  });
  const decision = await decide(stage, 'CM-000035', 'email');
  assert.equal(decision.count, 0);
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  await page.getByText('Contact policies blocked every remaining offer.').waitFor();
  await page.getByRole('button', { name: /Bring A Friend/ }).click();
  await page.getByRole('region', { name: 'Gates' }).getByText('asked us to stop').waitFor();
  await page.getByRole('button', { name: 'Find the smallest changes' }).click();
  await page
    .getByText('Nothing you can change shows this offer. “Never contact again” always blocks it.', { exact: false })
    .waitFor();
  assert.equal(await page.getByRole('link', { name: 'Try it' }).count(), 0);
  await stage.call('PUT', 'contact-policies', { id: policy.id, status: 'archived' });
});

test('3. proof: a changed rule leaves the past unchanged; only the rule differs from now', skip, () =>
  proof(stage, page, demo, 'CM-000036'),
);

test('3b. the decision of an erased customer', skip, () => erased(stage, page, demo, 'CM-000037'));

test('names the next step for an unknown ID and a tenant without traces', skip, async () => {
  await page.goto(`${stage.url}/decisions/00000000-0000-7000-8000-000000000000`);
  await page.getByText('Decision not found').waitFor();
  await page.getByRole('link', { name: 'All decisions' }).waitFor();
  await stage.call('PUT', 'tenant-settings', { decisionTraceEnabled: false });
  const decision = await decide(stage, 'CM-000038', 'web');
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  // Rebuilt from the record, with funnel and score.
  await page.getByText('rebuilt from the record').waitFor();
  await page.getByRole('region', { name: 'Score' }).getByRole('rowheader', { name: 'emphasis' }).waitFor();
});
