import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type Resource as Described,
  draftFlowConfig,
  type EntityType,
  type Operation,
  type Role,
  resources,
  roles,
} from '@arbiter/contract';
import { systemActor, type Tx } from '../../packages/server/src/db/index.ts';
import { giveKeyTo } from '../../packages/server/src/features/identity/credentials/test-owner.ts';
import { createTestApp } from '../../packages/server/src/features/identity/second-factor/test-app.ts';
import type { LinkPurpose } from '../../packages/server/src/features/identity/sessions/index.ts';
import { createTenant } from '../../packages/server/src/features/identity/tenants/index.ts';
import {
  createPerson,
  ensureUser,
  selectIdByEmail,
  upsertPassword,
} from '../../packages/server/src/features/identity/users/index.ts';
import { queueDelivery } from '../../packages/server/src/features/outreach/deliveries/index.ts';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { archiveFile } from './archive-file.ts';

/** A record as the API returned it. */
export interface Made extends Record<string, unknown> {
  readonly id: string;
}

type Body = Record<string, unknown>;

/** Creates records of one tenant through the API, and the bodies for them. */
export interface Fixtures {
  readonly tenant: TestTenant;
  /** A word that occurs in every name and text of this tenant and nowhere else. */
  readonly marker: string;
  /** Returns a new name: the word, a number, the marker. */
  name(word: string): string;
  /** Calls an operation as the tenant's admin, or with another key, and expects this status. */
  must(method: string, path: string, body: unknown, status: number, key?: string): Promise<Made>;
  /** Returns an editor's key that belongs to another person. All other keys of the tenant belong to one person. */
  otherPerson(): Promise<string>;
  /** Returns a body that creates a record, with every property that the product accepts today. */
  draft(resource: Resource): Promise<Body>;
  /** Creates a record. */
  make(resource: Resource, changes?: Body): Promise<Made>;
  /** Turns the tenant into a playground. */
  playground(): Promise<void>;
  /** Creates a user of the tenant as the operator's file does. Returns the id. */
  person(role?: 'admin' | 'editor' | 'viewer'): Promise<string>;
  /** Creates a user with a password. */
  account(role?: 'admin' | 'editor' | 'viewer'): Promise<Account>;
  /** Returns the name and address of a new person. */
  newcomer(): Promise<{ readonly name: string; readonly email: string }>;
  /** Creates an alert rule that fired twice. Returns its id. */
  firedRule(): Promise<string>;
  /** A file of one archived row of history. */
  archivedFile(): Promise<{ readonly id: string; readonly month: string }>;
  /** Queues a delivery of a campaign's run. */
  delivery(): Promise<{ readonly id: string; readonly customerId: string }>;
  /** Creates a user who is locked after wrong passwords. Returns the id. */
  lockedPerson(): Promise<string>;
  /** Creates an admin who owns an API key and an OAuth client. Returns the id. */
  credentialOwner(): Promise<string>;
  /** Creates another tenant in which the people of `sessionAccount` have accounts too. Returns its id. */
  otherTenant(): Promise<string>;
  /** Signs in. Returns the cookie as a browser sends it. */
  signIn(account: Account): Promise<string>;
  /** Returns the token of a mailed link with this purpose, for a user of the tenant. */
  link(purpose: LinkPurpose): Promise<string>;
  /**
   * Returns what each role calls an operation with: keys or, for operations that require a person, sessions of the
   * people of `sessionAccount`.
   */
  credentials(operation: Operation): Promise<Readonly<Record<Role, string>>>;
  /** Returns the account of the user with this role, whose session `credentials` returns. */
  sessionAccount(role: Role): Account;
  /** Turns on the user's second factor. Returns the user's id. */
  secondFactor(account: Account): Promise<string>;
  /** Creates a campaign for two customers. Returns its id. */
  campaign(): Promise<string>;
  /** Creates a campaign and works on a run of it. Returns both ids. */
  campaignRun(): Promise<{ readonly id: string; readonly runId: string }>;
  /** Creates a pipeline and works on runs of it, which read no rows. Returns its id, and that of the last run. */
  pipelineRun(runs?: number): Promise<{ readonly id: string; readonly runId: string }>;
  /** Creates a published flow with one offer that can be shown. */
  decisionWorld(): Promise<DecisionWorld>;
  /** Makes a decision for a customer of that world. Returns the response. */
  decision(world: DecisionWorld, body?: Body): Promise<Made>;
}

/** What a person types to sign in. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

export interface DecisionWorld {
  readonly category: Made;
  readonly channel: Made;
  readonly placement: Made;
  readonly offer: Made;
  readonly otherOffer: Made;
  readonly creative: Made;
  readonly flow: Made;
}

/** Last part of the path of a catalogue resource. */
export type Resource = (typeof resources)[EntityType]['path'];

const resourceAt = new Map<string, Described>(Object.values(resources).map((resource) => [resource.path, resource]));

type Ids = Readonly<Record<string, string>>;

/**
 * Records that a draft refers to and that belong together, or that no reference of the resource declares; ids by entity
 * type. Any other resource gets one record for each of its references.
 */
const needs: Partial<Record<Resource, (fixtures: Fixtures) => Promise<Ids>>> = {
  schemas: async ({ make, name }) => ({ dataSchema: (await make('schemas', customerSchema(name('People')))).id }),
  'schema-joins': async ({ make }) => {
    const { id, linkedSchemaId } = await make('schemas');
    return { dataSchema: id, primarySchema: String(linkedSchemaId) };
  },
  offers: async ({ make }) => {
    const { id, categoryId } = await make('sub-categories');
    return { category: String(categoryId), subCategory: id };
  },
  content: async ({ make, name }) => ({
    contentItem: (await make('content', { name: name('Template'), channelType: 'email', isTemplate: true })).id,
  }),
  creatives: async ({ make }) => {
    const { id, channelId } = await make('placements');
    const contentItem = (await make('content')).id;
    return { offer: (await make('offers')).id, channel: String(channelId), placement: id, contentItem };
  },
  'qualification-rules': async ({ make }) => ({ offer: (await make('offers')).id }),
  'contact-policies': async ({ make }) => ({ offer: (await make('offers')).id }),
  'decision-flows': async ({ make }) => ({ category: (await make('categories')).id }),
  'flow-routes': async ({ make }) => {
    const { id, channelId } = await make('placements');
    return { channel: String(channelId), placement: id, decisionFlow: (await make('decision-flows')).id };
  },
  experiments: async ({ make }) => ({
    algorithmModel: (await make('algorithm-models')).id,
    challengerModel: (await make('algorithm-models')).id,
  }),
  segments: async ({ make, name }) => ({ dataSchema: (await make('schemas', customerSchema(name('People')))).id }),
};

async function draftOf(fixtures: Fixtures, path: Resource): Promise<Body> {
  const resource = resourceAt.get(path);
  assert.ok(resource?.draft, `${path} has no draft body: write it beside the resource in the contract, as \`draft\``);
  const ids = await (needs[path]?.(fixtures) ?? namedBy(fixtures, resource));
  const id = (entityType: string): string => {
    const found = ids[entityType];
    assert.ok(found, `the draft of ${path} names a ${entityType}: say in \`needs\` (fixtures.ts) how it is made`);
    return found;
  };
  return { ...resource.draft({ marker: fixtures.marker, name: fixtures.name, key, id }) };
}

/** Creates a record for each reference of the resource. */
async function namedBy({ make }: Fixtures, { references }: Described): Promise<Ids> {
  const ids: Record<string, string> = {};
  for (const { to } of Object.values(references)) ids[to] ??= (await make(resources[to as EntityType].path)).id;
  return ids;
}

let counter = 0;
const key = (word: string) => `${word}-${++counter}`;

function customerSchema(displayName: string): Body {
  return {
    name: key('people').replaceAll('-', '_'),
    displayName,
    schemaType: 'customer',
    linkedSchemaId: null,
    joinMapping: null,
    summaryColumns: null,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 64,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'first_name', displayName: 'First name', dataType: 'text' },
    ],
  };
}

export function createFixtures(server: TestServer, tenant: TestTenant): Fixtures {
  const marker = `mark${tenant.id.replaceAll('-', '').slice(-10)}`;
  const fixtures: Fixtures = {
    tenant,
    marker,
    name: (word) => `${word} ${++counter} ${marker}`,
    async must(method, path, body, status, key = tenant.keys.admin) {
      const answer = await server.call<Made>(method, `/api/v1/${path}`, { body, key });
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
      return answer.body;
    },
    async otherPerson() {
      const made = await fixtures.must(
        'POST',
        'api-keys',
        { name: fixtures.name('key'), scopes: ['read', 'write'] },
        201,
      );
      await giveKeyTo(server.testDatabase, { tenantId: tenant.id, keyId: made.id, person: randomUUID() });
      return String(made.key);
    },
    draft: (resource) => draftOf(fixtures, resource),
    async make(resource, changes) {
      return fixtures.must('POST', resource, changes ?? (await draftOf(fixtures, resource)), 201);
    },
    async playground() {
      await server.testDatabase.ownerQuery('update arbiter.tenants set is_playground = true where id = $1', [
        tenant.id,
      ]);
      await server.testDatabase.ownerQuery(
        'insert into arbiter.playground_quotas (tenant_id) values ($1) on conflict do nothing',
        [tenant.id],
      );
    },
    async person(role = 'viewer') {
      const user = { email: `${key('person')}@${marker}.test`, name: fixtures.name('Person'), role };
      const actor = systemActor('test');
      await server.database.withTenant(tenant.id, actor, (tx) => ensureUser(tx, user));
      const id = await server.database.withTenant(tenant.id, actor, (tx) => selectIdByEmail(tx, user.email));
      assert.ok(id);
      return id;
    },
    async account(role = 'viewer') {
      const account = { email: `${key('account')}@${marker}.test`, password: 'Passw0rd of the matrix' };
      const hashPassword = () => server.passwords.hash(account.password);
      const user = { email: account.email, name: fixtures.name('Person'), role, hashPassword };
      await server.database.withTenant(tenant.id, systemActor('test'), (tx) => ensureUser(tx, user));
      return account;
    },
    async signIn(account) {
      const answer = await server.call('POST', '/api/v1/auth/login', {
        body: { ...account, tenantId: tenant.id },
        key: null,
      });
      assert.equal(answer.status, 200, answer.text);
      return String(answer.headers['set-cookie']).split(';')[0]!;
    },
    newcomer: async () => ({ name: fixtures.name('Newcomer'), email: `${key('newcomer')}@${marker}.test` }),
    async credentialOwner() {
      const owner = await fixtures.person('admin');
      const key = await fixtures.must('POST', 'api-keys', { name: fixtures.name('key') }, 201);
      await giveKeyTo(server.testDatabase, { tenantId: tenant.id, keyId: key.id, person: owner });
      const client = await fixtures.must('POST', 'oauth/clients', { name: fixtures.name('client') }, 201);
      await server.testDatabase.ownerQuery(
        'update arbiter.oauth_clients set person = $2 where id = $1 and tenant_id = $3',
        [client.id, owner, tenant.id],
      );
      return owner;
    },
    async lockedPerson() {
      const id = await fixtures.person();
      await server.testDatabase.ownerQuery(
        `update arbiter.users set locked_until = now() + interval '1 hour' where id = $1 and tenant_id = $2`,
        [id, tenant.id],
      );
      return id;
    },
    async otherTenant() {
      const id = newId();
      await server.database.withTenant(id, systemActor('test'), async (tx) => {
        await createTenant(tx, { name: fixtures.name('Other'), isPlayground: false, bootstrapName: null }, []);
        for (const role of roles) {
          const { email, password } = fixtures.sessionAccount(role);
          const person = { email, name: fixtures.name('Person'), role, source: 'invite' as const };
          const { id: userId } = await createPerson(tx, { ...person, verified: true, addressProven: true });
          await upsertPassword(tx, userId, await server.passwords.hash(password));
        }
      });
      return id;
    },
    async link(purpose) {
      const email = `${key('linked')}@${marker}.test`;
      return server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
        const source = purpose === 'verification' ? 'registration' : 'invite';
        const name = fixtures.name('Linked');
        const { id } = await createPerson(tx, { email, name, role: 'viewer', source, verified: purpose === 'sign_in' });
        const passwordHash = await server.passwords.hash('Passw0rd of the matrix');
        const given = { name, tenantName: null, passwordHash };
        return (await server.links.issue(tx, { userId: id, purpose, ...(purpose === 'verification' ? { given } : {}) }))
          .token;
      });
    },
    sessionAccount: (role) => ({ email: `session-${role}@${marker}.test`, password: 'Passw0rd of the matrix' }),
    async credentials({ auth }) {
      if (auth !== 'session') return tenant.keys;
      const sessionOf = (role: Role) =>
        server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
          const { email, password } = fixtures.sessionAccount(role);
          const known = await selectIdByEmail(tx, email);
          const name = fixtures.name('Person');
          const userId =
            known ??
            (await createPerson(tx, { email, name, role, source: 'invite', verified: true, addressProven: true })).id;
          if (known === undefined) await upsertPassword(tx, userId, await server.passwords.hash(password));
          return (await server.sessions.startSession(tx, { userId, method: 'password' })).token;
        });
      return { viewer: await sessionOf('viewer'), editor: await sessionOf('editor'), admin: await sessionOf('admin') };
    },
    async secondFactor(account) {
      const cookie = await fixtures.signIn(account);
      const step = (body: Body) =>
        server.call<{ secret: string }>('POST', '/api/v1/auth/mfa', { body, key: null, headers: { cookie } });
      const app = createTestApp((await step({ action: 'setup' })).body.secret);
      const enabled = await step({ action: 'enable', code: app.code(new Date()) });
      assert.equal(enabled.status, 200, enabled.text);
      const find = (tx: Tx) => selectIdByEmail(tx, account.email);
      const id = await server.database.withTenant(tenant.id, systemActor('test'), find);
      assert.ok(id);
      return id;
    },
    async firedRule() {
      const { id } = await fixtures.make('alerts');
      await server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
        for (const event of [newId(), newId()]) {
          await tx.query(
            `insert into arbiter.alert_events (tenant_id, id, alert_id, fired_at, value, threshold, severity, deliveries)
             values ($1, $2, $3, $4, 1, 0.5, 'warning', '[]')`,
            [tenant.id, event, id, tx.now],
          );
        }
      });
      return id;
    },
    async archivedFile() {
      return archiveFile(server, tenant.id);
    },
    async delivery() {
      const customerId = `customer ${fixtures.marker}`;
      const id = await server.database.withTenant(tenant.id, systemActor('test'), (tx) =>
        queueDelivery(tx, {
          origin: { source: 'campaign', campaignId: newId(), runId: newId() },
          ...{ customerId, offerId: newId(), channelId: newId(), creativeId: null, recommendationId: null },
          effectKey: newId(),
        }),
      );
      return { id, customerId };
    },
    async campaign() {
      const { flow, channel } = await fixtures.decisionWorld();
      const segment = await fixtures.make('segments', { ...(await fixtures.draft('segments')), filters: null });
      const rows = ['', ' 2'].map((number) => ({ customer_id: `${marker}${number}`, first_name: marker }));
      await fixtures.must('POST', `schemas/${String(segment.baseSchemaId)}/data`, { rows }, 201);
      const body = {
        ...{ name: fixtures.name('Campaign'), decisionFlowId: flow.id, segmentId: segment.id },
        ...{ channelIds: [channel.id], fileConfig: { format: 'csv' } },
      };
      return (await fixtures.must('POST', 'runs', body, 201)).id;
    },
    async campaignRun() {
      const id = await fixtures.campaign();
      const { id: runId } = await fixtures.must('POST', `runs/${id}/campaign-runs`, undefined, 201);
      const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
      await server.jobs.get('campaign.chunk')!.run({ runId }, facts, tenant.id);
      return { id, runId };
    },
    async pipelineRun(runs = 1) {
      // Without a path, its runs end before they connect to anything.
      const csv = { name: fixtures.name('Source'), type: 'csv' };
      const { id: connectorId } = await fixtures.must('POST', 'connectors', csv, 201);
      const { id } = await fixtures.make('pipelines', { ...(await fixtures.draft('pipelines')), connectorId });
      const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
      for (let run = 1; ; run++) {
        const { id: runId } = await fixtures.must('POST', `pipelines/${id}/runs`, undefined, 201);
        await server.jobs.get('pipeline.run')!.run({ runId }, facts, tenant.id);
        if (run >= runs) return { id, runId };
      }
    },
    async decisionWorld() {
      const category = await fixtures.make('categories');
      const placement = await fixtures.make('placements', { ...(await fixtures.draft('placements')), targeting: null });
      const channel = await fixtures.must('GET', `channels/${String(placement.channelId)}`, undefined, 200);
      const offerOf = () =>
        fixtures.must(
          'POST',
          'offers',
          { name: fixtures.name('Offer'), status: 'active', categoryId: category.id, shortDesc: fixtures.marker },
          201,
        );
      const [offer, otherOffer] = [await offerOf(), await offerOf()];
      const creative = await fixtures.must(
        'POST',
        'creatives',
        {
          name: fixtures.name('Creative'),
          offerId: offer.id,
          channelId: channel.id,
          placementId: placement.id,
          status: 'active',
          content: { subject: `For you, ${fixtures.marker}` },
        },
        201,
      );
      const flow = await fixtures.must(
        'POST',
        'decision-flows',
        { key: fixtures.name('flow'), name: fixtures.name('Flow'), draftConfig: draftFlowConfig(category.id) },
        201,
      );
      await fixtures.must('POST', 'decision-flows/publish', { id: flow.id, notes: fixtures.marker }, 200);
      return { category, channel, placement, offer, otherOffer, creative, flow };
    },
    async decision({ channel, flow }, body = {}) {
      const answer = await fixtures.must(
        'POST',
        'recommend',
        { customerId: `customer ${fixtures.marker}`, channelId: channel.id, decisionFlowKey: flow.key, ...body },
        200,
      );
      assert.equal(answer.count, 1, JSON.stringify(answer));
      return answer;
    },
  };
  return fixtures;
}

/** Returns a well-formed id that doesn't exist. */
export const randomId = (): string => `0199${randomUUID().slice(4, 14)}7${randomUUID().slice(15)}`;
