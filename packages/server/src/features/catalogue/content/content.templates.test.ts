import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Preview, Problem } from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { type ContentServer, startContentServer } from './test-content.ts';

let contents: ContentServer;
before(async () => {
  contents = await startContentServer();
});
after(() => contents.server.close());

const text = (id: string, value: string) => ({ id, type: 'text', props: { text: value } });

test('merges the parent first: keys are added and removed, blocks replaced, removed and appended', async () => {
  const template = await contents.make({
    isTemplate: true,
    content: { subject: 'S', footer: 'F', deep: { a: 1, b: 2 }, list: [1, 2] },
    blocks: [text('head', 'H'), text('body', 'B'), text('foot', 'Z')],
    personalization: { who: { source: 'customer.name', fallback: 'you' }, gone: 'customer.x' },
  });
  const item = await contents.make({
    parentTemplateId: template.id,
    content: { subject: 'Own', footer: null, deep: { b: null, c: 3 }, list: [9] },
    blocks: [text('new', 'N'), text('body', 'Own'), { id: 'head', type: 'text', props: null }],
    personalization: { who: { fallback: 'friend' }, gone: null },
  });
  assert.deepEqual(item.parentTemplate, { id: template.id, name: template.name });
  const live = await contents.render(item.id);
  assert.partialDeepStrictEqual(live.content, { subject: 'Own', deep: { a: 1, c: 3 }, list: [9] });
  assert.equal('footer' in live.content, false);
  assert.equal(live.html, '<p>Own</p><p>Z</p><p>N</p>');
  const published = await contents.publish(item.id);
  assert.deepEqual(published.versions?.[0]?.merged, {
    content: { subject: 'Own', deep: { a: 1, c: 3 }, list: [9] },
    blocks: [text('body', 'Own'), text('foot', 'Z'), text('new', 'N')],
    personalization: { who: { source: 'customer.name', fallback: 'friend' } },
  });
});

test('a preview renders unsaved parts like a stored item, and stores nothing', async () => {
  const template = await contents.make({
    isTemplate: true,
    content: { subject: 'S', footer: 'F' },
    blocks: [text('head', 'Dear {who}'), text('body', 'B')],
    personalization: { who: { source: 'customer.name', fallback: 'you' } },
  });
  const own = { parentTemplateId: template.id, content: { subject: 'For {who}' }, blocks: [text('body', 'Own')] };
  const preview = (body: object) =>
    contents.call<Preview & Problem>(
      'POST',
      '/preview',
      { channelType: 'email', ...body },
      contents.tenant.keys.viewer,
    );
  const stored = await contents.make(own);
  const before = (await contents.call<{ pagination: { total: number } }>('GET', '')).body.pagination.total;
  for (const data of [{}, { customer: { name: 'Ada' } }]) {
    const { version: _, ...rendered } = await contents.render(stored.id, data);
    const unsaved = await preview({ ...own, ...data });
    assert.deepEqual([unsaved.status, unsaved.body], [200, rendered]);
  }
  // Blocks without an ID are new ones.
  const added = await preview({ blocks: [{ type: 'text', props: { text: '{nobody}' } }] });
  assert.deepEqual([added.body.html, added.body.missing], ['<p></p>', ['nobody']]);
  for (const [body, path] of [
    [{ blocks: [{ type: 'button', props: { text: 1 } }] }, '/blocks/0/props/text'],
    [{ personalization: { who: 'offer.name' } }, '/personalization/who'],
    [{ parentTemplateId: stored.id }, '/parentTemplateId'],
    [{ parentTemplateId: newId() }, '/parentTemplateId'],
  ] as const) {
    const refused = await preview(body);
    assert.deepEqual([refused.status, refused.body.errors[0]?.path], [400, path], refused.text);
  }
  assert.equal((await contents.call<{ pagination: { total: number } }>('GET', '')).body.pagination.total, before);
});

test("publishing freezes: children keep the old template, and say so, until they're published again", async () => {
  const template = await contents.make({ isTemplate: true, content: { a: 'one' } });
  await contents.publish(template.id);
  const item = await contents.make({ parentTemplateId: template.id, content: { b: 'own' } });
  const first = await contents.publish(item.id);
  assert.equal(first.parentOutdated, false);
  // Changing the working copy of a published template affects nothing.
  await contents.change(template.id, { content: { a: 'draft' } });
  assert.deepEqual((await contents.render(item.id)).content, { a: 'one', b: 'own' });
  await contents.publish(template.id);
  const outdated = (await contents.call('GET', `/${item.id}`)).body;
  assert.equal(outdated.parentOutdated, true);
  assert.equal(
    (await contents.call<{ data: { id: string; parentOutdated: boolean }[] }>('GET', `?search=${item.name}`)).body
      .data[0]?.parentOutdated,
    true,
  );
  const frozen = await contents.render(item.id, { version: first.publishedVersion });
  assert.deepEqual([frozen.version, frozen.content], [2, { a: 'one', b: 'own' }]);
  assert.deepEqual((await contents.render(item.id)).content, { a: 'draft', b: 'own' });
  await contents.change(item.id, {});
  assert.equal((await contents.publish(item.id)).parentOutdated, false);
  assert.deepEqual((await contents.render(item.id, { version: 4 })).content, { a: 'draft', b: 'own' });
});

test("an archived template still merges but can't be chosen again; a child that names it can be changed", async () => {
  const template = await contents.make({ isTemplate: true, content: { a: 'one' } });
  const item = await contents.make({ parentTemplateId: template.id });
  assert.equal((await contents.call('DELETE', `/${template.id}`)).status, 204);
  assert.deepEqual((await contents.render(item.id)).content, { a: 'one' });
  const again = await contents.change(item.id, { parentTemplateId: template.id });
  assert.equal(again.parentTemplateId, template.id);
  const refused = await contents.call('POST', '', { name: 'Late', channelType: 'sms', parentTemplateId: template.id });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [400, '/parentTemplateId']);
  assert.deepEqual((await contents.change(item.id, { parentTemplateId: null })).parentTemplate, null);
  assert.deepEqual((await contents.render(item.id)).content, {});
});

test('a parent must be a template of the tenant, at most five levels up, without cycles', async () => {
  const chain = [await contents.make({ isTemplate: true })];
  for (let level = 2; level <= 5; level++) {
    chain.push(await contents.make({ isTemplate: level < 5, parentTemplateId: chain.at(-1)!.id }));
  }
  const [first, second, , fourth, fifth] = chain;
  const refused = async (parentTemplateId: string, code: string, id?: string) => {
    const answer =
      id === undefined
        ? await contents.call('POST', '', { name: newId(), channelType: 'email', parentTemplateId })
        : await contents.call('PUT', `/${id}`, { parentTemplateId });
    assert.deepEqual([answer.status, answer.body.code], [400, code], answer.text);
    assert.equal(answer.body.errors?.[0]?.path, '/parentTemplateId');
  };
  const plain = await contents.make();
  await refused(plain.id, 'validation_failed');
  await refused(newId(), 'reference_not_found');
  await refused(first!.id, 'validation_failed', first!.id);
  await refused(fourth!.id, 'validation_failed', first!.id);
  await refused(second!.id, 'validation_failed', second!.id);
  // A sixth level, added from below and from above.
  const sixth = await contents.make({ isTemplate: true });
  const under = await contents.make({ isTemplate: true, parentTemplateId: fourth!.id });
  await refused(under.id, 'validation_failed', sixth.id);
  await refused(sixth.id, 'validation_failed', first!.id);
  await contents.change(fifth!.id, { parentTemplateId: sixth.id });
});

test("two changes at once can't create a cycle", async () => {
  for (let round = 0; round < 6; round++) {
    const [a, b] = [await contents.make({ isTemplate: true }), await contents.make({ isTemplate: true })];
    const answers = await Promise.all([
      contents.call('PUT', `/${a.id}`, { parentTemplateId: b.id }),
      contents.call('PUT', `/${b.id}`, { parentTemplateId: a.id }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  }
});
