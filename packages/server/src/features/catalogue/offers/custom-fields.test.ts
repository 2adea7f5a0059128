import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Custom fields of categories and their values on offers, over the API (docs/design/api-catalogue.md 4). */

interface Answer {
  readonly id: string;
  readonly code: string;
  readonly status: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly customFields: readonly { readonly key: string; readonly type: string }[];
  readonly metadata: { readonly customFields?: Readonly<Record<string, unknown>> };
}

let server: TestServer;
before(async () => {
  server = await startTestServer({});
});
after(() => server?.close());

let counter = 0;
const send = (method: string, path: string, body: object) => server.call<Answer>(method, `/api/v1/${path}`, { body });
async function make(path: string, body: object): Promise<Answer> {
  const made = await send('POST', path, { name: `${path} ${++counter}`, ...body });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const offerWith = (where: object, customFields: object, more: object = {}) =>
  send('POST', 'offers', { name: `Offer ${++counter}`, ...where, metadata: { customFields }, ...more });

const all = [
  { key: 'note', type: 'text' },
  { key: 'fee', type: 'number', defaultValue: 5 },
  { key: 'on', type: 'boolean' },
  { key: 'tier', type: 'select', options: ['gold', 'black'] },
  { key: 'day', type: 'date' },
  { key: 'twice', type: 'computed', formula: 'fee * 2', outputType: 'number' },
];

describe('definitions', () => {
  const refused: readonly (readonly [object[], string])[] = [
    [[{ key: 'Fee', type: 'number' }], '/customFields/0/key'],
    [[{ key: `f${'x'.repeat(63)}`, type: 'number' }], '/customFields/0/key'],
    [[{ key: 'fee', type: 'money' }], '/customFields/0/type'],
    [
      [
        { key: 'fee', type: 'number' },
        { key: 'fee', type: 'text' },
      ],
      '/customFields/1/key',
    ],
    [[{ key: 'tier', type: 'select' }], '/customFields/0/options'],
    [[{ key: 'tier', type: 'select', options: [] }], '/customFields/0/options'],
    [[{ key: 'tier', type: 'select', options: ['a', 'a'] }], '/customFields/0/options'],
    [
      [{ key: 'tier', type: 'select', options: Array.from({ length: 201 }, (_, at) => `o${at}`) }],
      '/customFields/0/options',
    ],
    [[{ key: 'tier', type: 'select', options: ['a'], defaultValue: 'b' }], '/customFields/0/defaultValue'],
    [[{ key: 'fee', type: 'number', defaultValue: '5' }], '/customFields/0/defaultValue'],
    [[{ key: 'day', type: 'date', defaultValue: '2026-02-30' }], '/customFields/0/defaultValue'],
    [[{ key: 'note', type: 'text', defaultValue: 'x'.repeat(2001) }], '/customFields/0/defaultValue'],
    [[{ key: 'sum', type: 'computed' }], '/customFields/0/formula'],
    [[{ key: 'sum', type: 'computed', formula: '1 +' }], '/customFields/0/formula'],
    [[{ key: 'sum', type: 'computed', formula: 'fee + 1' }], '/customFields/0/formula'],
    [[{ key: 'sum', type: 'computed', formula: 'sum + 1' }], '/customFields/0/formula'],
    [[{ key: 'sum', type: 'computed', formula: '1', defaultValue: 1 }], '/customFields/0/defaultValue'],
    [[{ key: 'sum', type: 'computed', formula: '1', required: true }], '/customFields/0/required'],
    [[{ key: 'sum', type: 'computed', formula: '1', outputType: 'date' }], '/customFields/0/outputType'],
    [Array.from({ length: 501 }, (_, at) => ({ key: `f${at}`, type: 'text' })), '/customFields'],
  ];
  for (const [customFields, path] of refused) {
    it(`reject ${JSON.stringify(customFields).slice(0, 80)}`, async () => {
      const { status, body, text } = await send('POST', 'categories', { name: `C ${++counter}`, customFields });
      assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'validation_failed', path], text);
    });
  }

  it('accept all types, 500 fields, and unknown keys, which are named', async () => {
    const category = await make('categories', { customFields: all });
    assert.deepEqual(category.customFields, all);
    await make('categories', {
      customFields: Array.from({ length: 500 }, (_, at) => ({ key: `f${at}`, type: 'text' })),
    });
    const odd = { key: 'a', type: 'text', hint: 'x' };
    const named = await send('POST', 'categories', { name: 'odd', customFields: [odd] });
    assert.equal(named.headers['x-unknown-properties'], 'customFields[0].hint');
    assert.deepEqual(named.body.customFields, [odd]);
  });

  it("of a sub-category can use fields of the category in formulas, which then can't be removed", async () => {
    const category = await make('categories', { customFields: all });
    const categoryId = category.id;
    const own = [{ key: 'plus', type: 'computed', formula: 'twice + 1', outputType: 'number' }];
    const sub = await make('sub-categories', { categoryId, customFields: own });
    const without = await send('PUT', 'categories', {
      id: categoryId,
      customFields: all.filter(({ key }) => key !== 'twice'),
    });
    assert.equal(without.status, 400, without.text);
    assert.equal(without.body.errors[0]?.path, '/customFields');
    assert.match(without.body.errors[0]?.message ?? '', new RegExp(sub.id));
    const circle = await send('PUT', 'sub-categories', {
      id: sub.id,
      customFields: [{ key: 'fee', type: 'computed', formula: 'twice', outputType: 'number' }],
    });
    assert.deepEqual([circle.status, circle.body.errors[0]?.path], [400, '/customFields/0/formula'], circle.text);
  });
});

describe('values', () => {
  it('are checked by type at their own path; unknown keys are kept, computed ones rejected', async () => {
    const category = await make('categories', { customFields: all });
    const where = { categoryId: category.id };
    const wrong = { note: 1, fee: '5', on: 'yes', tier: 'red', day: '2026-02-30', twice: 4 };
    const refused = await offerWith(where, wrong);
    assert.equal(refused.status, 400);
    assert.deepEqual(
      refused.body.errors.map(({ path }) => path),
      Object.keys(wrong).map((key) => `/metadata/customFields/${key}`),
    );
    const right = { note: 'x', fee: 0, on: false, tier: 'gold', day: '2028-02-29', other: [1] };
    const made = await offerWith(where, right);
    assert.equal(made.status, 201, made.text);
    // Defaults are for display and aren't stored.
    assert.deepEqual(made.body.metadata.customFields, right);
  });

  it('are required when an offer is or becomes active', async () => {
    const { id: categoryId } = await make('categories', {
      customFields: [{ key: 'fee', type: 'number', required: true, defaultValue: 1 }],
    });
    const { id: free } = await make('categories', {});
    const draft = await offerWith({ categoryId }, {});
    assert.equal(draft.status, 201, draft.text);
    const path = '/metadata/customFields/fee';
    const { id } = draft.body;
    for (const changes of [
      { status: 'active' },
      { status: 'active', metadata: { customFields: { fee: null } } },
      { status: 'active', metadata: {} },
    ]) {
      const refused = await send('PUT', 'offers', { id, ...changes });
      assert.deepEqual([refused.status, refused.body.errors[0]?.path], [400, path], refused.text);
    }
    const active = await send('PUT', 'offers', { id, status: 'active', metadata: { customFields: { fee: 0 } } });
    assert.equal(active.status, 200, active.text);
    const emptied = await send('PUT', 'offers', { id, metadata: {} });
    assert.deepEqual([emptied.status, emptied.body.errors[0]?.path], [400, path]);
    const elsewhere = await offerWith({ categoryId: free }, {}, { status: 'active' });
    const moved = await send('PUT', 'offers', { id: elsewhere.body.id, categoryId });
    assert.deepEqual([moved.status, moved.body.errors[0]?.path], [400, path]);
  });

  it("prevent a change of type while offers hold values that don't match", async () => {
    const { id: categoryId } = await make('categories', {
      customFields: [
        { key: 'fee', type: 'number' },
        { key: 'note', type: 'text' },
      ],
    });
    const { id: subCategoryId } = await make('sub-categories', {
      categoryId,
      customFields: [{ key: 'note', type: 'boolean' }],
    });
    const plain = await offerWith({ categoryId }, { fee: 3, note: null });
    await offerWith({ categoryId, subCategoryId }, { note: true });
    const retype = (fee: object, note: object) =>
      send('PUT', 'categories', { id: categoryId, customFields: [fee, note] });
    const refused = await retype({ key: 'fee', type: 'text' }, { key: 'note', type: 'text' });
    assert.deepEqual([refused.status, refused.body.code, refused.body.errors.length], [409, 'in_use', 1], refused.text);
    assert.equal(refused.body.errors[0]?.path, '/customFields');
    assert.match(refused.body.errors[0]?.message ?? '', new RegExp(plain.body.id));
    // A null is no value, and the offer in the sub-category uses the sub-category's note.
    const date = await retype({ key: 'fee', type: 'number' }, { key: 'note', type: 'date' });
    assert.equal(date.status, 200, date.text);
    // Returning the note to the category would turn a boolean into a date.
    const back = await send('PUT', 'sub-categories', { id: subCategoryId, customFields: [] });
    assert.deepEqual([back.status, back.body.code], [409, 'in_use'], back.text);
    await send('DELETE', `offers/${plain.body.id}`, {});
    const free = await retype({ key: 'fee', type: 'text' }, { key: 'note', type: 'date' });
    assert.equal(free.status, 200, free.text);
  });

  it('follow one definition when both change at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id: categoryId } = await make('categories', { customFields: [{ key: 'fee', type: 'number' }] });
      const answers = await Promise.all([
        offerWith({ categoryId }, { fee: 1 }),
        send('PUT', 'categories', { id: categoryId, customFields: [{ key: 'fee', type: 'text' }] }),
        offerWith({ categoryId }, { fee: 2 }),
      ]);
      const { body } = await server.call<Answer>('GET', `/api/v1/categories/${categoryId}`);
      const offers = await server.call<{ data: Answer[] }>('GET', `/api/v1/offers?categoryId=${categoryId}`);
      const isText = body.customFields[0]?.type === 'text';
      assert.equal(answers[1].status, isText ? 200 : 409, answers[1].text);
      assert.equal(isText && offers.body.data.length > 0, false, 'a number is stored where a text belongs');
    }
  });
});
