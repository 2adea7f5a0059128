import assert from 'node:assert/strict';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type DecisionWorld, type Fixtures, type Made, randomId } from '../operations/fixtures.ts';

/** A tenant with rows in every table that the API can fill. */
export interface PopulatedTenant {
  readonly tenant: TestTenant;
  readonly fixtures: Fixtures;
  readonly world: DecisionWorld;
  readonly schema: Made;
  readonly decision: Made;
}

/**
 * Fills a tenant through the API: catalogue, data rows, a decision with record and trace, a response. `sparse` leaves
 * out what decisions don't need.
 */
export async function populate(
  server: TestServer,
  tenant: TestTenant,
  options: { readonly sparse?: boolean } = {},
): Promise<PopulatedTenant> {
  const fixtures = createFixtures(server, tenant);
  const { must, make, marker } = fixtures;
  await must('PUT', 'tenant-settings', { decisionTraceEnabled: true }, 200);
  if (options.sparse !== true) {
    for (const resource of ['qualification-rules', 'contact-policies', 'outcome-types', 'creatives'] as const) {
      await make(resource);
    }
  }
  const schema = await make('schemas');
  await must('POST', `schemas/${schema.id}/data`, { rows: [{ visit_id: marker, client: marker, amount: 1 }] }, 201);
  const world = await fixtures.decisionWorld();
  const decision = await fixtures.decision(world, { requestId: randomId(), attributes: { color: marker } });
  const responded = await server.call('POST', '/api/v1/respond', {
    key: tenant.keys.admin,
    body: { recommendationId: decision.recommendationId, rank: 1, outcome: 'click', attributes: { note: marker } },
    headers: { 'idempotency-key': `click-${marker}` },
  });
  assert.equal(responded.status, 200, responded.text);
  return { tenant, fixtures, world, schema, decision };
}
