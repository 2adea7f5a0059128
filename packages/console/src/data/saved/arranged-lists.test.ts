// What the browser remembers about arranged lists.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { operations } from '@arbiter/contract/all-operations';
import type { Operation } from '@arbiter/contract/core/operation';
import { MemoryStorage, setGlobals, signOut } from '../test-browser.ts';
import { customerFilters, deleteView, maxViews, refusalOf, saveView, viewsOf } from './saved-views.ts';
import { chooseColumns, chooseDensity, tableLooks } from './table-looks.ts';

const store = new MemoryStorage();
const { kept: items } = store;
let restore: () => void;

/** What a reload does: the page knows only what the browser has kept. */
const reload = signOut;
const named = (part: string): string => [...items.keys()].find((name) => name.endsWith(`:${part}`)) ?? '';

suite('arranged lists', () => {
  beforeEach(() => {
    items.clear();
    restore = setGlobals({ localStorage: store });
    reload();
  });
  afterEach(() => restore());

  test('stores row height and columns across reloads', () => {
    chooseDensity('compact');
    chooseColumns('offers.list', ['name', 'status']);
    chooseColumns('decisions.list', ['customer']);
    reload();
    assert.deepEqual(tableLooks(), {
      density: 'compact',
      columns: { 'offers.list': ['name', 'status'], 'decisions.list': ['customer'] },
    });
  });

  test('stores nothing for default columns', () => {
    chooseColumns('offers.list', ['name']);
    chooseColumns('offers.list', null);
    assert.equal(items.size, 0);
    chooseDensity('comfortable');
    chooseColumns('offers.list', null);
    assert.equal(tableLooks().density, 'comfortable');
  });

  test('ignores invalid stored values', () => {
    chooseDensity('compact');
    const name = named('tables');
    for (const text of ['{', '7', 'null', '{"density":"huge","columns":[1]}', '{"columns":{"offers.list":[1,null]}}']) {
      items.set(name, text);
      reload();
      assert.equal(tableLooks().density, null, text);
      assert.deepEqual(tableLooks().columns['offers.list'] ?? [], [], text);
    }
    saveView('offers.list', { name: 'Mine', search: '?a=1' });
    items.set(named('views'), '{"offers.list":[{"name":1},"x",{"name":"Good","search":"?a=1"}],"decisions.list":7}');
    reload();
    assert.deepEqual(viewsOf('offers.list'), [{ name: 'Good', search: '?a=1' }]);
    assert.deepEqual(viewsOf('decisions.list'), []);
  });

  test('stores views per list, in the order of their names', () => {
    assert.equal(saveView('offers.list', { name: ' Retention ', search: '?status=active' }), null);
    assert.equal(saveView('offers.list', { name: 'drafts', search: '?status=draft' }), null);
    reload();
    assert.deepEqual(
      viewsOf('offers.list').map(({ name }) => name),
      ['drafts', 'Retention'],
    );
    assert.deepEqual(viewsOf('creatives.list'), []);
  });

  test('renames, updates and deletes a view', () => {
    saveView('offers.list', { name: 'One', search: '?a=1' });
    assert.equal(saveView('offers.list', { name: 'Uno', search: '?a=1' }, 'One'), null);
    assert.equal(saveView('offers.list', { name: 'Uno', search: '?a=2' }, 'Uno'), null);
    assert.deepEqual(viewsOf('offers.list'), [{ name: 'Uno', search: '?a=2' }]);
    deleteView('offers.list', 'nobody');
    deleteView('offers.list', 'Uno');
    assert.deepEqual(viewsOf('offers.list'), []);
    assert.equal(items.size, 0);
  });

  test('rejects views without a name, with a long or duplicate name, and beyond the limit', () => {
    saveView('offers.list', { name: 'One', search: '?a=1' });
    const refused = (name: string) => saveView('offers.list', { name, search: '?a=2' });
    assert.equal(refused('  '), 'unnamed');
    assert.equal(refused('x'.repeat(61)), 'long');
    assert.equal(refused('one'), 'taken');
    for (let count = 1; count < maxViews; count += 1) assert.equal(refused(`View ${count}`), null);
    assert.equal(refused('one more'), 'full');
    assert.equal(viewsOf('offers.list').length, maxViews);
    // One that is there already may still be changed.
    assert.equal(refusalOf('offers.list', { name: 'Two', search: '?a=2' }, 'One'), null);
  });

  test('never stores values that identify a customer', () => {
    assert.equal(saveView('decisions.list', { name: 'Sofia', search: '?customerId=CM-000001' }), 'customer');
    assert.equal(saveView('auditLogs.list', { name: 'Somebody', search: '?entityId=CM-000001' }), 'customer');
    const ofCustomer = '?entityType=customer&entityId=CM-000001';
    assert.equal(saveView('auditLogs.list', { name: 'Somebody', search: ofCustomer }), 'customer');
    assert.equal(items.size, 0);
    assert.equal(saveView('auditLogs.list', { name: 'An offer', search: '?entityType=offer&entityId=0199' }), null);
    // Ignores invalid entries, edited by hand or stored by an older version.
    items.set(named('views'), '{"decisions.list":[{"name":"Sofia","search":"?customerId=CM-000001"}]}');
    reload();
    assert.deepEqual(viewsOf('decisions.list'), []);
  });

  test('knows every filter of the API that names a customer', () => {
    const all: readonly Operation[] = Object.values(operations);
    const names = all.flatMap(({ query }) => Object.keys(Reflect.get(query ?? {}, 'properties') ?? {}));
    const ofCustomers = new Set(names.filter((name) => /customer/i.test(name)));
    assert.ok(ofCustomers.has('customerId'));
    for (const name of ofCustomers) assert.deepEqual(customerFilters(`?${name}=x`), [name]);
  });
});
