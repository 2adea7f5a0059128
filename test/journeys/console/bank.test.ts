// Runs in one of 3 turns: axe and keyboard visit every screen, and its parts have tests of their own.

// Journeys 1, 2, 3 and the reading part of 13 of docs/design/console.md 6, with the data of 45,211 bank customers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { bank, loadBank, noBank } from './bank.ts';
import { cannotBrowse, holdEachJourney, openStage, type Stage } from './browser.ts';
import { erased, firstMinute, proof, readCustomer, whyNot } from './walks.ts';

let stage: Stage;
let page: Page;
const reason = cannotBrowse === false ? noBank : cannotBrowse;
const skip = reason === false ? {} : { skip: reason };

before(async () => {
  if (reason !== false) return;
  stage = await openStage();
  assert.equal(await loadBank(stage), 45_211);
  page = await stage.open();
  // Long, because the machine may be busy. Every wait ends as soon as its condition holds.
  page.setDefaultTimeout(120_000);
});
holdEachJourney(() => stage);
after(() => stage?.close());

test('1. first minute, in a bank', skip, (t) => firstMinute(t, stage, page, bank));
test('2. why not, in a bank', skip, () => whyNot(stage, page, bank, 'BANK-000002'));
test('3. proof, in a bank', skip, () => proof(stage, page, bank, 'BANK-000003'));
test('3b. an erased customer of a bank', skip, () => erased(stage, page, bank, 'BANK-000004'));
test('13. a service desk reads a customer of a bank', skip, () =>
  readCustomer(stage, page, bank.channel, 'BANK-000005'),
);
