// Pages of 25 rows and bulk inserts through the API, against the same statements sent to PostgreSQL by its driver alone:
// same rows, same role, forced row-level security, without HTTP, validation, shaping and audit.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type BenchTarget, headersOf, post } from './bench/bench-catalogue.ts';
import { median } from './bench/bench-load.ts';
import { ms, n0, type Row } from './bench/bench-report.ts';

/** The measured tenant, filled by `loadCatalogue`, and its database. */
export interface CatalogueTarget extends BenchTarget {
  readonly databaseUrl: string;
  readonly tenantId: string;
}

const pageRows = 25;
const callsPerRound = 120;
const rowsPerInsert = 10_000;

interface Page {
  readonly name: string;
  readonly path: string;
  /** The statements that a page of it needs, with the tenant as $1. */
  readonly statements: readonly string[];
}

const listOf = (table: string): string[] => [
  `select count(*) from arbiter.${table} where tenant_id = $1 and deleted_at is null`,
  `select * from arbiter.${table} where tenant_id = $1 and deleted_at is null
   order by created_at desc, id desc limit ${pageRows + 1}`,
];

/** Runs `work` this many times in sequence; returns the median in ms. */
async function middleOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const at = performance.now();
    await work();
    took.push(performance.now() - at);
  }
  return median(took);
}

async function get(target: BenchTarget, path: string): Promise<void> {
  const response = await fetch(`${target.url}/api/v1/${path}`, { headers: headersOf(target) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
}

/** Statements in one transaction of the tenant, as the product's own run. */
async function inTenant(client: pg.Client, tenantId: string, work: () => Promise<unknown>): Promise<void> {
  await client.query('begin');
  await client.query(`select set_config('app.tenant', $1, true)`, [tenantId]);
  await work();
  await client.query('commit');
}

/** Rows of the report, both sides in turns, this many rounds. Leaves two tables of its own in the tenant. */
export async function measureCatalogue(target: CatalogueTarget, rounds: number): Promise<Row[]> {
  const client = new pg.Client({ connectionString: target.databaseUrl });
  await client.connect();
  const schema = await post(target, 'schemas', bulkSchema('bulk'));
  await post(target, 'schemas', bulkSchema('bulk_bare'));
  const bareTable = `t_${target.tenantId.replaceAll('-', '')}.ds_bulk_bare`;
  const pages: readonly Page[] = [
    { name: 'offers', path: `offers?limit=${pageRows}`, statements: listOf('offers') },
    { name: 'creatives', path: `creatives?limit=${pageRows}`, statements: listOf('creatives') },
    {
      name: `rows of a schema, ${n0(rowsPerInsert * rounds)} at the end`,
      path: `schemas/${String(schema.id)}/data?limit=${pageRows}`,
      statements: [
        `select count(*) from ${bareTable} where $1::uuid is not null`,
        `select * from ${bareTable} where $1::uuid is not null order by customer_id limit ${pageRows}`,
      ],
    },
  ];
  const figures = pages.map(() => ({ ours: [] as number[], bare: [] as number[] }));
  const inserts = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const rows = bulkRows(round);
    const path = `schemas/${String(schema.id)}/data`;
    inserts.ours.push(await middleOf(1, () => post(target, path, { rows })));
    const insert = `insert into ${bareTable} (customer_id, age, balance, segment, joined)
      select customer_id, age, balance, segment, joined from json_to_recordset($1::json)
        as given (customer_id varchar, age integer, balance numeric, segment varchar, joined date)`;
    inserts.bare.push(
      await middleOf(1, () => inTenant(client, target.tenantId, () => client.query(insert, [JSON.stringify(rows)]))),
    );
    for (const [at, page] of pages.entries()) {
      figures[at]?.ours.push(await middleOf(callsPerRound, () => get(target, page.path)));
      const statements = async (): Promise<void> => {
        for (const text of page.statements) await client.query(text, [target.tenantId]);
      };
      figures[at]?.bare.push(await middleOf(callsPerRound, () => inTenant(client, target.tenantId, statements)));
    }
  }
  await client.end();
  const perSecond = (tookMs: number): number => (rowsPerInsert * 1000) / tookMs;
  return [
    ...pages.map((page, at) => {
      const ours = median(figures[at]?.ours ?? []);
      const alone = median(figures[at]?.bare ?? []);
      return {
        measure: `a page of ${pageRows}: ${page.name}`,
        bar: '',
        measured: `${ms(ours)}; its statements alone ${ms(alone)}: ${(ours / alone).toFixed(1)} times`,
        met: null,
      };
    }),
    {
      measure: `rows/s into a schema, ${n0(rowsPerInsert)} a request, one caller`,
      bar: '',
      measured:
        `${n0(perSecond(median(inserts.ours)))}; the insert alone ${n0(perSecond(median(inserts.bare)))}: ` +
        `${(median(inserts.ours) / median(inserts.bare)).toFixed(1)} times as long`,
      met: null,
    },
  ];
}

const bulkSchema = (name: string): object => ({
  name,
  displayName: name,
  schemaType: 'account',
  fields: [
    { name: 'customer_id', dataType: 'varchar', length: 32, isPrimaryKey: true, isNullable: false },
    { name: 'age', dataType: 'integer' },
    { name: 'balance', dataType: 'numeric', precision: 12, scale: 2 },
    { name: 'segment', dataType: 'varchar', length: 16 },
    { name: 'joined', dataType: 'date' },
  ],
});

const bulkRows = (round: number): object[] => {
  const salt = randomBytes(2).toString('hex');
  return Array.from({ length: rowsPerInsert }, (_, i) => ({
    customer_id: `${round}-${salt}-${i}`,
    age: 18 + (i % 70),
    balance: `${(i * 7919) % 20_000}.50`,
    segment: ['mass', 'affluent', 'private'][i % 3],
    joined: `20${10 + (i % 15)}-0${1 + (i % 9)}-1${i % 10}`,
  }));
};
