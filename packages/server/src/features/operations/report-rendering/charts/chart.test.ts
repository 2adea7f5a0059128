import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../../../test/form.ts';
import { showRows } from '../display.ts';
import { groupsAsColumns } from '../group-columns.ts';
import type { ReportChart, ReportSection } from '../report-document.ts';
import { column, sectionOf } from '../test-documents.ts';
import { drawChart } from './chart.ts';
import { chartDataOf } from './chart-data.ts';
import { type Drawing, type Shape, ticksFor } from './chart-drawing.ts';
import { measureRoughly } from './chart-svg.ts';

/** What charts draw, before conversion to SVG or PDF. */

function drawn(section: ReportSection, width = 840): Drawing {
  const data = chartDataOf(section, 'UTC');
  assert.ok(data !== null && section.chart !== undefined);
  return drawChart(section.chart, data, width, measureRoughly);
}
const of = <Kind extends Shape['kind']>(drawing: Drawing, kind: Kind): Extract<Shape, { kind: Kind }>[] =>
  drawing.shapes.filter((shape): shape is Extract<Shape, { kind: Kind }> => shape.kind === kind);
const texts = (drawing: Drawing): string[] => of(drawing, 'text').map(({ text }) => text);

const columns = [
  column('x', 'text'),
  column('a', 'integer', 'A'),
  column('b', 'integer', 'B'),
  column('r', 'ratio', 'R'),
];
const chartOf = (kind: ReportChart['kind'], ...y: string[]): ReportChart => ({ kind, x: 'x', y });

test('horizontal bars are as long as their figures from zero, negative ones to the left', () => {
  const rows = [
    { x: 'one', a: 100 },
    { x: 'two', a: 50 },
    { x: 'three', a: -50 },
    { x: 'four', a: 0 },
    { x: 'five', a: null },
  ];
  const drawing = drawn(sectionOf({ columns, rows, chart: chartOf('bar', 'a') }));
  const [one, two, three, ...more] = of(drawing, 'bar');
  assert.ok(one && two && three);
  assert.deepEqual(more, [], 'nothing and null have no bar');
  assert.ok(Math.abs(one.width - 2 * two.width) < 1e-9);
  assert.ok(Math.abs(three.width - two.width) < 1e-9);
  assert.equal(one.x, two.x);
  assert.ok(Math.abs(three.x + three.width - one.x) < 1e-9);
  for (const written of ['100', '50', '−50', '0', '–', 'one']) assert.ok(texts(drawing).includes(written), written);
});

test('series of unlike size or type get separate scales', () => {
  const rows = [
    { x: '1', a: 1000, b: 41, r: 0.5 },
    { x: '2', a: 900, b: 30, r: 0.2 },
  ];
  const panels = (...y: string[]) =>
    chartDataOf(sectionOf({ columns, rows, chart: chartOf('line', ...y) }), 'UTC')?.panels;
  assert.equal(panels('a', 'b')?.length, 1, '24 times');
  assert.equal(panels('a', 'r')?.length, 2, 'counts and shares');
  const apart = rows.map((row) => ({ ...row, b: row.b - 2 }));
  assert.equal(
    chartDataOf(sectionOf({ columns, rows: apart, chart: chartOf('line', 'a', 'b') }), 'UTC')?.panels.length,
    2,
    '26 times',
  );
});

test('a line breaks at a missing value; a single value is a dot', () => {
  const rows = [1, 2, null, 4, null, 6, 7].map((a, at) => ({ x: String(at), a }));
  const drawing = drawn(sectionOf({ columns, rows, chart: chartOf('line', 'a') }));
  assert.deepEqual(
    of(drawing, 'line').map(({ points }) => points.length),
    [2, 2],
  );
  assert.equal(of(drawing, 'dot').length, 1);
});

test("reports rows that aren't drawn", () => {
  const rows = Array.from({ length: 57 }, (_, at) => ({ x: `Offer ${at}`, a: at, b: at }));
  const data = chartDataOf(sectionOf({ columns, rows, chart: chartOf('bar', 'a', 'b') }), 'UTC');
  assert.deepEqual([data?.labels.length, data?.left], [15, 42]);
});

test('stacked groups of a histogram become series of one bin each', () => {
  const own = [column('group', 'text'), column('from', 'decimal'), column('scores', 'integer')];
  const rows = ['web', 'mail'].flatMap((group, place) =>
    [0, 0.5, 1].map((from, at) => ({ group, from, scores: 10 * place + at })),
  );
  const chart: ReportChart = { kind: 'histogram', x: 'from', y: ['scores'] };
  const data = chartDataOf(sectionOf({ columns: own, rows, chart }), 'UTC');
  assert.deepEqual(data?.labels, ['0.0', '0.5', '1.0']);
  assert.deepEqual(
    data?.panels.map(({ series }) => series.map(({ label, values }) => [label, values])),
    [
      [
        ['web', [null, 1, 2]],
        ['mail', [10, 11, 12]],
      ],
    ],
  );
});

test('missing columns and non-numbers draw nothing', () => {
  const rows = [{ x: 'a', a: null }];
  for (const chart of [chartOf('bar', 'a'), chartOf('bar', 'zzz'), { kind: 'bar', x: 'zzz', y: ['a'] } as const]) {
    assert.equal(chartDataOf(sectionOf({ columns, rows, chart }), 'UTC'), null);
  }
});

/** Zero, or far from underflow, as the figures of a chart are. */
const figure = fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((value) => (Math.abs(value) < 1e-12 ? 0 : value));

test('an axis starts at or below the smallest value, ends at or above the largest, and includes zero', () => {
  fc.assert(
    fc.property(fc.array(figure, { maxLength: 5 }), (values) => {
      const ticks = ticksFor(values, 4);
      assert.ok(ticks.length >= 2 && ticks.length <= 8, String(ticks));
      const slack = 1e-6 * ((ticks[1] ?? 0) - (ticks[0] ?? 0));
      assert.ok(
        Math.min(0, ...values) >= (ticks[0] ?? 0) - slack && Math.max(0, ...values) <= (ticks.at(-1) ?? 0) + slack,
      );
      assert.ok(ticks.some((tick) => Math.abs(tick) <= slack));
    }),
  );
});

test('draws everything within the chart, whatever the figures', () => {
  const value = fc.oneof(fc.double({ noNaN: false }), fc.integer(), fc.constant(null));
  const row = fc.record({ x: fc.string({ maxLength: 60 }), a: value, b: value, r: value });
  const kinds = fc.constantFrom<ReportChart['kind']>('line', 'bar', 'funnel', 'histogram');
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 30 }),
      kinds,
      fc.constantFrom(350, 840),
      (rows, kind, width) => {
        const section = sectionOf({ columns, rows, chart: chartOf(kind, 'a', 'b', 'r') });
        const data = chartDataOf(section, 'UTC');
        if (data === null || section.chart === undefined) return;
        const drawing = drawChart(section.chart, data, width, measureRoughly);
        const inside = ([x, y]: readonly [number, number]): boolean =>
          x >= -1 && x <= width + 1 && y >= -1 && y <= drawing.height + 1;
        for (const shape of drawing.shapes) {
          const points: (readonly [number, number])[] =
            shape.kind === 'rule'
              ? [
                  [shape.x1, shape.y1],
                  [shape.x2, shape.y2],
                ]
              : shape.kind === 'bar'
                ? [
                    [shape.x, shape.y],
                    [shape.x + shape.width, shape.y + shape.height],
                  ]
                : 'points' in shape
                  ? [...shape.points]
                  : [shape.at];
          for (const point of points) assert.ok(inside(point), `${JSON.stringify(shape)} of ${drawing.height}`);
        }
      },
    ),
    randomCases(200),
  );
});

test("doesn't draw a chart of zeros, and puts no tick between two counts", () => {
  const zeros = [0, 0, null].map((a, at) => ({ x: String(at), a }));
  assert.equal(chartDataOf(sectionOf({ columns, rows: zeros, chart: chartOf('line', 'a') }), 'UTC'), null);
  const few = [0, 1, 1].map((a, at) => ({ x: String(at), a, r: a }));
  const labels = (...y: string[]) => texts(drawn(sectionOf({ columns, rows: few, chart: chartOf('line', ...y) })));
  assert.ok(labels('a').every((text) => !text.includes('.')));
  assert.ok(labels('r').includes('50 %'), 'shares have ticks in between');
});

test('bars match the table', () => {
  const rows = [
    { offer: 'Gold', mean: 9.125 },
    { offer: 'Silver', mean: 1234.5 },
  ];
  const section = sectionOf({
    columns: [column('offer', 'text'), column('mean', 'decimal')],
    rows,
    chart: { kind: 'bar', x: 'offer', y: ['mean'] },
  });
  const shown = texts(drawn(section));
  for (const [, cell = ''] of rows.map(showRows(section, 'UTC'))) assert.ok(shown.includes(cell), cell);
});

test('scores of many groups are one column each, and omitted groups are counted', () => {
  const groups = Array.from({ length: 12 }, (_, at) => `Offer ${at}`);
  const rows = groups.flatMap((offer, at) =>
    [0, 0.5, 1].map((from) => ({ offer, from, to: from + 0.5, scores: from === 1 ? 0 : at })),
  );
  const section = sectionOf({
    columns: [
      column('offer', 'text', 'Offer'),
      column('from', 'decimal'),
      column('to', 'decimal'),
      column('scores', 'integer'),
    ],
    rows,
    chart: { kind: 'histogram', x: 'from', y: ['scores'] },
  });
  const shown = groupsAsColumns(section);
  assert.deepEqual(
    shown.columns.map(({ label }) => label),
    ['from', 'to', ...groups.slice(0, 8)],
  );
  assert.equal(shown.rows.length, 2);
  assert.deepEqual(Object.values(shown.rows[1] ?? {}), [0.5, 1, null, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(shown.notes, ['4 more offers not shown here; the CSV file lists all of them.']);
  assert.deepEqual(groupsAsColumns(shown), shown, 'a second time changes nothing');
});
