import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ContentServer, startContentServer } from './test-content.ts';

let contents: ContentServer;
before(async () => {
  contents = await startContentServer();
});
after(() => contents.server.close());

async function rendered(item: Record<string, unknown>, request: Record<string, unknown> = {}) {
  const { id } = await contents.make(item);
  return contents.render(id, request);
}

test('renders each block type as HTML and as text', async () => {
  const answer = await rendered(
    {
      blocks: [
        { type: 'heading', props: { text: 'A & {name}', align: 'center' } },
        { type: 'heading', props: { text: 'Six', level: 6 } },
        { type: 'text', props: { text: '**bold** and *slanted*, [a {name} link](https://x.test/?q={name})\nline 2' } },
        {
          type: 'image',
          props: { imageUrl: 'https://x.test/a.png', alt: 'An "{name}"', linkUrl: '{link}', width: 300 },
        },
        { type: 'button', props: { text: 'Go', url: 'https://x.test/go', style: 'secondary' } },
        { type: 'divider', props: { height: 2 } },
        { type: 'spacer', props: {} },
        { type: 'html', props: { html: '<p class="x">Raw {name}</p><p>two</p>' } },
        {
          type: 'columns',
          props: { widths: [30, 70] },
          children: [
            { type: 'column', children: [{ type: 'text', props: { text: 'left' } }] },
            { type: 'column', children: [{ type: 'text', props: { text: 'right' } }] },
          ],
        },
        { type: 'offer', props: { fields: ['name', 'shortDesc', 'imageUrl', 'ctaText', 'ctaUrl'] } },
        { type: 'list', props: { items: ['one', '**two**'], ordered: true } },
      ],
    },
    {
      customer: { name: 'Ada', link: 'https://x.test/?a=1&b=2' },
      offer: {
        name: 'Gold',
        shortDesc: 'Short',
        imageUrl: 'https://x.test/o.png',
        metadata: { ctaText: 'Now', ctaUrl: 'https://x.test/n' },
      },
    },
  );
  assert.equal(
    answer.html,
    [
      '<h2 style="text-align: center">A &amp; Ada</h2><h6>Six</h6>',
      '<p><strong>bold</strong> and <em>slanted</em>, <a href="https://x.test/?q=Ada">a Ada link</a><br>line 2</p>',
      '<a href="https://x.test/?a=1&amp;b=2"><img src="https://x.test/a.png" alt="An &quot;Ada&quot;" width="300" /></a>',
      '<a class="button secondary" href="https://x.test/go">Go</a><hr style="height: 2px" />',
      '<div style="height: 16px"></div><p class="x">Raw Ada</p><p>two</p>',
      '<table role="presentation" width="100%"><tr><td valign="top" width="30%"><p>left</p></td>',
      '<td valign="top" width="70%"><p>right</p></td></tr></table>',
      '<p><img src="https://x.test/o.png" alt="" /></p><h3>Gold</h3><p>Short</p>',
      '<a class="button primary" href="https://x.test/n">Now</a><ol><li>one</li><li><strong>two</strong></li></ol>',
    ].join(''),
  );
  assert.equal(
    answer.text,
    [
      'A & Ada',
      'Six',
      'bold and slanted, a Ada link (https://x.test/?q=Ada)\nline 2',
      'An "Ada" (https://x.test/?a=1&b=2)',
      'Go (https://x.test/go)',
      '---',
      'Raw Ada\ntwo',
      'left\n\nright',
      'Gold\nShort\nNow (https://x.test/n)',
      '1. one\n2. two',
    ].join('\n\n'),
  );
  assert.deepEqual([answer.content.html, answer.content.text, answer.missing], [answer.html, answer.text, []]);
});

test('an offer without a link or an image shows neither', async () => {
  const blocks = [{ type: 'offer', props: { fields: ['imageUrl', 'ctaText', 'ctaUrl'] } }];
  const answer = await rendered({ blocks }, { offer: { ctaText: 'Go', ctaUrl: 'javascript:alert(1)' } });
  assert.deepEqual([answer.html, answer.text], ['<a class="button primary">Go</a>', 'Go']);
});

test('keys of the content win over blocks; an item without blocks has neither', async () => {
  const blocks = [{ type: 'text', props: { text: 'block' } }];
  const both = await rendered({ content: { html: '<i>own</i>', text: 'own' }, blocks });
  assert.deepEqual([both.html, both.text], ['<i>own</i>', 'own']);
  const one = await rendered({ content: { text: 'own' }, blocks });
  assert.deepEqual([one.html, one.text], ['<p>block</p>', 'own']);
  const none = await rendered({ content: { subject: 'S' } });
  assert.deepEqual([none.html, none.text, none.content], [null, null, { subject: 'S' }]);
});

test('finds where the value of a token comes from, and lists missing ones', async () => {
  const answer = await rendered(
    {
      channelType: 'sms',
      content: {
        body: '{who} {plain} {{no|in place}} {customer.city} {attributes.page} {offer.name} {absent} {offer.gone} {absent} \\{x}',
      },
      blocks: [{ type: 'text', props: { text: '{late} {absent}' } }],
      personalization: { who: { source: 'customer.nobody', fallback: 'you' }, unused: 'customer.x' },
    },
    { customer: { plain: 'p', city: 'Oslo' }, attributes: { page: 'home' }, offer: { name: 'Gold' } },
  );
  assert.equal(answer.content.body, 'you p in place Oslo home Gold    {x}');
  assert.deepEqual(answer.missing, ['absent', 'offer.gone', 'late']);
});

test('reads the profile of a customer, which given attributes override; an unknown one has none', async () => {
  const schema = await contents.server.call<{ id: string }>('POST', '/api/v1/schemas', {
    body: {
      name: 'people',
      displayName: 'People',
      entityType: 'customer',
      schemaType: 'customer',
      autoEnrich: true,
      fields: [
        { name: 'customer_id', dataType: 'varchar', length: 64, isPrimaryKey: true, isNullable: false },
        { name: 'first_name', dataType: 'text' },
        { name: 'city', dataType: 'text' },
      ],
    },
  });
  assert.equal(schema.status, 201, schema.text);
  const rows = [{ customer_id: 'ada', first_name: 'Ada', city: 'Oslo' }];
  await contents.server.call('POST', `/api/v1/schemas/${schema.body.id}/data`, { body: { rows } });
  const item = { channelType: 'sms', content: { body: '{first_name} of {city}' } };
  assert.equal((await rendered(item, { customerId: 'ada' })).content.body, 'Ada of Oslo');
  assert.equal((await rendered(item, { customerId: 'ada', customer: { city: 'Rome' } })).content.body, 'Ada of Rome');
  const unknown = await rendered(item, { customerId: 'nobody' });
  assert.deepEqual([unknown.content.body, unknown.missing], [' of ', ['first_name', 'city']]);
});

test('renders an earlier version, and responds 404 for an unknown one', async () => {
  const { id } = await contents.make({ content: { body: 'one' } });
  await contents.change(id, { content: { body: 'two' } });
  assert.deepEqual((await contents.render(id, { version: 1 })).content, { body: 'one' });
  assert.partialDeepStrictEqual(await contents.render(id), { version: 2, content: { body: 'two' } });
  assert.equal((await contents.call('POST', `/${id}/render`, { version: 3 })).status, 404);
  for (const version of [0, -1, 1.5, '1']) {
    assert.equal((await contents.call('POST', `/${id}/render`, { version })).status, 400);
  }
});
