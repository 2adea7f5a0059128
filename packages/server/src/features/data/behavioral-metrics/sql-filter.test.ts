import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newLiterals } from '../../catalogue/condition-sql/index.ts';
import { newRandom } from '../../deciding/interactions/test-history.ts';
import type { metricColumns } from './columns.rules.ts';
import { sqlFilterSql } from './event-sql.store.ts';
import { readSqlFilter, SqlFilterProblem } from './sql-filter.store.ts';
import { condition } from './sql-filter-tree.rules.ts';

const uuid = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';

/** Pieces in place of a constant, a condition, or nothing. */
const values = [
  ...['null', 'true', 'default', 'current_user', 'session_user', 'now()', 'pg_sleep(1)', 'version()', 'random()'],
  ...[
    "'1'::int",
    "cast('1' as int)",
    "int '1'",
    "'a' || 'b'",
    "E'a'",
    "e'\\x41'",
    "U&'\\0061'",
    "N'a'",
    "B'1'",
    "X'1F'",
  ],
  ...[
    '$$a$$',
    '$tag$a$tag$',
    '$1',
    ':name',
    '?',
    '@x',
    '(select 1)',
    '(values (1))',
    'array[1]',
    "'{a}'::text[]",
    'row(1)',
  ],
  ...['direction', 'outcome_type', 'h.direction', '"direction"', '*', '1 + 1', '-hour', '(1)::text', 'any (array[1])'],
  ...[
    "lower('A')",
    "coalesce('a', 'b')",
    'case when true then 1 end',
    'date_trunc(1)',
    "current_setting('app.tenant')",
  ],
  ...[
    'localtimestamp',
    'current_date',
    'interval 1',
    "timestamp '2026-01-01'",
    'nextval(1)',
    "dblink('x')",
    'exists (select 1)',
  ],
  ...[
    '\'a\' collate "C"',
    "xmlparse(document '')",
    "json_value('{}', '$')",
    'grouping(1)',
    '$body$',
    "'unclosed",
    "'a\\",
    "''''''",
  ],
];
const suffixes = [
  ...[
    '; drop table interactions',
    '-- comment',
    '/* comment */',
    '/* /* nested */ */',
    ' order by hour',
    ' limit 1',
    ' offset 1',
  ],
  ...[' group by hour', ' having true', ' for update', ' union select 1', ' union all select 1', ' intersect select 1'],
  ...[
    ' except select 1',
    ' window w as ()',
    ' fetch first row only',
    ') or (true',
    ' into x',
    ' returning 1',
    ';',
    ';;',
    ' \\g',
    '\u0000',
    '\ud800',
  ],
  ...[
    ' and true',
    ' or 1=1',
    " and 'a' = 'a'",
    ' and not false',
    ' or null',
    ' and exists (select 1)',
    ' and 1 in (1)',
  ],
  ...[' and hour', ' or direction', ' and (hour, value) = (1, 2)', ' and row(hour) = row(1)', ' and hour = hour'],
];
const conditions = [
  ...[
    '',
    ' ',
    '()',
    '1=1',
    'true',
    'false',
    'null',
    'not true',
    'hour',
    "'a'",
    '1',
    '*',
    'hour +',
    '= 1',
    'hour = ',
    'and',
    'not',
  ],
  ...[
    'tenant_id = 1',
    'customer_id is null',
    'context is null',
    'ctid is null',
    'xmin = 1',
    'tableoid = 1',
    'h is null',
  ],
  ...[
    'arbiter.interactions.hour = 1',
    'h.hour = 1',
    '"hour" = 1',
    'HOUR() = 1',
    'hour::int = 1',
    "(hour) :: text = '1'",
  ],
  ...[
    'hour + 1 = 2',
    'hour % 2 = 1',
    '-hour = 1',
    'hour * 1 > 2',
    'abs(hour) = 1',
    'extract(hour from occurred_at) = 1',
  ],
  ...["direction || '' = 'inbound'", "direction ~ 'a'", "direction ~* 'a'", "direction !~ 'a'", "direction ilike 'a'"],
  ...[
    "direction not ilike 'a'",
    "direction similar to 'a'",
    "direction ~~ 'a'",
    "direction !~~ 'a'",
    "direction ^@ 'a'",
    "direction @@ 'a'",
  ],
  ...[
    "direction like 'a' escape '!'",
    "direction like 'a\\'",
    'direction like direction',
    "hour like '1'",
    "offer_id like 'a'",
  ],
  ...[
    "direction operator(pg_catalog.=) 'a'",
    'hour operator(+) 1',
    'hour == 1',
    'hour => 1',
    'hour := 1',
    'hour <=> 1',
    'hour <<= 1',
  ],
  ...[
    'hour is true',
    'hour is not false',
    'hour is unknown',
    'hour isnull and',
    'hour is distinct from 1',
    'hour is not distinct from 1',
  ],
  ...[
    'direction is document',
    'direction is normalized',
    'hour between symmetric 1 and 2',
    'hour between 1 and hour',
    'hour between 1 and null',
  ],
  ...[
    'hour in (select 1)',
    'hour in ()',
    'hour in (1, hour)',
    'hour in (null)',
    'hour not in (values (1))',
    'hour = any (array[1])',
  ],
  ...[
    'hour = all (array[1])',
    "hour = any ('{1}')",
    'hour = some (select 1)',
    '(hour, value) in ((1, 2))',
    'hour in (1) in (2)',
  ],
  ...[
    "offer_id = 'x'",
    'offer_id = 1',
    `offer_id > '${uuid}'`,
    `offer_id between '${uuid}' and '${uuid}'`,
    `offer_id = '{${uuid}}'`,
  ],
  ...['hour = 1.5', "hour = '1'", 'hour = 99999999999', 'hour = 1e3', "value = '1'", 'value = 1e309', "value = 'NaN'"],
  ...[
    "occurred_at > 'now'",
    "occurred_at > 'yesterday'",
    "occurred_at > 'infinity'",
    "occurred_at > '2026-13-01'",
    'occurred_at > 1',
    "occurred_at > 'epoch'",
  ],
  ...[
    "direction = 'a' 'b' 'c' and",
    'direction = inbound',
    'direction = 1',
    "direction = 'a' AND (select true)",
    "'a' = 'a'",
    '1 < 2',
    'hour = hour',
  ],
  ...[
    'select 1',
    'with x as (select 1) select 1',
    'from interactions where true',
    'distinct hour = 1',
    'all hour = 1',
    'into x where hour = 1',
  ],
  ...[
    'hour = 1 where hour = 2',
    'hour = 1 from interactions',
    'hour = 1, hour = 2',
    '(hour = 1',
    'hour = 1)',
    '((hour = 1)',
    'hour = 1 hour = 2',
  ],
  ...[
    'begin',
    'commit; drop table x',
    'copy x to program',
    'set role x',
    'do $$ begin end $$',
    'explain hour = 1',
    'hour[1] = 1',
    'hour.x = 1',
    '(hour).x = 1',
  ],
  ...[
    `${'not '.repeat(11)}hour = 1`,
    `${'('.repeat(200)}hour = 1`,
    "current_user = 'a'",
    'pg_sleep(10) is null',
    "set_config('a', 'b', false) is null",
  ],
];
const hostile = [
  ...values.flatMap((value) => [`direction = ${value}`, `hour in (1, ${value})`, `value between 0 and ${value}`]),
  ...suffixes.flatMap((suffix) => [
    `hour = 1${suffix}`,
    `direction = 'inbound'${suffix}`,
    `(hour = 1 or value > 2)${suffix}`,
  ]),
  ...conditions,
].filter((text) => !text.endsWith("= ''''''"));

test('rejects every hostile filter', async () => {
  assert.ok(new Set(hostile).size >= 300, String(hostile.length));
  for (const text of hostile) {
    await assert.rejects(readSqlFilter(text), SqlFilterProblem, text);
  }
});

test('says where', async () => {
  for (const [text, message] of [
    ['hour = now()', 'must compare with constants at character 8'],
    ["direction = 'ä' and lower(direction) = 'a'", 'at character 21'],
    ["direction = 'ä' -- x", 'has a comment at character 17'],
    ['hour = 1 and and', 'has a syntax error at character 14'],
    ['hour = 1.5', 'must compare hour with an integer at character 8'],
  ] as const) {
    await assert.rejects(readSqlFilter(text), ({ message: actual }: Error) => actual.endsWith(message), text);
  }
});

const allColumns = (column: keyof typeof metricColumns) => `c.${column}`;
const rebuilt = async (text: string) => {
  const literals = newLiterals('parameters');
  const sql = sqlFilterSql(await readSqlFilter(text), allColumns, literals);
  return [sql, ...literals.values];
};

test('builds SQL of its own, with every constant as a parameter', async () => {
  assert.deepEqual(await rebuilt("DIRECTION='in''bound' AND NOT(5<Hour OR value BETWEEN -1 AND 2.50)"), [
    '((c.direction collate "C" = $1::text collate "C") and (not ((c.hour > $2::integer) or (c.value between $3::numeric and $4::numeric))))',
    ...["in'bound", '5', '-1', '2.50'],
  ]);
  assert.deepEqual(await rebuilt(`offerId in ('${uuid.toUpperCase()}') and sub_category_id is not null`), [
    '((c.offerId in ($1::uuid)) and (c.subCategoryId is not null))',
    uuid,
  ]);
  assert.deepEqual(await rebuilt("outcome_type not like 'a%\\_' and occurred_at >= '2026-11-20T01:00:00+01:00'"), [
    '((c.outcomeType collate "C" not like $1::text collate "C") and (c.occurredAt >= $2::timestamptz))',
    ...['a%\\_', '2026-11-20T00:00:00.000Z'],
  ]);
  assert.deepEqual(await rebuilt(`${'not '.repeat(9)}hour = 0`), [
    `${'(not '.repeat(9)}(c.hour = $1::integer)${')'.repeat(9)}`,
    '0',
  ]);
});

/** Random trees of the parser's shapes: kinds that are allowed and kinds that aren't, with fields of other kinds. */
function randomNode(random: () => number, depth: number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const node = () => randomNode(random, depth - 1);
  const list = () => Array.from({ length: Math.floor(random() * 3) }, node);
  const text = () => pick(['hour', 'direction', 'tenant_id', '=', '<>', '~', "x'; drop table x --", '', uuid]);
  const constant = () => ({
    A_Const: pick([
      { ival: { ival: 1 } },
      { ival: {} },
      { sval: { sval: text() } },
      { fval: { fval: '1.5' } },
      { isnull: true },
      { boolval: {} },
    ]),
  });
  const leaf = () =>
    pick([
      constant(),
      { ColumnRef: { fields: [{ String: { sval: text() } }] } },
      { ColumnRef: { fields: [{ A_Star: {} }] } },
      null,
      1,
      text(),
      [],
    ]);
  if (depth === 0) return leaf();
  const operands = {
    name: [{ String: { sval: text() } }],
    lexpr: pick([leaf(), node()]),
    rexpr: pick([constant(), node(), { List: { items: list() } }]),
  };
  return pick<() => unknown>([
    leaf,
    () => ({ BoolExpr: { boolop: pick(['AND_EXPR', 'OR_EXPR', 'NOT_EXPR', 'XOR']), args: list() } }),
    () => ({
      A_Expr: {
        kind: pick(['AEXPR_OP', 'AEXPR_IN', 'AEXPR_LIKE', 'AEXPR_BETWEEN', 'AEXPR_ILIKE', 'AEXPR_OP_ANY']),
        ...operands,
      },
    }),
    () => ({ NullTest: { arg: node(), nulltesttype: pick(['IS_NULL', 'IS_NOT_NULL']) } }),
    () => ({
      [pick(['FuncCall', 'SubLink', 'TypeCast', 'CaseExpr', 'RowExpr', 'CollateClause'])]: {
        arg: node(),
        args: list(),
      },
    }),
    () => ({ A_Expr: operands, FuncCall: {} }),
  ])();
}

test('builds only comparisons of columns with parameters, from any tree', () => {
  const random = newRandom(11);
  class Refused extends Error {}
  const refuse = (): never => {
    throw new Refused();
  };
  const word = String.raw`\(|\)|,|=|<>|<=|>=|<|>|and|or|not|is|null|in|like|between|collate|"C"|c\.[a-zA-Z]+|\$\d+::(?:text|uuid|integer|numeric|timestamptz)`;
  const allowed = new RegExp(`^(?:(?:${word})\\s*)+$`);
  let accepted = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const node = randomNode(random, 3);
    try {
      const sql = sqlFilterSql(condition(refuse, node, 1), allColumns, newLiterals('parameters'));
      assert.match(sql, allowed, JSON.stringify(node));
      accepted += 1;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  assert.ok(accepted > 20, String(accepted));
});
