// Journeys 1, 2 and 3 of docs/design/console.md 6: the first minute, why not, and proof, as a person walks them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Answer, cannotBrowse, openStage, type Stage } from './browser.ts';

let stage: Stage;
let page: Page;
const skip = cannotBrowse === false ? {} : { skip: cannotBrowse };
/** Long, because the machine may be busy; every wait ends as soon as what it waits for is there. */
const patience = { timeout: 60_000 };

before(async () => {
  if (cannotBrowse !== false) return;
  stage = await openStage();
  page = await stage.open();
  page.setDefaultTimeout(patience.timeout);
});
after(() => stage?.close());

const decide = (customerId: string, channel: string, more: object = {}): Promise<Answer> =>
  stage.call('POST', 'recommend', { customerId, channel, ...more });
const idOf = (decision: Answer): string => String(decision.recommendationId);

/** Every journey ends with this: nothing went wrong that a person would not see. */
const nothingWrong = () => assert.deepEqual(stage.faults(), []);

/** A press of a person, counted. */
function counter() {
  let acts = 0;
  return {
    async press(what: ReturnType<Page['getByRole']>): Promise<void> {
      acts += 1;
      await what.click();
    },
    acts: () => acts,
  };
}

/** A reload of a deep link shows the same page, and the back button leads where one came from. */
async function reloadsAndGoesBack(heading: string): Promise<void> {
  const address = page.url();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  assert.equal(page.url(), address);
}

test('1. first minute: from the printed link to a decision explained and replayed', skip, async (t) => {
  const decided = await decide('CM-000031', 'email');
  assert.equal(decided.count, 1);
  const began = performance.now();
  const { press, acts } = counter();
  await page.goto(stage.firstRun);
  await press(page.getByRole('link', { name: 'Decisions', exact: true }));
  const [first] = decided.decisions as readonly { readonly offerName: string }[];
  assert.ok(first);
  await press(
    page
      .getByRole('link', { name: /CM-000031/ })
      .or(page.getByText('CM-000031', { exact: true }))
      .first(),
  );
  await page.getByRole('heading', { level: 1, name: 'Decision for CM-000031' }).waitFor();
  // Why the first offer won: in words that are made from the numbers.
  await page.getByText(`${first.offerName} was shown first`).waitFor();
  await page.getByText(new RegExp(`${first.offerName} scored .* more than .*: `)).waitFor();
  // What would have made another win.
  await press(page.getByRole('button', { name: /We Miss You Latte/ }));
  await press(page.getByRole('button', { name: 'Ask what would flip it' }));
  await page.getByText('days_since_visit: 15 → 21').waitFor();
  // And the proof.
  await press(page.getByRole('tab', { name: 'Record & proof' }));
  await page.getByText('Identical, byte for byte').waitFor();
  const seconds = (performance.now() - began) / 1000;
  t.diagnostic(`${acts()} acts after the printed link, ${seconds.toFixed(1)} s`);
  assert.equal(acts(), 5, 'decisions, the decision, another offer, what would flip it, the proof');
  await reloadsAndGoesBack('Decision for CM-000031');
  nothingWrong();
});

test('2. why not: a blocked offer, its gate, a flip, and the simulation that shows it', skip, async () => {
  const decision = await decide('CM-000034', 'web');
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  const blocked = page.getByRole('button', { name: /blocked/ }).filter({ hasText: 'Black Tier Tasting' });
  await blocked.click();
  // The gate with what it asked and what there was.
  const gates = page.getByRole('region', { name: 'Gates' });
  await gates.getByText('tier one of gold, black').waitFor();
  await gates.getByText('blocked').waitFor();
  await page.getByRole('button', { name: 'Ask what would flip it' }).click();
  await page.getByText(/tier: .* → gold/).waitFor();
  await page.getByRole('link', { name: 'Try it' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Simulate' }).waitFor();
  await page.getByText('Black Tier Tasting is shown at #1.').waitFor();
  await page.getByText('Black Tier Tasting is not shown: tier one of gold, black', { exact: false }).first().waitFor();
  await reloadsAndGoesBack('Simulate');
  await page.getByText('Black Tier Tasting is shown at #1.').waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Decision for CM-000034' }).waitFor();
  nothingWrong();
});

test('2b. do_not_contact yields no flip, and says that nothing may change it', skip, async () => {
  const policy = await stage.call('POST', 'contact-policies', {
    name: 'Never contact again',
    ruleType: 'do_not_contact',
    scope: 'global',
    config: { dncSource: 'crm', reason: 'asked us to stop' },
  });
  const decision = await decide('CM-000035', 'email');
  assert.equal(decision.count, 0);
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  await page.getByText('Contact policies refused every offer that was left.').waitFor();
  await page.getByRole('button', { name: /Bring A Friend/ }).click();
  await page.getByRole('region', { name: 'Gates' }).getByText('asked us to stop').waitFor();
  await page.getByRole('button', { name: 'Ask what would flip it' }).click();
  await page.getByText('Nothing may change this: Never contact again.', { exact: false }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Try it' }).count(), 0);
  await stage.call('PUT', 'contact-policies', { id: policy.id, status: 'archived' });
  nothingWrong();
});

test(
  '3. proof: a changed rule changes nothing of the past; compared with now only the rule differs',
  skip,
  async () => {
    const decision = await decide('CM-000036', 'web');
    const [first] = decision.decisions as readonly { readonly offerId: string; readonly offerName: string }[];
    assert.ok(first);
    const proof = `${stage.url}/decisions/${idOf(decision)}?tab=proof`;
    await page.goto(proof);
    await page.getByText('Identical, byte for byte').waitFor();
    // From now on nobody qualifies for what was shown.
    await stage.call('POST', 'qualification-rules', {
      name: 'Over a hundred',
      ruleType: 'attribute_condition',
      scope: 'offer',
      scopeId: first.offerId,
      config: { attribute: 'customer.age', operator: 'gte', value: 100 },
    });
    await page.getByRole('button', { name: 'Replay again' }).click();
    await page.getByText('Identical, byte for byte').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('menuitem', { name: 'with the same customer now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Compare two decisions' }).waitFor();
    const offers = page.getByRole('region', { name: 'Offers' }).first();
    const row = offers.getByRole('row').filter({ hasText: first.offerName });
    await row.getByText('lost').waitFor();
    await row.getByText('Not qualified').waitFor();
    nothingWrong();
  },
);

test('3b. of an erased customer the decision says what is left', skip, async () => {
  const decision = await decide('CM-000037', 'web');
  await stage.call('DELETE', 'customers/CM-000037/data?scope=all', undefined, { 'x-confirm-delete': 'CM-000037' });
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  await page.getByRole('heading', { level: 1, name: 'Decision for an erased customer' }).waitFor();
  await page.getByText('What is left', { exact: true }).waitFor();
  assert.equal(await page.getByText('CM-000037').count(), 0);
  nothingWrong();
});

test('an id of nothing, and a tenant without traces, each say the next step', skip, async () => {
  await page.goto(`${stage.url}/decisions/00000000-0000-7000-8000-000000000000`);
  await page.getByText('No such decision').waitFor();
  await page.getByRole('link', { name: 'All decisions' }).waitFor();
  await stage.call('PUT', 'tenant-settings', { decisionTraceEnabled: false });
  const decision = await decide('CM-000038', 'web');
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  // Rebuilt from the record: the funnel and the score are there all the same.
  await page.getByText('rebuilt from the record').waitFor();
  await page.getByRole('region', { name: 'Score' }).getByRole('rowheader', { name: 'emphasis' }).waitFor();
  nothingWrong();
});
