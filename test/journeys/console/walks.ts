// Journeys 1, 2, 3 and the reading part of 13 of docs/design/console.md 6, for any data.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Answer, Stage } from './browser.ts';

/** The data of a journey. */
export interface World {
  /** Type of a channel: `email`. */
  readonly channel: string;
  /** An offer that a rule blocks for the journey's customers. */
  readonly rival: string;
  /** The gate that blocks it, as shown on the page. */
  readonly gate: string;
  /** The change that would let it pass: attribute and bound. */
  readonly flip: { readonly attribute: string; readonly to: string };
  /** A numeric column of every customer, for a new rule. */
  readonly number: string;
  /** Home doesn't record decisions by default: the data isn't sample data. */
  readonly isForShow: boolean;
}

export const decide = (stage: Stage, customerId: string, channel: string): Promise<Answer> =>
  stage.call('POST', 'recommend', { customerId, channel });

/** Publishes the demo's flow without exploration: a customer always gets the same offers, and the same changes alter them. */
export async function stopExploring(stage: Stage): Promise<void> {
  const { data } = await stage.call('GET', 'decision-flows?search=next+best&limit=1');
  const [flow] = data as readonly { readonly id: string; readonly draftConfig: object }[];
  assert.ok(flow);
  const { flowConfig } = flow.draftConfig as { readonly flowConfig: object };
  const draftConfig = { ...flow.draftConfig, flowConfig: { ...flowConfig, explore: { rate: 0 } } };
  await stage.call('PUT', `decision-flows/${flow.id}`, { draftConfig });
  await stage.call('POST', 'decision-flows/publish', { id: flow.id });
}

const idOf = (decision: Answer): string => String(decision.recommendationId);

/** The items of a decision, best first. */
const itemsOf = (decision: Answer) =>
  decision.decisions as readonly { readonly offerId: string; readonly offerName: string }[];

/** Checks that a reload shows the same page at the same address. */
async function staysAfterReload(page: Page, heading: string): Promise<void> {
  const address = page.url();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  assert.equal(page.url(), address);
}

const flipText = ({ flip }: World): RegExp => new RegExp(`${flip.attribute}: \\S+ → ${flip.to}`);

/** Counts, names and times clicks until their result appears. */
function presses() {
  const began = performance.now();
  const clicks: { readonly name: string; readonly ms: number }[] = [];
  return {
    async press(name: string, what: Locator, brings: Locator): Promise<void> {
      const at = performance.now();
      await what.click();
      await brings.waitFor();
      clicks.push({ name, ms: performance.now() - at });
    },
    names: () => clicks.map(({ name }) => name),
    summary: () =>
      `${clicks.length} presses, ${((performance.now() - began) / 1_000).toFixed(1)} s in all: ` +
      clicks.map(({ name, ms }) => `${name} ${(ms / 1_000).toFixed(1)} s`).join(', '),
  };
}

/**
 * 1. First minute: from the printed link to a decision, why its first offer won, what would have made another one win,
 * and the proof. Without typing.
 */
export async function firstMinute(t: TestContext, stage: Stage, page: Page, world: World): Promise<void> {
  const { press, names, summary } = presses();
  await page.goto(stage.firstRun);
  // The form is filled in: a customer and a channel are selected.
  await page.waitForFunction(() => {
    const field = document.querySelector('form input[required]');
    return field instanceof HTMLInputElement && field.value !== '';
  });
  const customer = await page.getByLabel('Customer', { exact: true }).inputValue();
  const steps = page.getByRole('region', { name: 'Decide now' });
  if (world.isForShow) {
    const real = page.getByRole('checkbox', { name: /^Record this decision/ });
    await press('Record this decision', real, page.locator('input[type="checkbox"]:checked'));
  }
  await press('Decide', page.getByRole('button', { name: /^Decide\b/ }), steps.getByText('#1', { exact: true }));
  const first = (await steps.getByRole('listitem').first().locator('.font-medium').textContent()) ?? '';
  const heading = `Decision for ${customer}`;
  await press(
    'Open decision',
    page.getByRole('link', { name: 'Open decision' }),
    page.getByRole('heading', { level: 1, name: heading }),
  );
  // Why the first offer won, in words derived from the numbers.
  await page.getByText(`${first} was shown first`).waitFor();
  // What would have made another offer win.
  await press(
    world.rival,
    page
      .getByRole('region', { name: 'Offers' })
      .first()
      .getByRole('button', { name: new RegExp(world.rival) }),
    page.getByRole('region', { name: 'Gates' }).getByText(world.gate),
  );
  await press(
    'Find the smallest changes',
    page.getByRole('button', { name: 'Find the smallest changes' }),
    page.getByText(flipText(world)),
  );
  // And the proof.
  await press(
    'Record & proof',
    page.getByRole('tab', { name: 'Record & proof' }),
    page.getByText('Identical, byte for byte'),
  );
  t.diagnostic(summary());
  assert.deepEqual(names(), [
    ...(world.isForShow ? ['Record this decision'] : []),
    'Decide',
    'Open decision',
    world.rival,
    'Find the smallest changes',
    'Record & proof',
  ]);
  await staysAfterReload(page, heading);
  await page.goBack();
  await page.getByText(flipText(world)).waitFor({ state: 'detached' });
}

/** 2. Why not: a blocked offer, its gate, a flip, and the simulation that shows it. */
export async function whyNot(stage: Stage, page: Page, world: World, customerId: string): Promise<void> {
  const decision = await decide(stage, customerId, world.channel);
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  await page
    .getByRole('button', { name: /blocked/ })
    .filter({ hasText: world.rival })
    .click();
  // The gate with its condition and the value.
  const gates = page.getByRole('region', { name: 'Gates' });
  await gates.getByText(world.gate).waitFor();
  await gates.getByText('blocked').waitFor();
  await page.getByRole('button', { name: 'Find the smallest changes' }).click();
  await page.getByText(flipText(world)).waitFor();
  await page.getByRole('link', { name: 'Try it' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Simulate' }).waitFor();
  const shown = page.getByText(`${world.rival} is shown at #1.`);
  await shown.waitFor();
  await page.getByText(`${world.rival} isn't shown: ${world.gate}`, { exact: false }).first().waitFor();
  await staysAfterReload(page, 'Simulate');
  await shown.waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: `Decision for ${customerId}` }).waitFor();
}

/** 3. Proof: a changed rule leaves the past unchanged; compared with now, only the rule differs. */
export async function proof(stage: Stage, page: Page, world: World, customerId: string): Promise<void> {
  const decision = await decide(stage, customerId, world.channel);
  const [first] = itemsOf(decision);
  assert.ok(first);
  await page.goto(`${stage.url}/decisions/${idOf(decision)}?tab=proof`);
  await page.getByText('Identical, byte for byte').waitFor();
  // From now on, nobody qualifies for the shown offer.
  const rule = await stage.call('POST', 'qualification-rules', {
    name: 'Out of reach',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: first.offerId,
    config: { attribute: `customer.${world.number}`, operator: 'gte', value: 1_000_000_000 },
  });
  await page.getByRole('button', { name: 'Replay again' }).click();
  await page.getByText('Identical, byte for byte').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download proof' }).click();
  const file = await (await download).path();
  assert.match(await readFile(file, 'utf8'), /<script type="application\/json" id="proof">\{"format":1,/);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('menuitem', { name: 'With this customer now' }).click();
  await page.getByRole('heading', { level: 1, name: 'Compare decisions' }).waitFor();
  const offers = page.getByRole('region', { name: 'Offers' }).first();
  const row = offers.getByRole('row').filter({ hasText: first.offerName });
  await row.getByText('lost').filter({ visible: true }).first().waitFor();
  await row.getByText('Not qualified').filter({ visible: true }).first().waitFor();
  await stage.call('PUT', 'qualification-rules', { id: rule.id, status: 'archived' });
}

/** 3. The decision of an erased customer. */
export async function erased(stage: Stage, page: Page, world: World, customerId: string): Promise<void> {
  const decision = await decide(stage, customerId, world.channel);
  await stage.call('DELETE', `customers/${customerId}/data?scope=all`, undefined, { 'x-confirm-delete': customerId });
  await page.goto(`${stage.url}/decisions/${idOf(decision)}`);
  await page.getByRole('heading', { level: 1, name: 'Decision for an erased customer' }).waitFor();
  await page.getByText('What remains', { exact: true }).waitFor();
  assert.equal(await page.getByText(customerId).count(), 0);
}

/** 13, reading: finds a customer by ID; next best offers, history, limits. */
export async function readCustomer(stage: Stage, page: Page, channel: string, customerId: string): Promise<void> {
  await decide(stage, customerId, channel);
  await stage.call('POST', 'suppressions', {
    customerId,
    scope: 'global',
    reason: 'complained on the phone',
    expiresAt: '2099-01-01T00:00:00.000Z',
  });
  const heading = page.getByRole('heading', { level: 1, name: customerId });
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  await page.getByLabel('Customer ID').fill(customerId);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await heading.waitFor();
  const address = page.url();
  assert.equal(address, `${stage.url}/customers/${customerId}`);
  await page
    .getByRole('region', { name: 'Next best offer' })
    .getByRole('link', { name: /^Email/ })
    .waitFor();
  // History, newest first, with the decision behind each entry.
  await page.getByText('Suppressed: every offer').waitFor();
  await page.getByRole('link', { name: /Decision: [1-9]\d* offers?/ }).click();
  await page.getByRole('heading', { level: 1, name: `Decision for ${customerId}` }).waitFor();
  await page.goBack();
  await heading.waitFor();
  assert.equal(page.url(), address);
  await page.getByRole('tab', { name: 'Limits' }).click();
  const suppressed = page.getByRole('region', { name: 'Suppressions' }).getByText('complained on the phone');
  await suppressed.waitFor();
  // A reload of the deep link shows the same.
  assert.match(page.url(), /\?tab=limits$/);
  await page.reload();
  await suppressed.waitFor();
}
