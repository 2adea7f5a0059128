// The customers of a random catalogue: their rows, purchases and segments.
import type { Chance } from '../../packages/engine/test/corpus/chance.ts';
import { zones } from '../../packages/engine/test/corpus/random-plan.ts';
import type { Must } from './random-catalogue.ts';

const customersPerCatalogue = 24;

/** IDs that start with a word that occurs in no other text, so that a dump can be searched for it (`markOf`). */
export const customersOf = (chance: Chance, tenant: string): string[] =>
  Array.from(
    { length: customersPerCatalogue },
    (_, at) => `zqxk${tenant.replace(/\W/g, '')}x${at}-${chance.pick(['a', 'Ünal', '😀', "O'Neil"])}`,
  );

/** The part of a customer's id that is unique and survives every text encoding. */
export const markOf = (customerId: string): string => `${customerId.split('-')[0]}-`;

/** A person's name, which occurs only in their row. */
const personName = (customerId: string): string => `Person ${customerId}`;

/** Three schemas (the customer's row, an account, purchases that are joined) and two segments, `vip` and `loyal`. */
export async function addPeople(
  must: Must,
  chance: Chance,
  customers: readonly string[],
  ids: Map<string, string>,
): Promise<void> {
  const column = (name: string, dataType: string, more: object = {}) => ({ name, dataType, ...more });
  const people = await must('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      column('customer_id', 'varchar', { length: 64, isPrimaryKey: true, isNullable: false }),
      column('full_name', 'text'),
      column('age', 'integer'),
      column('job', 'text'),
      column('account_id', 'text'),
      column('preferred_channel', 'text'),
      column('preferred_product_type', 'text'),
      column('interests', 'jsonb'),
      column('balance', 'numeric', { precision: 12, scale: 2 }),
      column('joined', 'date'),
      column('zone', 'text'),
    ],
  });
  const accounts = await must('schemas', {
    name: 'accounts',
    displayName: 'Accounts',
    schemaType: 'account',
    fields: [
      column('key', 'varchar', { isPrimaryKey: true, isNullable: false }),
      column('tier', 'text'),
      column('limit_eur', 'integer'),
    ],
  });
  const purchases = await must('schemas', {
    name: 'purchases',
    displayName: 'Purchases',
    schemaType: 'event',
    fields: [column('buyer', 'varchar', { length: 64 }), column('amount', 'numeric', { precision: 12, scale: 2 })],
  });
  ids.set('people', people).set('accounts', accounts).set('purchases', purchases);
  // The last ones are unknown customers.
  const known = customers.slice(0, -4);
  await must(`schemas/${people}/data`, {
    rows: known.map((customer_id) => ({
      customer_id,
      full_name: personName(customer_id),
      age: chance.int(17, 80),
      job: chance.pick(['cook', 'nurse', 'Lokführer', null]),
      account_id: chance.pick(['A1', 'A2', null]),
      preferred_channel: chance.pick(['email', 'web', null]),
      preferred_product_type: chance.pick(['card', 'LOAN', null]),
      interests: chance.some(['card', 'Travel', 'vip'], 0.5),
      balance: chance.int(-500, 500_000) / 100,
      joined: `20${chance.int(10, 25)}-0${chance.int(1, 9)}-1${chance.int(0, 9)}`,
      zone: chance.pick([...zones, 'Nowhere/Else', null]),
    })),
  });
  await must(`schemas/${accounts}/data`, {
    rows: [
      { key: 'A1', tier: 'gold', limit_eur: chance.int(0, 5000) },
      { key: 'A2', tier: 'basic', limit_eur: null },
    ],
  });
  const rows = known.flatMap((buyer) =>
    Array.from({ length: chance.int(0, 5) }, () => ({ buyer, amount: chance.int(0, 90_000) / 100 })),
  );
  await must(`schemas/${purchases}/data`, { rows });
  await must('schema-joins', {
    name: 'what they bought',
    primarySchemaId: people,
    primaryKey: 'customer_id',
    foreignSchemaId: purchases,
    foreignKey: 'buyer',
    autoEnrich: true,
    summaryColumns: ['amount'],
  });
  const segment = (name: string, field: string, operator: string, value: unknown) =>
    must('segments', {
      name,
      status: 'active',
      baseSchemaId: people,
      joins: [],
      filters: [{ field, operator, value }],
    });
  await segment('vip', 'balance', 'gt', 2000);
  await segment('loyal', 'age', 'gte', chance.int(30, 60));
}
