import assert from 'node:assert/strict';
import { draftFlowConfig, type JourneyDefinition, type JourneyEnrollment, type Problem } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';

/** CRON_TOKEN of the server. */
const token = 'the token of the tick';

export type AnsweredEnrollment = JourneyEnrollment & Omit<Problem, 'status'>;

/** A server with records for journeys. */
export interface JourneyServer {
  readonly server: TestServer;
  readonly ids: { readonly channel: string; readonly batchChannel: string; readonly schema: string };
  /** Creates an active journey. Returns its id. */
  journey(definition: JourneyDefinition, more?: object): Promise<string>;
  enroll(journeyId: string, body: object): Promise<CallResult<AnsweredEnrollment>>;
  /** Enrolls and takes the steps until the customer waits. Returns the enrollment. */
  walk(journeyId: string, body: object): Promise<JourneyEnrollment>;
  read(journeyId: string, id: string): Promise<JourneyEnrollment>;
  /**
   * Runs the waiting jobs of enrollments, as workers would. `also`: a process that runs each of them too, as after a lost
   * lease. Returns how many jobs there were.
   */
  runJobs(also?: Pick<TestServer, 'jobs'>): Promise<number>;
  /** Runs what is due, as the scheduler and workers would. Returns how many jobs ran. */
  tick(): Promise<number>;
  /** Lets time pass for all enrollments. */
  pass(minutes: number): Promise<void>;
  inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export async function startJourneyServer(): Promise<JourneyServer> {
  const server = await startTestServer({ tenants: 2, config: { CRON_TOKEN: token } });
  const { testDatabase, tenants } = server;
  const category = await server.create('categories', { name: 'Cards' });
  const channel = await server.create('channels', { name: 'Web', channelType: 'web' });
  const batchChannel = await server.create('channels', {
    ...{ name: 'Mail', channelType: 'email', deliveryMode: 'integration' },
    providerConfig: { provider: 'smtp' },
  });
  const offer = await server.create('offers', { name: 'Gold', status: 'active', categoryId: category });
  for (const channelId of [channel, batchChannel]) {
    const content = { headline: 'Hello', subject: 'Hello', body: 'Hello' };
    await server.create('creatives', {
      name: `Gold ${channelId}`,
      offerId: offer,
      channelId,
      status: 'active',
      content,
    });
  }
  await server.publishFlow(
    await server.create('decision-flows', { key: 'main', name: 'main', draftConfig: draftFlowConfig(category) }),
  );
  await server.create('decision-flows', { key: 'draft', name: 'draft', draftConfig: draftFlowConfig(category) });
  const schema = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 64,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'email', displayName: 'Email', dataType: 'text' },
      { name: 'tier', displayName: 'Tier', dataType: 'text' },
      { name: 'visits', displayName: 'Visits', dataType: 'integer' },
    ],
  });
  let counter = 0;
  const read = async (journeyId: string, id: string) =>
    (await server.call<JourneyEnrollment>('GET', `/api/v1/journeys/${journeyId}/enrollments/${id}`)).body;
  const enroll: JourneyServer['enroll'] = (journeyId, body) =>
    server.call('POST', `/api/v1/journeys/${journeyId}/enroll`, { body });
  const runJobs: JourneyServer['runJobs'] = (also) => runQueue(server, also);
  return {
    server,
    ids: { channel, batchChannel, schema },
    journey: (definition, more = {}) =>
      server.create('journeys', { name: `Journey ${++counter}`, status: 'active', definition, ...more }),
    enroll,
    async walk(journeyId, body) {
      const { status, body: enrollment, text } = await enroll(journeyId, body);
      assert.equal(status, 201, text);
      await runJobs();
      return read(journeyId, enrollment.id);
    },
    read,
    runJobs,
    async tick() {
      const headers = { 'x-cron-token': token };
      const { status, text } = await server.call('POST', '/api/cron/tick', { key: null, headers });
      assert.equal(status, 200, text);
      return runJobs();
    },
    async pass(minutes) {
      await testDatabase.ownerQuery(
        `update arbiter.journey_enrollments set resume_at = resume_at - make_interval(mins => $1),
           due_at = due_at - make_interval(mins => $1), expires_at = expires_at - make_interval(mins => $1)`,
        [minutes],
      );
    },
    inTransaction: (work) => server.database.withTenant(tenants[0].id, systemActor('test'), work),
  };
}

/** Takes the waiting jobs of enrollments out of the queue and runs them, until none is left. */
async function runQueue({ testDatabase, jobs }: TestServer, also?: Pick<TestServer, 'jobs'>): Promise<number> {
  let ran = 0;
  for (;;) {
    const rows = await testDatabase.ownerQuery<{ payload: { enrollmentId: string; tenantId: string } }>(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
        where t.id = j.task_id and t.identifier = 'journey.advance' and j.run_at <= now() returning j.payload`,
    );
    if (rows.length === 0) return ran;
    ran += rows.length;
    const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
    const processes = also === undefined ? [jobs] : [jobs, also.jobs];
    await Promise.all(
      rows.flatMap(({ payload: { enrollmentId, tenantId } }) =>
        processes.map((each) => each.get('journey.advance')!.run({ enrollmentId }, facts, tenantId)),
      ),
    );
  }
}
