// A bank of 45,211 customers (UCI Bank Marketing, S. Moro, P. Rita, P. Cortez, CC BY 4.0), which is not part of the repository.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './browser.ts';
import type { World } from './walks.ts';

/** Path of the file: BANK_CSV, or next to the repository. */
export const bankFile =
  process.env.BANK_CSV ?? join(import.meta.dirname, '../../../../shared/data/uci-bank/bank-full.csv');

/** Why the bank journeys can't run; false if they can. */
export const noBank: string | false = existsSync(bankFile)
  ? false
  : 'bank-full.csv of the UCI Bank Marketing data is not there: BANK_CSV=<file>';

const columns = ['customer_id', 'age', 'job', 'education', 'balance', 'housing', 'loan'] as const;
const numbers: readonly string[] = ['age', 'balance'];

/** The offer that needs savings of at least 3,000. */
export const bank: World = {
  channel: 'email',
  rival: 'Term deposit',
  gate: 'customer.balance at least 3,000',
  flip: { attribute: 'balance', to: '3,000' },
  number: 'age',
  isForShow: true,
};

/** Rows per request. */
const atOnce = 2_000;

/** Replaces the demo's data with the bank's: customers, three offers, rules for two of them, a flow. */
export async function loadBank(stage: Stage): Promise<number> {
  await stage.call('DELETE', 'seed-dataset/coffee_rewards', undefined, { 'x-confirm-delete': 'coffee_rewards' });
  const schema = await stage.call('POST', 'schemas', {
    name: 'bank_customers',
    displayName: 'Customers of the bank',
    schemaType: 'customer',
    autoEnrich: true,
    fields: columns.map((name) => ({
      name,
      displayName: name,
      ...(numbers.includes(name) ? { dataType: 'integer' } : { dataType: 'varchar', length: 32 }),
      ...(name === 'customer_id' ? { isPrimaryKey: true, isNullable: false } : {}),
    })),
  });
  const [head = '', ...lines] = readFileSync(bankFile, 'utf8').trim().split(/\r?\n/);
  const places = columns.map((name) => [name, head.split(',').indexOf(name)] as const);
  const rows = lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(
      places.map(([name, at]) => [name, numbers.includes(name) ? Number(cells[at]) : cells[at]]),
    );
  });
  for (let from = 0; from < rows.length; from += atOnce)
    await stage.call('POST', `schemas/${String(schema.id)}/data`, { rows: rows.slice(from, from + atOnce) });
  const category = await stage.call('POST', 'categories', { name: 'Products' });
  const email = await stage.call('POST', 'channels', {
    name: 'Email',
    channelType: 'email',
    impressionMode: 'implicit',
  });
  const offer = async (name: string, priority: number, rule: object | null): Promise<void> => {
    const offer = await stage.call('POST', 'offers', {
      name,
      status: 'active',
      categoryId: category.id,
      priority,
      businessValue: priority,
    });
    await stage.call('POST', 'creatives', {
      name: `${name} (Email)`,
      offerId: offer.id,
      channelId: email.id,
      status: 'active',
      content: { subject: name, body: `${name}, made for you.` },
    });
    if (rule === null) return;
    await stage.call('POST', 'qualification-rules', {
      name: `Who may have: ${name}`,
      ruleType: 'attribute_condition',
      scope: 'offer',
      scopeId: offer.id,
      config: rule,
    });
  };
  await offer(bank.rival, 90, { attribute: 'customer.balance', operator: 'gte', value: 3_000 });
  await offer('Home loan', 70, { attribute: 'customer.housing', operator: 'eq', value: 'no' });
  await offer('Everyday card', 50, null);
  await stage.call('POST', 'decision-flows/ensure-base', {});
  return rows.length;
}
