import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { draftFlowConfig } from '@arbiter/contract';
import { type ContentServer, startContentServer } from '../../../catalogue/content/test-content.ts';

/** Creatives that take their content from a content item (docs/design/api-catalogue.md 3, 7; docs/design/api-settled.md 48, 106). */

interface Decided {
  readonly recommendationId: string;
  readonly decisions: readonly { readonly creativeId: string; readonly content: Record<string, unknown> }[];
}

let contents: ContentServer;
const ids = { offer: '', channel: '', creative: '' };
const decided: string[] = [];

const call = <Body = { id: string; code: string; version: number; errors: { path: string }[] }>(
  method: string,
  path: string,
  body?: unknown,
) => contents.server.call<Body>(method, `/api/v1/${path}`, { body });
async function create(path: string, body: Record<string, unknown>): Promise<string> {
  const made = await call('POST', path, body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

before(async () => {
  contents = await startContentServer({ tenants: 2 });
  const category = await create('categories', { name: 'Cards' });
  ids.channel = await create('channels', { name: 'Mail', channelType: 'email', status: 'active' });
  ids.offer = await create('offers', { name: 'Gold', status: 'active', categoryId: category, shortDesc: 'Short' });
  ids.creative = await create('creatives', {
    name: 'Mail of gold',
    offerId: ids.offer,
    channelId: ids.channel,
    status: 'active',
    content: { subject: 'own subject', headline: '', note: null },
  });
  const flow = await create('decision-flows', { key: 'flow', name: 'Flow', draftConfig: draftFlowConfig(category) });
  assert.equal((await call('POST', 'decision-flows/publish', { id: flow })).status, 200);
});
after(() => contents.server.close());

const hostile = '"><script>alert(1)</script>';

async function shown(): Promise<Record<string, unknown>> {
  const answer = await call<Decided>('POST', 'recommend', {
    customerId: 'Ada',
    channelId: ids.channel,
    attributes: { name: hostile, link: 'javascript:alert(1)', page: 'https://x.test/?a=1&b=2' },
  });
  assert.equal(answer.status, 200, answer.text);
  const [item] = answer.body.decisions;
  assert.ok(item, answer.text);
  decided.push(answer.body.recommendationId);
  return item.content;
}

const bind = (contentItemId: string | null, more: Record<string, unknown> = {}) =>
  call('PUT', `creatives/${ids.creative}`, { contentItemId, ...more });
const own = { subject: 'own subject', headline: '', note: null };

async function configVersion(): Promise<number> {
  const [row] = await contents.server.testDatabase.ownerQuery<{ version: number }>(
    'select version::int as version from arbiter.catalogue_versions where tenant_id = $1',
    [contents.tenant.id],
  );
  return row!.version;
}

/** Every decision so far replays to the same bytes, whatever was published since. */
async function allReplay(): Promise<void> {
  for (const id of decided) {
    const replay = await call<{ identical: boolean }>('POST', `decisions/${id}/replay`, {});
    assert.equal(replay.body.identical, true, replay.text);
  }
}

const item = {
  channelType: 'email',
  content: {
    subject: 'item subject',
    headline: 'For {attributes.name}',
    ctaUrl: '{attributes.page}',
    badUrl: '{attributes.link}',
  },
  blocks: [
    { type: 'text', props: { text: '**{who}** [go]({attributes.page}) [no]({attributes.link})' } },
    { type: 'offer', props: { fields: ['name', 'shortDesc'] } },
  ],
  personalization: { who: { source: 'attributes.name', fallback: 'you' } },
};

test("shows the last published version, below the creative's own content; each step affects the next decision", async () => {
  const { id } = await contents.make(item);
  assert.equal((await bind(id)).status, 200);
  assert.deepEqual(await shown(), own);
  const before = await configVersion();
  await contents.publish(id);
  assert.ok((await configVersion()) > before);
  const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;';
  const link = 'href="https://x.test/?a=1&amp;b=2"';
  const published = {
    subject: 'own subject',
    headline: `For ${escaped}`,
    ctaUrl: 'https://x.test/?a=1&b=2',
    html: `<p><strong>${escaped}</strong> <a ${link}>go</a> <a>no</a></p><h3>Gold</h3><p>Short</p>`,
    text: `${hostile} go (https://x.test/?a=1&b=2) no\n\nGold\nShort`,
  };
  assert.deepEqual(await shown(), published);

  // The working copy affects nothing. Publishing it does.
  await contents.change(id, { content: { headline: 'second' } });
  assert.deepEqual(await shown(), published);
  await contents.publish(id);
  const { html, text } = published;
  assert.deepEqual(await shown(), { subject: 'own subject', headline: 'second', html, text });

  const beforeArchive = await configVersion();
  await contents.call('DELETE', `/${id}`);
  assert.ok((await configVersion()) > beforeArchive);
  assert.deepEqual(await shown(), own);
  await contents.call('POST', `/${id}/revert/1`);
  assert.deepEqual(await shown(), { subject: 'own subject', headline: 'second', html, text });

  await call('PUT', 'tenant-settings', { enableContentManagement: false });
  assert.deepEqual(await shown(), own);
  await call('PUT', 'tenant-settings', { enableContentManagement: null });
  assert.deepEqual(await shown(), { subject: 'own subject', headline: 'second', html, text });
  assert.equal((await bind(null)).status, 200);
  assert.deepEqual(await shown(), own);
  await allReplay();
});

test('a decision delivers what the render route shows', async () => {
  const { id } = await contents.make(item);
  await contents.publish(id);
  await bind(id, { content: {} });
  const attributes = { name: hostile, link: 'javascript:alert(1)', page: 'https://x.test/?a=1&b=2' };
  const offer = { name: 'Gold', shortDesc: 'Short' };
  const rendered = await contents.render(id, { version: 2, attributes, offer });
  assert.deepEqual(await shown(), rendered.content);
  assert.deepEqual((await contents.render(id, { attributes, offer })).content, rendered.content);
  // Texts generated from blocks can be overridden by the creative one by one.
  await bind(id, { content: { html: '<i>{attributes.name}</i>' } });
  const { html, ...others } = await shown();
  assert.match(String(html), /^<i>&quot;&gt;&lt;script/);
  const { html: _html, ...rendered2 } = rendered.content;
  assert.deepEqual(others, rendered2);
  await allReplay();
});

test('two creatives of one item, one of another: each shows its own', async () => {
  const one = await contents.make({ content: { headline: 'one' } });
  const two = await contents.make({ content: { headline: 'two' } });
  await contents.publish(one.id);
  await contents.publish(two.id);
  await bind(one.id, { content: {}, weight: 100 });
  assert.deepEqual(await shown(), { headline: 'one' });
  await bind(two.id);
  assert.deepEqual(await shown(), { headline: 'two' });
  await allReplay();
});

test('a creative refers to a live item of its tenant, or none', async () => {
  const refused = async (contentItemId: string, code: string) => {
    const before = await call('GET', `creatives/${ids.creative}`);
    for (const answer of [
      await bind(contentItemId),
      await call('POST', 'creatives', { name: 'x', offerId: ids.offer, channelId: ids.channel, contentItemId }),
    ]) {
      assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0]?.path], [400, code, '/contentItemId']);
    }
    assert.deepEqual((await call('GET', `creatives/${ids.creative}`)).body, before.body);
  };
  const foreign = await contents.server.call<{ id: string }>('POST', '/api/v1/content', {
    key: contents.server.tenants[1]!.keys.admin,
    body: { name: 'foreign', channelType: 'email' },
  });
  await refused(foreign.body.id, 'reference_not_found');
  await refused('0190a1b2-c3d4-7e5f-8a9b-000000000000', 'reference_not_found');
  const { id } = await contents.make();
  await contents.call('DELETE', `/${id}`);
  await refused(id, 'validation_failed');
  // A creative that named it before it was archived can be changed and sent back unchanged.
  const kept = await contents.make();
  await bind(kept.id);
  await contents.call('DELETE', `/${kept.id}`);
  const again = await bind(kept.id, { weight: 7 });
  assert.equal(again.status, 200, again.text);
});

test('the published item can supply what a placement requires', async () => {
  const placement = await create('placements', {
    name: 'Hero',
    key: 'hero',
    channelId: ids.channel,
    status: 'active',
    schema: { requiredFields: ['headline'], maxLength: { headline: 5 } },
  });
  const made = (contentItemId: string) =>
    call('POST', 'creatives', {
      name: `bound ${contentItemId}`,
      offerId: ids.offer,
      channelId: ids.channel,
      placementId: placement,
      status: 'active',
      contentItemId,
    });
  const item = await contents.make({ content: { headline: 'short' } });
  assert.deepEqual((await made(item.id)).body.errors[0]?.path, '/content/headline');
  await contents.publish(item.id);
  assert.equal((await made(item.id)).status, 201);
});
