import { breaking, type Canary, type Files, feature, folderOf, server } from './canary.ts';
import { featureTiers } from './tiers.ts';

/** A feature with its own table. */
const owner = featureTiers.flat().at(-1) ?? '';
const ownerFolder = `${server}/features/${folderOf(owner)}`;

const inserted = (name: string): string => `\${${name}}`;

/** Owners of the tables of docs/schema.sql, and what they may do, without faults of their own. */
export const tableFiles: Files = {
  [`${server}/db/tables.ts`]: "export const tables = ['versions'];\n",
  [`${feature}/index.ts`]: "export const x = 1;\nexport const tables = ['birds'];\n",
  [`${ownerFolder}/index.ts`]: "export const x = 1;\nexport const tables = ['plants'] as const;\n",
  [`${server}/db/pool.ts`]: "export const ready = (client) => client.query('select version from versions');\n",
  [`${ownerFolder}/plants.store.ts`]: [
    "const ofTenant = 'from arbiter.plants where tenant_id = $1';",
    `export const countPlants = (tx) => tx.query(\`select count(*) ${inserted('ofTenant')}\`, [tx.tenantId]);`,
    // A name that the statement gives its own subquery isn't a table, even if a table has the same name.
    "export const nested = (tx) => tx.query('with birds as (select id from plants) select id from birds');",
    "export const ages = (tx) => tx.query('select extract(year from birds.hatched) from plants as birds for update');",
    "export const save = (tx) => tx.query('insert into plants (id) values ($1) on conflict do update set id = $1');",
    "export const typed = (tx) => tx.kysely().selectFrom('plants').select('birds').execute();",
  ].join('\n'),
  // English that contains SQL words.
  [`${ownerFolder}/plants.service.ts`]: [
    "export const detail = 'Select a plant from the list, or update birds with another one.';",
    'export const hint = `delete the birds from plants`;',
    "export const labels = { select: 'select', table: 'roundtable' };",
  ].join('\n'),
};

const columns = 'select id, name';
/** Statements on a table that another feature owns. */
const onBirds = [
  "tx.query('select id from birds where tenant_id = $1')",
  'tx.query(`select p.id from plants p\n  left join arbiter.birds b on b.id = p.bird_id`)',
  "tx.query('select p.id from plants as p, birds b where b.id = p.bird_id')",
  `tx.query('${columns} ' + 'from birds')`,
  `tx.query(\`select id from ${inserted('place')} where tenant_id = $1\`)`,
  "tx.query('insert into birds (id) select id from plants')",
  "tx.query('with gone as (delete from birds returning id) select id from gone')",
  'tx.query(\'update only "birds" set name = $2\')',
  "tx.query('DELETE FROM arbiter.birds USING plants WHERE plants.bird_id = birds.id')",
  "tx.query('select arbiter.ensure_month_partitions($1::regclass)', ['arbiter.birds'])",
  "tx.kysely().selectFrom('birds as b').select('id').execute()",
  "tx.kysely().selectFrom('plants').innerJoin('birds', 'birds.id', 'plants.birdId').execute()",
  "tx.kysely().selectFrom(['plants', 'birds']).execute()",
  "listRecords(tx, { table: 'birds' })",
  "select(tx, columns(table('birds'), ['id']), '')",
  "tx.query(held ? 'select id from plants' : 'select id from birds')",
];

/** Statements outside a store. */
const anywhere = [
  'export const read = (tx) => tx.query(text);',
  "export const read = (tx) => tx['query'](text);",
  'export const read = (tx) => tx.kysely().insertInto(table).execute();',
  "export const text = 'select id from plants';",
  `export const text = \`\n  SELECT id\n  FROM ${inserted('table')}\`;`,
  "export const text = 'insert into plants (id) values ($1)';",
  "export const text = 'update plants p set id = $1';",
  "export const text = 'delete from plants where id = $1';",
  "export const text = 'with recursive chain as (' + 'select 1)' + rest;",
  "export const part = 'from plants where tenant_id = $1';",
  "export const part = 'left join plants p on p.id = b.id';",
  "export const statement = { name: 'plants.lock', text: 'select id from plants for update', values: [] };",
  "import { sql } from '../../../db/sql.ts';\nexport const now = sql`now()`;",
  "import { sql as raw } from '../../../db/sql.ts';\nexport const now = raw`now()`;",
];

const inRules = [
  "import { sql } from '../../../db/sql.ts';\nexport const now = sql`now()`;",
  "import { sql as raw } from '../../catalogue/catalogue-records/index.ts';\nexport const now = raw`now()`;",
  "import { newestVersion } from '../../../db/index.ts';\nexport const version = newestVersion;",
  "import { countPlants } from './plants.store.ts';\nexport const count = countPlants;",
  "export { sql } from 'kysely';",
];

export const sqlCanaries: readonly Canary[] = [
  ...breaking(
    'tables-are-named-by-their-owner',
    ownerFolder,
    onBirds.map((statement) => `const place = 'birds';\nexport const run = (tx, held) => ${statement};`),
    '.store.ts',
  ),
  // A folder that owns no tables can't name one either.
  ...breaking('tables-are-named-by-their-owner', `${server}/main`, [
    "export const text = 'select id from arbiter.plants';",
  ]),
  ...breaking('tables-are-named-by-their-owner', `${server}/db`, ["export const text = 'select id from plants';"]),
  {
    rule: 'tables-have-one-owner',
    files: {
      'docs/schema.sql':
        'create table birds (\n);\ncreate table plants (\n);\ncreate table versions (\n);\ncreate table orphans (\n);\n',
    },
  },
  // A second owner, and the owner of a missing table.
  { rule: 'tables-have-one-owner', files: { [`${server}/http/tables.ts`]: "export const tables = ['birds'];" } },
  { rule: 'tables-have-one-owner', files: { [`${server}/jobs/tables.ts`]: "export const tables = ['missing'];" } },
  ...breaking('sql-stands-in-stores', ownerFolder, anywhere, '.service.ts'),
  ...breaking('sql-stands-in-stores', `${server}/main`, ["export const read = (tx) => tx.query('select 1');"]),
  ...breaking('rules-know-no-database', ownerFolder, inRules, '.rules.ts'),
];
